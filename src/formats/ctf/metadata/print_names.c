/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/print_names.h"

#include "core/text.h"
#include "formats/ctf/metadata/tsdl_lex.h"

bool name_has_character(uint8_t c)
{
    return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_keyword(ctf_text text)
{
#define TSDL_WORD(id, text) text,
    static const char *const keywords[] = {TSDL_KEYWORDS(TSDL_WORD)};
#undef TSDL_WORD
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (ctf_text_is(text, keywords[i]))
            return true;
    return false;
}

bool name_needs_escape(ctf_text name)
{
    const uint8_t first = name.size != 0 ? (uint8_t)*name.bytes : '_';
    if (first == '_' || (first >= '0' && first <= '9') || is_keyword(name))
        return true;
    return !name_has_character(first) &&
           text_utf8_length((const uint8_t *)name.bytes, name.size) < 2;
}
