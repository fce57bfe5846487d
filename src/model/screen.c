/* SPDX-License-Identifier: Apache-2.0 */
#include "model/screen.h"

/* Judges an event and remembers the verdict in its slot: the key, a bit that says that the slot is
   used, and a bit for the verdict. Local names are not judged, and pass. */
bool screen_judge(screen *self, stele_kind kind, uint16_t category, stele_name name, uint64_t *slot)
{
    const uint64_t key = name | (uint64_t)category << 32 | (uint64_t)kind << 48;
    bool passes;
    if ((name & STELE_NAME_LOCAL) != 0)
        return true;
    passes = self->passes(self, kind, category, name);
    *slot = key << 2 | 2 | (passes ? 1 : 0);
    return passes;
}

static bool kind_passes(screen *self, stele_kind kind, uint16_t category, stele_name name)
{
    return screen_passes(((const kind_screen *)self)->below, kind, category, name);
}

screen *kind_screen_begin(kind_screen *made, uint64_t kinds, screen *below)
{
    *made = (kind_screen){
        .base = {.passes = kind_passes, .kinds = kinds, .secret = hash_key_make()}, .below = below};
    return &made->base;
}
