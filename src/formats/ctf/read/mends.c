/* SPDX-License-Identifier: Apache-2.0 */
/* Finds tracers that are known to have written wrong times into packets, by the environment of the
   trace. */
#include "formats/ctf/read/mends.h"

#include <string.h>

typedef struct version {
    uint64_t major, minor, patch;
} version;

static uint64_t env_number(const ctf_schema *schema, const char *name)
{
    const ctf_env *env = schema_find_env(schema, name);
    return env != NULL && !env->is_text && !env->is_negative ? env->value : 0;
}

static bool is_before(version v, uint64_t major, uint64_t minor, uint64_t patch)
{
    if (v.major != major)
        return v.major < major;
    if (v.minor != minor)
        return v.minor < minor;
    return v.patch < patch;
}

/* Whether this version of lttng-modules has the fault that was mended in 2.11.0, 2.10.10 and
   2.9.13. */
static bool is_modules_before_mend(version v)
{
    if (v.major == 2 && v.minor == 10)
        return v.patch < 10;
    if (v.major == 2 && v.minor == 9)
        return v.patch < 13;
    return is_before(v, 2, 9, 0);
}

unsigned ctf_mends_of(const ctf_schema *schema)
{
    const ctf_env *name = schema_find_env(schema, "tracer_name");
    const bool has_patch = schema_find_env(schema, "tracer_patchlevel") != NULL;
    const version v = {env_number(schema, "tracer_major"), env_number(schema, "tracer_minor"),
                       env_number(schema, has_patch ? "tracer_patchlevel" : "tracer_patch")};
    if (name == NULL || !name->is_text || schema_find_env(schema, "tracer_major") == NULL)
        return 0;
    if (ctf_text_is(name->text, "lttng-ust"))
        return CTF_MEND_CRASH | (is_before(v, 2, 11, 0) ? CTF_MEND_AFTER_PACKET : 0);
    if (ctf_text_is(name->text, "lttng-modules"))
        return CTF_MEND_CRASH | (is_modules_before_mend(v) ? CTF_MEND_AFTER_PACKET : 0);
    if (ctf_text_is(name->text, "barectf"))
        return is_before(v, 2, 3, 1) ? CTF_MEND_BEFORE_PACKET : 0;
    return 0;
}
