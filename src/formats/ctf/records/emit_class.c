/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of texts, arrays, structures, variants and optionals. Invariants while a class is
 * compiled:
 *
 * - `phase` is what is known of the position before the next operation: its rest by some modulus.
 *   It is exact as long as all sizes before it are constant, and is blurred by fields without a
 *   fixed size.
 * - A stretch (program.h) collects numbers at constant offsets. Any operation that moves the
 *   position comes after build_close().
 * - `entries` counts the entries of an event that takes each branch once; `variations` counts the
 *   operations that make the number differ from event to event. If none was added between the begin
 *   and the end of a structure, its length is a constant, and OP_ENTRY writes it without OP_CLOSE.
 * - Users of targets (lengths, selectors) are compiled in the order in which target_walk found
 *   them, so that emit_next_user() only has to count.
 * - If fields are not wanted, the same bits are stepped over and no entry is made.
 */
#include "formats/ctf/records/emit.h"
#include "formats/ctf/schema/choices.h"
#include "formats/ctf/schema/marks.h"

/* Returns the node of a child of a field, or TARGET_NONE if no later field depends on the child or
   on what is inside. */
static uint32_t child_node(const builder *b, uint32_t node, uint32_t index)
{
    return target_tree_child(b->tree, node, index);
}

/* ---- Runs of entries ---- */

/* Appends the begin of a run of `count` members whose number of entries is not known yet. */
static void run_open(builder *b, uint64_t head, uint32_t count)
{
    op *at = build_op(b, OP_OPEN);
    at->head = head;
    at->u.run.count = count;
    b->entries++;
    if (++b->open > b->depth) /* most frames that the decoder needs */
        b->depth = b->open;
}

/* Appends the end of the innermost run, which sets the number of its entries. */
static void run_close(builder *b)
{
    build_op(b, OP_CLOSE);
    b->open--;
}

void emit_entry(builder *b, stele_name name, stele_type type)
{
    const uint64_t head = build_head(b, name, type, 0, 0);
    build_op(b, OP_ENTRY)->head = head;
    b->entries++;
}

/* ---- Arrays of numbers and of anything else ---- */

/*
 * Appends a step over elements of a fixed size that are not needed. There is no gap after the last
 * one, so the whole is (length - 1) strides and one size. If that is a constant, it joins with the
 * steps around it.
 */
static void skip_elements(builder *b, class_length length, uint64_t size, uint64_t stride)
{
    uint64_t total = 0;
    op *at;
    if (length.is_fixed &&
        (length.value == 0 || (!__builtin_mul_overflow(length.value - 1, stride, &total) &&
                               (total += size) < UINT32_MAX))) {
        build_step(b, 1, total);
        return;
    }
    build_close(b);
    at = build_op(b, OP_SKIP);
    emit_set_length(at, length);
    at->v.element.stride = (uint32_t)stride;
    at->v.element.size = (uint32_t)size;
    /* The lowest 1 bit of both is a power of two that divides the size of any number of
       elements. */
    b->phase = phase_blur(b->phase, (size | stride) & (0 - (size | stride)));
}

#define SHORT_NUMBERS 64u /* bytes of the longest array that is a part of a stretch */

/* Whether the array has a short constant length, so that its elements can be part of a stretch. */
static bool is_short_array(const ctf_class *element, class_length length)
{
    const uint64_t stride = align_up(element->size, element->alignment);
    return length.is_fixed && length.value != 0 && length.value <= SHORT_NUMBERS &&
           length.value * stride <= SHORT_NUMBERS * 8;
}

/* Appends a short array with an entry for each element, as if the elements were members of a
   structure. */
static void emit_short_entries(builder *b, const ctf_class *element, uint32_t count,
                               stele_name name)
{
    op *at = build_op(b, OP_ENTRY);
    at->head = build_head(b, name, STELE_TYPE_ARRAY, 0, 0);
    at->u.run.length = at->u.run.count = count;
    b->entries++;
    for (uint32_t i = 0; i < count; i++)
        emit_fixed(b, element, 0, TARGET_NONE);
}

