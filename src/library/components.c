/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that Stele works with, and their versions: the functions of <stele/component.h>. */
#include <stele/component.h>
#include <stele/symbols.h>

#include <stdio.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#include "core/late.h"
#include "core/sized.h"
#include "stele_config.h"

#ifdef STELE_HAVE_BZ2
#include <bzlib.h>
#endif
#ifdef STELE_HAVE_CRYPTO
#include <openssl/crypto.h>
#endif
#ifdef STELE_HAVE_ELF
#include <elfutils/libdwfl.h>
#endif

/* Writes a version of at most 31 bytes; an empty text if the library is not there. */
typedef void version_fn(char *out, size_t size);

static void version_of_zlib(char *out, size_t size)
{
    snprintf(out, size, "%s", zlibVersion());
}

static void version_of_zstd(char *out, size_t size)
{
    snprintf(out, size, "%s", ZSTD_versionString());
}

/* The library says "1.0.8, 13-Jul-2019". */
static void version_of_bzip2(char *out, size_t size)
{
#ifdef STELE_HAVE_BZ2
    const char *version = BZ2_bzlibVersion();
    snprintf(out, size, "%.*s", (int)strcspn(version, ","), version);
#else
    (void)size;
    *out = 0;
#endif
}

/* The library says "OpenSSL 3.0.15 3 Sep 2024". */
static void version_of_openssl(char *out, size_t size)
{
#ifdef STELE_HAVE_CRYPTO
    void *library = late_open(STELE_CRYPTO_LIBRARY);
    __typeof__(OpenSSL_version) *ask;
    const char *version = "", *space;
    if (library != NULL && late_find(library, "OpenSSL_version", &ask, sizeof ask))
        version = ask(OPENSSL_VERSION);
    space = strchr(version, ' ');
    version = space != NULL ? space + 1 : version;
    snprintf(out, size, "%.*s", (int)strcspn(version, " "), version);
#else
    (void)size;
    *out = 0;
#endif
}

static void version_of_elfutils(char *out, size_t size)
{
#ifdef STELE_HAVE_ELF
    snprintf(out, size, "%s", dwfl_version(NULL));
#else
    (void)size;
    *out = 0;
#endif
}

static void version_of_llvm(char *out, size_t size)
{
    stele_disassembly *d;
    *out = 0;
    if (stele_disassembly_open(&d) != STELE_OK)
        return;
    snprintf(out, size, "%u", stele_disassembly_version(d));
    stele_disassembly_close(d);
}

#ifdef STELE_HAVE_CRYPTO
#define HAS_CRYPTO true
#else
#define HAS_CRYPTO false
#endif

typedef struct component {
    const char *name, *purpose;
    version_fn *version;
    bool is_late; /* this build can load it when it is needed */
} component;

static const component components[] = {
    {"zlib", "what is packed with gzip", version_of_zlib, false},
    {"zstd", "what is packed with zstd", version_of_zstd, false},
    {"bzip2", "what is packed with bzip2", version_of_bzip2, false},
    {"openssl", "checksums and ciphers of CTF packets", version_of_openssl, HAS_CRYPTO},
    {"elfutils", "names and lines of functions", version_of_elfutils, false},
    {"llvm", "text of instructions", version_of_llvm, true},
};

static bool component_give(size_t index, bool loads, stele_component *out)
{
    stele_component made = {0};
    if (index >= sizeof components / sizeof components[0])
        return false;
    made.name = components[index].name;
    made.purpose = components[index].purpose;
    made.is_late = components[index].is_late;
    if (loads || !made.is_late)
        components[index].version(made.version, sizeof made.version);
    made.is_there = made.version[0] != 0;
    sized_give(out, &made, sizeof made, SIZED_FIRST(stele_component, version));
    return true;
}

bool stele_component_get(size_t index, stele_component *out)
{
    return component_give(index, true, out);
}

bool stele_component_peek(size_t index, stele_component *out)
{
    return component_give(index, false, out);
}
