/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/records/scan.h"

#include <inttypes.h>

#include "formats/xtrace/codes.h"

#define ALLGPR_SIZE    (1 + STELE_XTRACE_GPR_COUNT * 8)
#define TOKEN_SIZE_MIN 5u
#define TOKEN_SIZE_MAX (XTRACE_VEC_HEAD + STELE_XTRACE_IOVECS_MAX * XTRACE_IOVEC)

/*
 * How far the search looks for what may be the next instruction, and how many tokens it must lead
 * to. An instruction without a program counter must lead to more tokens, and is taken only if no
 * other kind follows within BARE_SIZE bytes. This bounds what one damaged byte costs.
 */
#define LEAD_TOKENS      16u
#define LEAD_TOKENS_BARE 64u
#define LEAD_SIZE        ((size_t)4 << 10)
#define BARE_SIZE        ((size_t)4 << 10)
#define SKIP_PART_SIZE   ((size_t)16 << 10)

/* How far before damage the scan looks for a token that hides others. */
#define LOOK_BACK ((size_t)1 << 10)

stele_status xtrace_scan_open(xtrace_scan *s, input *in, const stele_xtrace_tokens *tokens,
                              diag_sink *diag, size_t window_size)
{
    stele_status status;
    *s = (xtrace_scan){.diag = diag, .tokens = tokens};
    status = window_open(&s->win, in, 0, UINT64_MAX, window_size,
                         XTRACE_GROUP_SIZE_MAX + TOKEN_SIZE_MAX);
    if (status == STELE_OK)
        window_keep(&s->win, LOOK_BACK);
    return status;
}

void xtrace_scan_close(xtrace_scan *s)
{
    window_close(&s->win);
}

void xtrace_scan_seek(xtrace_scan *s, uint64_t offset)
{
    window_move(&s->win, offset, UINT64_MAX);
    s->pending = s->count = 0;
    s->has_pc = s->is_lost_reported = s->is_continued = false;
    memset(s->recent, 0, sizeof s->recent);
}

#define scan_report(s, code, offset, size, ...)                                          \
    do {                                                                                 \
        if ((s)->diag != NULL)                                                           \
            diag_report((s)->diag, &xtrace_codes[code], (s)->win.in->name, offset, size, \
                        __VA_ARGS__);                                                    \
    } while (0)

size_t xtrace_tokens_count(const stele_xtrace_tokens *tokens, const uint8_t *bytes, size_t size,
                           size_t max, size_t *end)
{
    size_t at = 0, count = 0;
    while (count < max && at < size) {
        const size_t token = xtrace_token_size(tokens, bytes + at, size - at);
        if (token == 0 || token > size - at)
            break;
        at += token;
        count++;
    }
    *end = at;
    return count;
}

/* ---- Damage ---- */

bool xtrace_token_hides(const stele_xtrace_tokens *tokens, const uint8_t *at, size_t left,
                        size_t past, size_t wanted)
{
    static const uint16_t sizes[] = {5, 9, 10, 11, 13, 17, 25, 41, 73, 137, 257};
    const size_t own = xtrace_token_size(tokens, at, left);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] < past; i++) {
        const size_t room = left - sizes[i];
        const uint8_t *from = at + sizes[i];
        size_t end;
        const size_t count =
            sizes[i] != own ? xtrace_tokens_count(tokens, from, room, wanted, &end) : 0;
        if (count != 0 && sizes[i] + end > past &&
            (count == wanted || end == room ||
             xtrace_token_size(tokens, from + end, room - end) != 0))
            return true;
    }
    return false;
}

/* Looks for a token before the damage at the window's front that hides others, and reports those as
   lost. */
static void scan_look_back(xtrace_scan *s)
{
    const window *w = &s->win;
    const size_t there = window_need(&s->win, LEAD_SIZE);
    const size_t ahead = there < LEAD_SIZE ? there : LEAD_SIZE;
    size_t back = 0, next;
    if (s->diag == NULL)
        return;
    for (size_t i = 0; i < XTRACE_RECENT && s->recent[i] != 0; i++) {
        if (s->recent[i] > (size_t)(w->at - w->data) - back)
            break;
        back += s->recent[i];
    }
    for (; back != 0; back -= next) {
        const uint8_t *at = w->at - back;
        next = xtrace_token_size(s->tokens, at, back);
        if (next == 0 || next > back)
            return;
        if (xtrace_token_hides(s->tokens, at, back + ahead, back, LEAD_TOKENS)) {
            scan_report(s, XTR024, window_offset_of(w, at), back, NULL,
                        "a token %02x of %zu bytes, which may have been another", *at, next);
            return;
        }
    }
}