/*
 * Appends an array of plain numbers. Two questions decide on the operation. Are the numbers kept
 * packed, one entry with all bytes, or as an entry each, because they have labels or are shown in
 * another base? And do elements follow each other in whole bytes, so that they can be copied, or
 * must each be loaded from its bits? A short packed array is part of a stretch.
 *
 * The operation uses the one after it, which is never executed: it says how one element is loaded.
 */
static void emit_numbers(builder *b, const ctf_class *element, class_length length, stele_name name)
{
    const uint64_t stride = align_up(element->size, element->alignment);
    const bool is_marked = b->number_mark == MARK_NUMBERS;
    const bool is_packed = is_marked || layout_is_packed(element);
    const bool is_signed = element->kind == CTF_INT;
    const bool is_float = element->kind == CTF_FLOAT, is_real = is_float && element->size == 32;
    const stele_type type = !is_packed  ? STELE_TYPE_ARRAY
                            : is_float  ? STELE_TYPE_FLOATS
                            : is_signed ? STELE_TYPE_INTS
                                        : STELE_TYPE_UINTS;
    number n = {.flags = (uint8_t)((element->is_big_endian ? OP_BIG_ENDIAN : 0) |
                                   (is_signed ? OP_SIGNED : 0))};
    const bool is_gapless = stride == element->size && stride % 8 == 0;
    const bool is_short = is_short_array(element, length);
    uint32_t offset = 0;
    bool is_wide, is_whole, is_place;
    op_code code;
    op *at;
    if (is_short && !is_packed) {
        emit_short_entries(b, element, (uint32_t)length.value, name);
        return;
    }
    n.place = place_make(0, element->size, element->is_big_endian, &is_wide);
    code = number_code(&n, is_real);
    is_whole = is_gapless && code != OP_FLOAT;
    /* The elements can be copied from the stretch only if they begin with a byte there. */
    is_place = is_short && is_whole && b->phase.modulus >= 8 && b->phase.rest % 8 == 0;
    if (is_place)
        offset = build_bytes(b, element->alignment > 8 ? element->alignment : 8,
                             (uint32_t)(length.value * stride / 8));
    else
        build_close(b);
    at = build_op(b, is_place    ? OP_SHORT_NUMBERS
                     : is_whole  ? is_packed ? OP_NUMBERS : OP_ENTRIES
                     : is_packed ? OP_ANY_NUMBERS
                                 : OP_ANY_ENTRIES);
    at->offset = offset;
    emit_set_length(at, length);
    at->flags |= n.flags | (is_real ? OP_REAL : 0);
    at->v.element.stride = (uint32_t)stride;
    at->v.element.size = element->size;
    at->head = build_head(b, name, type, is_packed ? element->size : 0,
                          is_marked ? base_hint(element) : 0);
    at = number_op(b, code, &n);
    at->head = build_head(b, 0, is_signed ? STELE_TYPE_INT : STELE_TYPE_UINT, element->size,
                          base_hint(element));
    b->entries++;
    b->variations += !is_packed;
    b->has_loops |= !is_packed;
    /* build_bytes() has moved the phase of a short array already. */
    if (!is_place)
        b->phase = phase_blur(b->phase, (element->size | stride) & (0 - (element->size | stride)));
}

/*
 * Appends an array of any elements: LOOP enters it, NEXT goes back to the body. The phase at the
 * begin of the body must hold for the first element and for each later one, so it is blurred by the
 * step between elements before the body is compiled, and holds after the loop, too. LOOP knows the
 * least size of an element: a length that exceeds the packet is found before the first element is
 * read.
 */
