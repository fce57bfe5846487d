/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/flame_forms.h"

#include <stdbool.h>
#include <string.h>

const flame_form_info flame_forms[FLAME_FORM_COUNT] = {
    [FLAME_FORM_FOLDED] = {"folded", ".folded", "folded stacks, for other programs"},
    [FLAME_FORM_SPEEDSCOPE] = {"speedscope", ".speedscope.json", "profile for speedscope"},
    [FLAME_FORM_SVG] = {"svg", ".svg", "flame graph as a picture"},
    [FLAME_FORM_HTML] = {"html", ".html .htm", "flame graph as a page"},
    [FLAME_FORM_PPROF] = {"pprof", ".pb.gz .pb .pprof", "profile for pprof"},
    [FLAME_FORM_CALLGRIND] = {"callgrind", ".callgrind callgrind.out", "profile for KCachegrind"},
    [FLAME_FORM_EVENTED] = {"evented", "", "when each call was, for speedscope"},
    [FLAME_FORM_FIREFOX] = {"firefox", ".firefox.json",
                            "when each call was, for the Firefox Profiler"},
};

flame_form flame_form_find(const char *name)
{
    flame_form form = FLAME_FORM_FOLDED;
    while (form < FLAME_FORM_COUNT && strcmp(flame_forms[form].name, name) != 0)
        form++;
    return form;
}

/* Whether a path ends with one of several words. */
static bool ends_with_one(const char *path, const char *ends)
{
    const size_t size = strlen(path);
    for (size_t length; *ends != '\0'; ends += length) {
        ends += strspn(ends, " ");
        length = strcspn(ends, " ");
        if (length != 0 && length <= size && memcmp(path + size - length, ends, length) == 0)
            return true;
    }
    return false;
}

flame_form flame_form_for_path(const char *path)
{
    flame_form form = FLAME_FORM_FOLDED;
    while (form < FLAME_FORM_COUNT && !ends_with_one(path, flame_forms[form].ends))
        form++;
    return form;
}