/* Tells whether a token begins at `at[index]` that leads to as many others as are wanted. */
static bool scan_leads_on(xtrace_scan *s, size_t index, size_t wanted)
{
    const size_t there = window_need(&s->win, index + LEAD_SIZE) - index;
    const size_t left = there < LEAD_SIZE ? there : LEAD_SIZE;
    const uint8_t *at = s->win.at + index;
    size_t end;
    const size_t count = xtrace_tokens_count(s->tokens, at, left, wanted, &end);
    if (count == 0)
        return false;
    if (wanted == LEAD_TOKENS_BARE && left < LEAD_SIZE)
        return count == wanted || (end == left && count >= LEAD_TOKENS);
    /* Fewer are enough when what follows is cut by the end of the trace or of the search. */
    return count == wanted || end == left ||
           xtrace_token_size(s->tokens, at + end, left - end) != 0;
}

/* Steps over bytes up to the next instruction or the end. */
static void scan_skip(xtrace_scan *s)
{
    window *w = &s->win;
    /* The first instruction without a program counter that leads on; 0 when none has been found. */
    size_t i = 1, bare = 0;
    while (window_need(w, i + 1) > i && (bare == 0 || i - bare < BARE_SIZE)) {
        const uint8_t kind = s->tokens->kinds[w->at[i]];
        if (kind == STELE_XTRACE_PCINST && scan_leads_on(s, i, LEAD_TOKENS)) {
            w->at += i;
            return;
        }
        if (bare == 0 && kind == STELE_XTRACE_INST && scan_leads_on(s, i, LEAD_TOKENS_BARE))
            bare = i;
        if (++i == SKIP_PART_SIZE && bare == 0) {
            w->at += i;
            i = 0;
        }
    }
    w->at += bare != 0 ? bare : i;
}

/* Tells whether an instruction without a program counter covers the one at the window's front. */
static bool is_covered(const xtrace_scan *s, size_t left)
{
    const window *w = &s->win;
    for (size_t back = 1; back < TOKEN_SIZE_MIN && back < (size_t)(w->at - w->data); back++) {
        const uint8_t *at = w->at - back;
        size_t end;
        const size_t count =
            s->tokens->kinds[*at] == STELE_XTRACE_INST
                ? xtrace_tokens_count(s->tokens, at, left + back, LEAD_TOKENS, &end)
                : 0;
        if (count == LEAD_TOKENS || (count > 1 && end == left + back))
            return true;
    }
    return false;
}

/* Reports a doubt about where reading continues after damage: the token there may be a part of
   other tokens, or hide some. It is, if a token had no room before it. */
static void scan_doubt(xtrace_scan *s, uint64_t skipped_size)
{
    const size_t there = window_need(&s->win, LEAD_SIZE);
    const size_t left = there < LEAD_SIZE ? there : LEAD_SIZE;
    const size_t size = left != 0 ? xtrace_token_size(s->tokens, s->win.at, left) : 0;
    if (s->diag != NULL && size != 0 && size < left &&
        (skipped_size < TOKEN_SIZE_MIN || is_covered(s, left) ||
         xtrace_token_hides(s->tokens, s->win.at, left, size, LEAD_TOKENS)))
        scan_report(s, XTR024, window_offset(&s->win), size, NULL,
                    "a token %02x of %zu bytes after damage, which may be part of others",
                    *s->win.at, size);
}