static void emit_loop(builder *b, const ctf_class *element, class_length length, stele_name name,
                      uint32_t node)
{
    const uint64_t size_min = layout_size_min(element);
    layout_phase phase;
    uint32_t loop, body;
    op *at;
    build_close(b);
    loop = b->count;
    at = build_op(b, OP_LOOP);
    emit_set_length(at, length);
    at->flags |= b->is_wanted ? OP_WANTED : 0;
    at->offset = size_min < UINT32_MAX ? (uint32_t)size_min : UINT32_MAX;
    at->head = build_head(b, name, STELE_TYPE_ARRAY, 0, 0);
    b->entries += b->is_wanted;
    b->variations++;
    b->has_loops = true;
    if (++b->open > b->depth)
        b->depth = b->open;
    b->phase = phase_blur(b->phase, layout_step(element));
    b->order = ORDER_UNKNOWN;
    phase = b->phase;
    body = b->count;
    if (b->marks.size != 0)
        emit_marked(b, element, NULL, node);
    else
        emit_class(b, element, 0, node);
    build_close(b);
    build_op(b, OP_NEXT)->v.target = body;
    b->phase = phase;
    b->open--;
    b->order = ORDER_UNKNOWN;
    build_target(b, loop);
}

/* Appends an array: numbers in bulk if they are plain and no later field depends on one of them; a
   step if nothing in it is needed and its elements have a fixed size; otherwise a loop. */
static void emit_array(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const ctf_class *element = type->u.array.element;
    const class_length length = emit_length(b, type);
    const bool is_uuid = (type->roles & CTF_ROLE_UUID) != 0;
    const uint32_t inside = child_node(b, node, 0);
    const bool is_in_bytes = !b->is_mixed || ((element->size | element->alignment) & 7) == 0;
    const bool is_plain =
        layout_is_packed(element) || (layout_is_plain(element) && element->roles == 0);
    uint64_t size;
    build_step(b, type->alignment, 0);
    if (is_uuid) {
        build_close(b);
        build_op(b, OP_UUID);
    }
    if (b->is_wanted && is_plain && inside == TARGET_NONE && is_in_bytes) {
        emit_numbers(b, element, length, name);
    } else if (!b->is_wanted && inside == TARGET_NONE && !b->is_mixed &&
               layout_is_fixed(element, &size) && size < UINT32_MAX / 2 &&
               element->alignment < UINT32_MAX / 2) {
        skip_elements(b, length, size, align_up(size, element->alignment));
    } else {
        emit_loop(b, element, length, name, inside);
    }
}

/* Appends an array in a loop, even if its elements are plain, because marks say what each element
   is. */
void emit_elements(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const class_length length = emit_length(b, type);
    build_step(b, type->alignment, 0);
    emit_loop(b, type->u.array.element, length, name, child_node(b, node, 0));
}

/* ---- Structures, variants, optionals ---- */

/*
 * Compiles a member that gets no entry, for its other uses. Its name is interned nevertheless:
 * tests for fields by name compare numbers of names, so a name must have one even if its field is
 * left out.
 */
static void emit_left_out(builder *b, const ctf_member *member, uint32_t node)
{
    const uint32_t hidden = b->hidden;
    build_name(b, member->name);
    b->is_wanted = false;
    emit_class(b, member->type, 0, node);
    b->is_wanted = true;
    b->hidden = hidden + 1;
}

/* Compiles the members of a structure one after the other, and sets for each of them what it is
   used for besides its entry. */
void emit_members(builder *b, const ctf_class *type, uint32_t node)
{
    const bool chooses = b->chooses;
    b->chooses = false;
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        /* CTF 2 has no role for the CPU; its tracers keep the name that CTF 1.8 reserves. */
        b->is_cpu = b->scope == CTF_SCOPE_PACKET_CONTEXT && member->type->kind == CTF_UINT &&
                    ctf_text_is(member->name, "cpu_id");
        b->also_slot = thread_slot(b, type, member);
        if (b->also_slot != SLOT_NONE)
            b->thread_slots |= 1u << b->also_slot;
        if (b->marks.size != 0)
            emit_marked(b, member->type, member, child_node(b, node, i));
        else if (chooses && !build_wants(b, member->name))
            emit_left_out(b, member, child_node(b, node, i));
        else
            emit_class(b, member->type, b->is_wanted ? build_name(b, member->name) : 0,
                       child_node(b, node, i));
        b->also_slot = SLOT_NONE;
        b->is_cpu = false;
    }
}

