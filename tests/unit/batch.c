/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "model/batch.h"

static stele_batch *batch_new(uint32_t capacity)
{
    stele_batch *batch = NULL;
    REQUIRE(stele_batch_new(capacity, &batch) == STELE_OK);
    batch->columns = STELE_COLUMNS_ALL;
    return batch;
}

TEST(an_event_is_64_bytes_and_a_field_16)
{
    CHECK_EQ_U64(sizeof(stele_event), 64);
    CHECK_EQ_U64(sizeof(stele_field), 16);
}

TEST(a_batch_takes_as_many_events_as_it_was_made_for)
{
    stele_batch *batch = batch_new(3);
    for (int i = 0; i < 3; i++)
        CHECK(stele_batch_add_event(batch) != NULL);
    CHECK(stele_batch_add_event(batch) == NULL);
    CHECK_EQ_U64(batch->event_count, 3);
    stele_batch_clear(batch);
    CHECK(stele_batch_add_event(batch) != NULL);
    stele_batch_free(batch);
    stele_batch_free(NULL);
}

TEST(fields_belong_to_the_event_before_them)
{
    stele_batch *batch = batch_new(0);
    uint32_t first = 99;
    CHECK(stele_batch_add_field(batch, 1, STELE_TYPE_UINT) == NULL);
    for (uint64_t i = 0; i < 200; i++) {
        REQUIRE(stele_batch_add_event(batch) != NULL);
        for (uint64_t j = 0; j < i % 5; j++) {
            stele_field *field = stele_batch_add_field(batch, (stele_name)j, STELE_TYPE_UINT);
            REQUIRE(field != NULL);
            field->u.u = i * 10 + j;
        }
    }
    for (uint32_t i = 0; i < 200; i++) {
        REQUIRE(stele_event_fields(batch, &batch->events[i], &first) == i % 5);
        for (uint32_t j = 0; j < i % 5; j++)
            CHECK_EQ_U64(batch->fields[first + j].u.u, i * 10 + j);
    }
    stele_batch_free(batch);
}