static void scan_damage(xtrace_scan *s, size_t token_size, xtrace_group *group)
{
    window *w = &s->win;
    const uint64_t offset = window_offset(w);
    const size_t left = (size_t)(w->end - w->at);
    const uint8_t token = *w->at;
    uint64_t size;
    scan_look_back(s);
    scan_skip(s);
    size = window_offset(w) - offset;
    scan_doubt(s, size);
    *group = (xtrace_group){
        .offset = offset, .size = size, .kind = XTRACE_GROUP_BYTES, .number = s->count};
    s->skipped_size += size;
    s->has_pc = s->is_lost_reported = false;
    memset(s->recent, 0, sizeof s->recent);
    if (token_size != 0 && size == left)
        scan_report(s, XTR003, offset, size, NULL, "%zu bytes of a token %s of %zu", left,
                    stele_xtrace_kind_text((stele_xtrace_kind)s->tokens->kinds[token]), token_size);
    else if (token == 0x04 || token == 0x14)
        scan_report(s, XTR002, offset, size, NULL,
                    "token %02x, and %" PRIu64 " bytes to the next instruction", token, size);
    else
        scan_report(s, XTR001, offset, size, NULL,
                    "a token %02x that cannot be, and %" PRIu64 " bytes to the next instruction",
                    token, size);
}

/* ---- Scanning ---- */

/* Gives the size of the token at `at[index]` when all of its bytes are there. Gives 0 when it
   cannot be a token, and more than the bytes that are left when the trace ends inside of it. */
static inline size_t scan_token(xtrace_scan *s, size_t index)
{
    window *w = &s->win;
    size_t left = (size_t)(w->end - w->at) - index;
    size_t size;
    if (left >= XTRACE_VEC_HEAD + STELE_XTRACE_VALUE_MAX || w->buffer == NULL) {
        size = xtrace_token_size(s->tokens, w->at + index, left);
        if (size <= left)
            return size;
    }
    left = window_need(w, index + XTRACE_VEC_HEAD) - index;
    size = xtrace_token_size(s->tokens, w->at + index, left);
    if (size > left)
        window_need(w, index + size);
    return size;
}

static void group_take_insn(xtrace_scan *s, xtrace_group *group, size_t index)
{
    const uint8_t *at = s->win.at + index;
    group->kind = XTRACE_GROUP_INSN;
    group->insn = (uint32_t)index;
    group->level = *at >> 6;
    group->is_pcinst = s->tokens->kinds[*at] == STELE_XTRACE_PCINST;
    if (group->is_pcinst)
        s->pc = load_le64(at + 1);
    s->has_pc |= group->is_pcinst;
    group->has_pc = s->has_pc;
    group->pc = s->has_pc ? s->pc : 0;
    group->opcode = load_le32(at + (group->is_pcinst ? 9 : 1));
    s->pc += 4;
    s->count++;
}

/* Tells whether the group ends before a token of this kind. */
static inline bool group_ends(const xtrace_group *group, uint8_t kind, size_t index)
{
    if (kind == STELE_XTRACE_ALLGPR)
        return index != 0;
    if (kind != STELE_XTRACE_INST && kind != STELE_XTRACE_PCINST)
        return false;
    return group->kind == XTRACE_GROUP_INSN ||
           (index != 0 && !(index == ALLGPR_SIZE && group->has_gpr));
}

static void group_judge(xtrace_scan *s, const xtrace_group *group)
{
    if (group->kind == XTRACE_GROUP_VALUES && !s->is_continued)
        scan_report(s, XTR005, group->offset, group->size, "an instruction", "a token %02x",
                    *group->bytes);
    if (group->kind == XTRACE_GROUP_INSN && !group->has_pc && !s->is_lost_reported) {
        s->is_lost_reported = true;
        scan_report(s, XTR004, group->offset + group->insn, 5, "a PCINST", "an INST");
    }
}

/* ---- Passing ---- */

/* Every token that is passed over is shorter than this, and so is the head of any other token. */
#define PASS_MARGIN 512u

/* In an INST or PCINST these bits equal 1, and one more bit tells the two apart. */
#define PASS_OPENING_MASK 0x37u
#define PASS_HAS_PC       0x08u

/* Gives the end of the tokens of an instruction, the first of which is at `at`. Gives NULL when
   some of them are not to be passed over, or may lie after `end`. */
static inline const uint8_t *pass_values(const stele_xtrace_tokens *tokens, const uint8_t *at,
                                         const uint8_t *end, uint32_t stops)
{
    while ((*at & PASS_OPENING_MASK) != XTRACE_CLASS_INST) {
        const size_t size = tokens->sizes[*at];
        const uint8_t kind = tokens->kinds[*at];
        if (at >= end || (stops & 1u << kind) != 0 || size == 0 || size > PASS_MARGIN)
            return NULL;
        if (kind == STELE_XTRACE_ALLGPR)
            break;
        at += size;
    }
    return at;
}