/*
 * Compiles a structure, which is a run of entries. Their number is not known at its begin: OPEN is
 * appended, and after the members, if none of them varied, it is replaced by an ENTRY with the
 * number that was counted. Members that marks hide are not counted as members.
 */
void emit_struct(builder *b, const ctf_class *type, stele_name name, stele_type shown_as,
                 unsigned hint, uint32_t node)
{
    const uint32_t variations = b->variations, hidden = b->hidden;
    uint32_t run, entries;
    build_step(b, type->alignment, 0);
    if (!b->is_wanted) {
        emit_members(b, type, node);
        return;
    }
    run = b->count;
    run_open(b, build_head(b, name, shown_as, 0, hint), type->u.structure.count);
    entries = b->entries;
    b->hidden = 0;
    emit_members(b, type, node);
    /* Operation `run` may not exist then. */
    if (b->is_exhausted)
        return;
    b->ops[run].u.run.count = type->u.structure.count - b->hidden;
    b->hidden = hidden;
    if (b->variations == variations) {
        b->ops[run].u.run.length = b->entries - entries;
        b->ops[run].code = OP_ENTRY;
        b->open--;
    } else {
        run_close(b);
    }
}

/*
 * Appends operations that unset the slots of all targets below the node, as these fields may not be
 * there. Otherwise a length or selector would take the value of another event, or of another
 * element.
 */
static void unset_slots(builder *b, uint32_t node)
{
    if (node == TARGET_NONE)
        return;
    if (b->tree->nodes[node].slot != SLOT_NONE)
        build_op(b, OP_UNSET)->v.slot = b->tree->nodes[node].slot;
    for (uint32_t i = b->tree->nodes[node].child; i != TARGET_NONE; i = b->tree->nodes[i].sibling)
        unset_slots(b, i);
}

/* Gathers what is known of position and bit order where several branches meet. Each branch begins
   with `phase` and `order`; the meeting point has `end_phase` and `end_order`. */
typedef struct branches {
    layout_phase phase, end_phase;
    bit_order order, end_order;
    uint32_t count;
} branches;

/* Begins a branch with what was known before all of them, and with no stretch open. */
static void branch_begin(builder *b, const branches *ways)
{
    build_close(b);
    b->phase = ways->phase;
    b->order = ways->order;
}

/* Ends a branch: what is known after it is joined with what is known after the others. */
static void branch_end(builder *b, branches *ways)
{
    build_close(b);
    ways->end_phase = ways->count == 0 ? b->phase : phase_join(ways->end_phase, b->phase);
    ways->end_order = ways->count == 0 || ways->end_order == b->order ? b->order : ORDER_UNKNOWN;
    ways->count++;
}

/* Ends the last branch: the builder goes on with the position and bit order that are known after
   every branch. If there was no branch, nothing has changed. */
static void branches_meet(builder *b, const branches *ways)
{
    if (ways->count != 0) {
        b->phase = ways->end_phase;
        b->order = ways->end_order;
    }
}

/* Compiles the options of a variant one after the other. Each but the last ends with a jump to the
   point where they meet. `targets` gets the index of each option's first operation. */