TEST(more_fields_than_16_bits_count_are_all_there)
{
    enum { COUNT = 70000 };
    stele_batch *batch = batch_new(0);
    stele_event *event = stele_batch_add_event(batch);
    uint32_t first = 0;
    REQUIRE(event != NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        stele_field *field = stele_batch_add_field(batch, i, STELE_TYPE_UINT);
        REQUIRE(field != NULL);
        field->u.u = i;
    }
    REQUIRE(stele_event_fields(batch, event, &first) == COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        REQUIRE(batch->fields[first + i].u.u == i && batch->fields[first + i].name == i);
    stele_batch_free(batch);
}

/* Checks an event that was copied, in whatever batch it is. */
static void check_copied(const stele_context *context, const stele_batch *batch,
                         const stele_event *event)
{
    uint32_t first = 0;
    const stele_field *fields;
    stele_text text;
    REQUIRE(stele_event_fields(batch, event, &first) == 3);
    fields = batch->fields + first;
    CHECK_EQ_I64(event->time_ns, 42);
    text = stele_name_text(context, batch, event->name);
    CHECK_EQ_U64(text.size, 5);
    CHECK_EQ_MEM(text.bytes, "local", 5);
    text = stele_field_text(context, batch, &fields[0]);
    CHECK_EQ_U64(text.size, 4);
    CHECK_EQ_MEM(text.bytes, "te\0t", 4);
    CHECK_EQ_U64(fields[1].u.bytes.size, 24);
    CHECK_EQ_U64(fields[1].u.bytes.offset % 8, 0);
    CHECK_EQ_MEM(batch->bytes + fields[1].u.bytes.offset, ((uint64_t[]){1, 2, 3}), 24);
    text = stele_field_text(context, batch, &fields[2]);
    CHECK_EQ_MEM(text.bytes, "local", 5);
}

TEST(a_copied_event_takes_along_all_that_it_points_to)
{
    stele_batch *from = batch_new(0), *to = batch_new(0);
    stele_context *context = NULL;
    stele_event *event = stele_batch_add_event(from);
    stele_field *field;
    uint64_t *numbers;
    uint32_t offset = 0;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(event != NULL);
    event->time_ns = 42;
    event->name = batch_add_local_name(from, "local", 5);
    CHECK(stele_batch_add_bytes(from, 7, STELE_TYPE_STRING, "te\0t", 4) == STELE_OK);
    numbers = batch_push_array(from, 3, &offset);
    REQUIRE(numbers != NULL);
    memcpy(numbers, (uint64_t[]){1, 2, 3}, 24);
    field = stele_batch_add_field(from, 8, STELE_TYPE_UINTS);
    REQUIRE(field != NULL);
    field->u.bytes.offset = offset;
    field->u.bytes.size = 24;
    field = stele_batch_add_field(from, event->name, STELE_TYPE_NAME);
    REQUIRE(field != NULL);
    field->u.u = event->name;
    check_copied(context, from, event);

    /* Adds another event first, so that no offset is the same in both batches. */
    REQUIRE(stele_batch_add_event(to) != NULL);
    CHECK(stele_batch_add_bytes(to, 1, STELE_TYPE_BYTES, "xyz", 3) == STELE_OK);
    batch_add_local_name(to, "other", 5);
    REQUIRE(batch_copy_event(to, from, event));
    stele_batch_free(from);
    check_copied(context, to, &to->events[1]);
    stele_batch_free(to);
    stele_context_free(context);
}

TEST(shifting_moves_starts_and_ends_and_never_wraps)
{
    stele_batch *batch = batch_new(0);
    const stele_event *events = batch->events;
    *batch_push_event(batch) =
        (stele_event){.kind = STELE_KIND_COMPLETE, .time_ns = 100, .id = 200, .ticks = 5};
    *batch_push_event(batch) = (stele_event){.kind = STELE_KIND_COUNTER, .time_ns = 100, .id = 200};
    *batch_push_event(batch) = (stele_event){.kind = STELE_KIND_INSTANT, .time_ns = INT64_MAX - 5};
    batch_shift(batch, 10, 0);
    CHECK_EQ_I64(events[0].time_ns, 110);
    CHECK_EQ_U64(events[0].id, 210);
    CHECK_EQ_U64(events[0].ticks, 5);
    CHECK_EQ_U64(events[1].id, 200);
    CHECK_EQ_I64(events[2].time_ns, INT64_MAX);
    CHECK(events[2].flags & STELE_FLAG_CLAMPED);
    CHECK_EQ_I64(batch->shift_ns, 10);
    stele_batch_free(batch);
}

TEST(every_kind_has_a_word_of_its_own)
{
    for (stele_kind a = STELE_KIND_NONE; a < STELE_KIND_COUNT; a++) {
        for (stele_kind b = STELE_KIND_NONE; b < a; b++)
            CHECK(strcmp(stele_kind_text(a), stele_kind_text(b)) != 0);
    }
    CHECK_EQ_STR(stele_kind_text(STELE_KIND_COUNT), "none");
}

TEST(every_type_has_a_word_of_its_own)
{
    for (int a = 0; a < STELE_TYPE_COUNT; a++)
        for (int b = a + 1; b <= STELE_TYPE_COUNT; b++)
            CHECK(strcmp(stele_type_text((stele_type)a), stele_type_text((stele_type)b)) != 0);
    CHECK_EQ_STR(stele_type_text(STELE_TYPE_UINTS), "uints");
    CHECK_EQ_STR(stele_type_text(STELE_TYPE_VARIANT), "variant");
}

TEST(bytes_are_added_as_what_their_type_says)
{
    static const uint64_t numbers[] = {1, 2, UINT64_MAX};
    stele_batch *batch;
    const stele_field *field;
    REQUIRE(stele_batch_new(0, &batch) == STELE_OK);
    CHECK(stele_batch_add_field(batch, 0, STELE_TYPE_UINT) == NULL);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_STRING, "abc", 3) == STELE_ERR_ARGUMENT);
    stele_batch_add_event(batch);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_STRING, "abc", 3) == STELE_OK);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_UINT, "abc", 3) == STELE_ERR_ARGUMENT);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_NAME, "abc", 3) == STELE_ERR_ARGUMENT);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_STRUCT, "abc", 3) == STELE_ERR_ARGUMENT);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_UINTS, numbers, 7) == STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(batch->field_count, 1);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_UINTS, numbers, sizeof numbers) == STELE_OK);
    field = &batch->fields[1];
    CHECK_EQ_U64(field->u.bytes.offset % 8, 0);
    CHECK_EQ_U64(field->u.bytes.size, sizeof numbers);
    CHECK(memcmp(batch->bytes + field->u.bytes.offset, numbers, sizeof numbers) == 0);
    CHECK(stele_batch_add_bytes(batch, 0, STELE_TYPE_BIGINT, "123456789", 9) == STELE_OK);
    stele_batch_free(batch);
}
