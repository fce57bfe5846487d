/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that set the thread of an event, from the numbers that its contexts have. If both
   numbers are neighbours of 32 bits, as LTTng's vpid and vtid can be, one operation does all. */
#include "formats/ctf/records/emit.h"

/*
 * Returns the slot of a context's member that holds the number of the thread, process or CPU, by
 * its name. Numbers of the whole system (tid) are preferred to those of a namespace (vtid) later.
 */
uint32_t thread_slot(const builder *b, const ctf_class *type, const ctf_member *member)
{
    static const struct {
        const char *name;
        uint32_t slot;
    } names[] = {{"tid", SLOT_TID},
                 {"pid", SLOT_PID},
                 {"vtid", SLOT_VTID},
                 {"vpid", SLOT_VPID},
                 {"cpu_id", SLOT_CPU}};
    if (b->context != type || member->type->size > 64 ||
        (member->type->kind != CTF_INT && member->type->kind != CTF_UINT))
        return SLOT_NONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ctf_text_is(member->name, names[i].name))
            return names[i].slot;
    }
    return SLOT_NONE;
}

/* Returns the slot with the number of the whole system if a member sets it, otherwise the slot with
   the number in the namespace, or SLOT_NONE. An event may have both. */
static uint32_t thread_choose(const builder *b, uint32_t whole, uint32_t own)
{
    if ((b->thread_slots & 1u << whole) != 0)
        return whole;
    return (b->thread_slots & 1u << own) != 0 ? own : SLOT_NONE;
}

/* Returns the last operation that sets the slot, if its number is one that number_load(OP_LE)
   loads, otherwise OP_NONE. */
static uint32_t slot_last(const builder *b, uint32_t slot)
{
    const unsigned others = OP_BIG_ENDIAN | OP_WIDE | OP_REVERSED;
    for (uint32_t i = b->count; i-- != 0;) {
        if (b->ops[i].code == OP_SLOT && b->ops[i].v.slot == slot)
            return (b->ops[i].flags & others) == 0 ? i : OP_NONE;
    }
    return OP_NONE;
}

/*
 * Returns the form of two numbers of 32 bits that lie side by side in 8 bytes: their order and
 * signs, as a number that is not 0. Pairs of the same form name the same thread if their bytes are
 * equal. Returns 0 if the numbers are not such a pair.
 */
static uint32_t thread_form(const op *tid, const op *pid)
{
    const bool are_words =
        tid->shift == 0 && tid->mask == UINT32_MAX && pid->shift == 0 && pid->mask == UINT32_MAX;
    if (!are_words || (tid->offset + 4 != pid->offset && pid->offset + 4 != tid->offset))
        return 0;
    return 1u + (tid->offset > pid->offset) + (tid->sign != 0 ? 2u : 0) + (pid->sign != 0 ? 4u : 0);
}

/* Whether the operations from `first` to `last` work on one stretch: none of them changes
   `base`. */
static bool is_one_stretch(const builder *b, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        const uint8_t code = b->ops[i].code;
        if ((code < OP_U8 || code > OP_EVENT_SIZE) && code != OP_ENTRY && code != OP_SHORT_TEXT &&
            code != OP_SHORT_NUMBERS)
            return false;
    }
    return true;
}

/* Replaces the operation `at` and the entries of both numbers before it, if these are in the order
   of their positions, by one operation for all three. */
static void thread_fuse(builder *b, op *at)
{
    /* The caller has made sure that at[-3] exists. */
    const op low = at[-2], high = at[-1];
    if (at->code != OP_THREAD_PAIR || low.code != OP_S32 || high.code != OP_S32 ||
        low.offset != at->u.pair.offset || high.offset != low.offset + 4)
        return;
    at[-2] = at[0];
    at[-1] = at[1];
    at[-2].code = OP_THREAD_WORDS;
    at[-2].head = low.head;
    at[-1].head = high.head;
    if (at[-3].code == OP_ENTRY)
        at[-3].code = OP_ENTRY_THREAD;
    /* Two operations less: THREAD_WORDS uses the place of the first entry and the one after it. */
    b->count -= 2;
}

/* Removes the operations that set both slots, which have no other use, and sets the thread by one
   operation that loads both numbers from the stretch. */
static void emit_thread_near(builder *b, uint32_t tid_at, uint32_t pid_at)
{
    const uint32_t first = tid_at < pid_at ? tid_at : pid_at;
    const uint32_t last = tid_at < pid_at ? pid_at : tid_at;
    const op tid = b->ops[tid_at], pid = b->ops[pid_at];
    const uint32_t form = thread_form(&tid, &pid);
    op *at = &b->ops[last - 1];
    /* The operations between the two move up by one; the thread's two operations follow them, where
       the last of the two was. */
    memmove(b->ops + first, b->ops + first + 1, (last - 1 - first) * sizeof *b->ops);
    at[0] = tid;
    at[1] = pid;
    at->code = form != 0 ? OP_THREAD_PAIR : OP_THREAD;
    at->u.pair.offset = tid.offset < pid.offset ? tid.offset : pid.offset;
    at->u.pair.form = form;
    if (last + 1 == b->count && last >= 4)
        thread_fuse(b, at);
}

void emit_thread(builder *b)
{
    const uint32_t tid = thread_choose(b, SLOT_TID, SLOT_VTID);
    const uint32_t pid = thread_choose(b, SLOT_PID, SLOT_VPID);
    const uint32_t tid_at = slot_last(b, tid), pid_at = slot_last(b, pid);
    op *at;
    if (tid == SLOT_NONE || b->is_exhausted)
        return;
    if (tid_at != OP_NONE && pid_at != OP_NONE &&
        /* A `base` that changes between the two would make the first number's offset wrong. */
        is_one_stretch(b, tid_at < pid_at ? tid_at : pid_at, tid_at < pid_at ? pid_at : tid_at)) {
        emit_thread_near(b, tid_at, pid_at);
        return;
    }
    at = build_op(b, OP_THREAD_SLOTS);
    at->v.thread.tid = tid;
    at->v.thread.pid = pid;
}

bool names_thread(const builder *b)
{
    return thread_choose(b, SLOT_TID, SLOT_VTID) != SLOT_NONE;
}

bool names_cpu(const builder *b)
{
    return (b->thread_slots & 1u << SLOT_CPU) != 0;
}