static void emit_options(builder *b, const ctf_class *type, stele_name name, uint32_t node,
                         uint32_t *targets)
{
    const uint32_t count = type->u.variant.count;
    const unsigned hint = b->hint;
    branches ways = {.phase = b->phase, .order = b->order};
    uint32_t last_jump = OP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const ctf_member *option = &type->u.variant.options[i];
        b->hint = hint;
        branch_begin(b, &ways);
        targets[i] = b->count;
        if (b->is_wanted)
            run_open(b, build_head(b, name, STELE_TYPE_VARIANT, 0, 0), 1);
        emit_class(b, option->type, b->is_wanted ? build_name(b, option->name) : 0,
                   child_node(b, node, i));
        build_close(b);
        if (b->is_wanted)
            run_close(b);
        branch_end(b, &ways);
        /* Until their target is known, the jumps are a list linked by v.target. */
        if (i + 1 < count) {
            build_op(b, OP_JUMP)->v.target = last_jump;
            last_jump = b->count - 1;
        }
    }
    branches_meet(b, &ways);
    while (last_jump != OP_NONE && !b->is_exhausted) {
        const uint32_t next = b->ops[last_jump].v.target;
        b->ops[last_jump].v.target = b->count;
        last_jump = next;
    }
}

/* Compiles a variant. CHOOSE looks up the selector in a table of ranges and jumps to the option. A
   value in no range is damage, as the size of the variant is unknown then. */
static void emit_variant(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const target_user *user = emit_next_user(b);
    op_choices *choices = build_take(b, 1, sizeof *choices);
    uint32_t *targets = build_take(b, type->u.variant.count, sizeof *targets);
    unset_slots(b, node);
    b->variations++;
    if (choices == NULL || targets == NULL ||
        !choices_make(&choices->table, &b->memory, type, user)) {
        b->is_exhausted = true;
        return;
    }
    choices->slot = user->slot;
    choices->is_signed = user->is_signed;
    choices->targets = targets;
    build_close(b);
    build_op(b, OP_CHOOSE)->u.choices = choices;
    emit_options(b, type, name, node, targets);
}

/*
 * Compiles an optional field. WHETHER goes on with the field, or jumps to its target if the field
 * is not there. An entry of type NULL then stands for it, so that an event has the same members in
 * both cases. "Not there" is a branch without operations, begun and ended only to join its phase
 * with that of the other.
 */
static void emit_optional(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const target_user *user = emit_next_user(b);
    op_condition *condition = build_take(b, 1, sizeof *condition);
    const unsigned hint = b->hint;
    branches ways;
    uint32_t whether;
    unset_slots(b, node);
    b->variations++;
    if (condition == NULL)
        return;
    *condition = (op_condition){.ranges = type->u.optional.ranges,
                                .range_count = type->u.optional.range_count,
                                .slot = user->slot,
                                .is_bool = type->has_bool_selector};
    build_close(b);
    ways = (branches){.phase = b->phase, .order = b->order};
    whether = b->count;
    build_op(b, OP_WHETHER)->u.condition = condition;
    b->hint = STELE_HINT_OPTIONAL;
    emit_class(b, type->u.optional.element, name, child_node(b, node, 0));
    b->hint = 0;
    branch_end(b, &ways);
    if (b->is_wanted) {
        const uint32_t jump = b->count;
        build_op(b, OP_JUMP);
        build_target(b, whether);
        b->hint = hint;
        emit_entry(b, name, STELE_TYPE_NULL);
        build_target(b, jump);
    } else {
        build_target(b, whether);
    }
    branch_begin(b, &ways);
    branch_end(b, &ways);
    branches_meet(b, &ways);
}

/* Compiles one field, by its class; `name` is that of its entry. */
void emit_class(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    switch (type->kind) {
    case CTF_VAR_UINT:
    case CTF_VAR_INT: emit_varint(b, type, name, node); break;
    case CTF_STRING: emit_string(b, type, name); break;
    case CTF_STATIC_STRING:
    case CTF_DYNAMIC_STRING:
    case CTF_STATIC_BLOB:
    case CTF_DYNAMIC_BLOB: emit_bytes(b, type, name); break;
    case CTF_STRUCT: emit_struct(b, type, name, STELE_TYPE_STRUCT, 0, node); break;
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY: emit_array(b, type, name, node); break;
    case CTF_OPTIONAL: emit_optional(b, type, name, node); break;
    case CTF_VARIANT: emit_variant(b, type, name, node); break;
    default: emit_fixed(b, type, name, node); break;
    }
}