/* Passes over the instructions in the window, up to `end`. */
static void pass_window(xtrace_scan *s, uint64_t count_end, const uint8_t *end,
                        const uint8_t *token_end, uint32_t stops)
{
    const uint8_t *at = s->win.at;
    const uint8_t *begins[XTRACE_RECENT]; /* of the last groups, by their number */
    uint64_t pc = s->pc, count = s->count;
    while (at < end && count < count_end && (*at & PASS_OPENING_MASK) == XTRACE_CLASS_INST) {
        const bool has_pc = (*at & PASS_HAS_PC) != 0;
        const uint64_t own_pc = has_pc ? load_le64(at + 1) : pc;
        const uint8_t *next;
        if (has_pc && !xtrace_pc_can_be(own_pc))
            break;
        next = pass_values(s->tokens, at + (has_pc ? 13 : 5), token_end, stops);
        if (next == NULL || (size_t)(next - at) > XTRACE_GROUP_SIZE_MAX)
            break;
        begins[count % XTRACE_RECENT] = at;
        pc = own_pc + 4;
        count++;
        at = next;
    }
    for (uint64_t i = count - s->count < XTRACE_RECENT ? s->count : count - XTRACE_RECENT;
         i < count; i++)
        xtrace_scan_note(s, (size_t)((i + 1 < count ? begins[(i + 1) % XTRACE_RECENT] : at) -
                                     begins[i % XTRACE_RECENT]));
    s->has_pc |= count != s->count;
    s->is_continued &= count == s->count;
    s->win.at = at;
    s->pc = pc;
    s->count = count;
}

void xtrace_scan_pass(xtrace_scan *s, uint64_t count_end, uint64_t offset_end, uint32_t stops)
{
    const uint32_t all = stops | 1u << STELE_XTRACE_SVCARG | 1u << STELE_XTRACE_SYSCALL_VEC;
    window *w = &s->win;
    uint64_t count;
    w->at += s->pending;
    s->pending = 0;
    do {
        const uint64_t offset = window_offset(w);
        const uint8_t *token_end;
        count = s->count;
        if (offset >= offset_end || window_need(w, PASS_MARGIN + 1) <= PASS_MARGIN ||
            (!s->has_pc && s->tokens->kinds[*w->at] != STELE_XTRACE_PCINST))
            return;
        token_end = w->end - PASS_MARGIN;
        pass_window(s, count_end,
                    offset_end - offset < (uint64_t)(token_end - w->at)
                        ? w->at + (offset_end - offset)
                        : token_end,
                    token_end, all);
    } while (s->count != count && s->count < count_end);
}

stele_status xtrace_scan_next(xtrace_scan *s, xtrace_group *group)
{
    window *w = &s->win;
    size_t index = 0, size = 0;
    w->at += s->pending;
    s->pending = 0;
    if (window_need(w, 1) == 0)
        return w->status != STELE_OK ? w->status : STELE_END;
    *group =
        (xtrace_group){.offset = window_offset(w), .kind = XTRACE_GROUP_VALUES, .number = s->count};
    while (index < XTRACE_GROUP_SIZE_MAX && window_need(w, index + 1) > index) {
        uint8_t kind;
        size = scan_token(s, index);
        if (size == 0 || size > (size_t)(w->end - w->at) - index)
            break;
        kind = s->tokens->kinds[w->at[index]];
        if (group_ends(group, kind, index))
            break;
        if (kind == STELE_XTRACE_INST || kind == STELE_XTRACE_PCINST)
            group_take_insn(s, group, index);
        group->has_gpr |= kind == STELE_XTRACE_ALLGPR;
        index += size;
    }
    if (w->status != STELE_OK && w->status != STELE_ERR_READ)
        return w->status;
    if (index == 0) {
        scan_damage(s, size, group);
        s->is_continued = false;
        return STELE_OK;
    }
    group->bytes = w->at;
    group->size = s->pending = index;
    group_judge(s, group);
    xtrace_scan_note(s, index);
    s->is_continued = index >= XTRACE_GROUP_SIZE_MAX;
    if (s->is_continued)
        scan_report(s, XTR014, group->offset, group->size, NULL, "more than %zu bytes",
                    XTRACE_GROUP_SIZE_MAX);
    return STELE_OK;
}
