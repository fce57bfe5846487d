/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/marks.h"

#include "core/text.h"

static char peek(const ctf_text *marks)
{
    return marks->size != 0 ? marks->bytes[0] : 0;
}

static void step(ctf_text *marks, uint32_t size)
{
    marks->bytes += size;
    marks->size -= size;
}

member_mark marks_take(ctf_text *marks)
{
    member_mark taken = {.mark = MARK_PLAIN};
    const char *end;
    if (marks->size == 0 || peek(marks) == MARK_CLOSE || peek(marks) == MARK_PAYLOAD)
        return taken;
    taken.is_context = peek(marks) == MARK_CONTEXT;
    if (taken.is_context)
        step(marks, 1);
    if (marks->size == 0)
        return taken;
    taken.mark = (field_mark)peek(marks);
    step(marks, 1);
    if (peek(marks) != MARK_NAME)
        return taken;
    end = memchr(marks->bytes, MARK_NAME_END, marks->size);
    if (end == NULL)
        end = marks->bytes + marks->size;
    taken.has_name = true;
    taken.name = (ctf_text){marks->bytes + 1, (uint32_t)(end - marks->bytes) - 1};
    step(marks, (uint32_t)(end - marks->bytes));
    if (marks->size != 0)
        step(marks, 1);
    return taken;
}

void marks_pass(ctf_text *marks, field_mark mark)
{
    if (peek(marks) == (char)mark)
        step(marks, 1);
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

size_t marks_unescape(char *text, const char *from, size_t size)
{
    size_t made = 0;
    for (size_t i = 0; i < size; i++) {
        if (from[i] == '%' && size - i > 2 && digit(from[i + 1]) >= 0 && digit(from[i + 2]) >= 0) {
            text[made++] = (char)(digit(from[i + 1]) << 4 | digit(from[i + 2]));
            i += 2;
        } else {
            text[made++] = from[i];
        }
    }
    return made;
}

size_t marks_escape(char *to, size_t room, const char *text, size_t size, size_t *taken)
{
    size_t made = 0, i = 0;
    for (; i < size; i++) {
        const uint8_t c = (uint8_t)text[i];
        const bool is_plain =
            c >= ' ' && c < 0x7f && c != '%' && c != '"' && c != '\\' && c != MARK_NAME_END;
        if (room - made < (is_plain ? 1u : 3u))
            break;
        if (is_plain) {
            to[made++] = (char)c;
        } else {
            to[made++] = '%';
            made = (size_t)(text_hex(to + made, c, 2) - to);
        }
    }
    if (taken != NULL)
        *taken = i;
    return made;
}
