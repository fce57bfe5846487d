/* SPDX-License-Identifier: Apache-2.0 */
/* Events, fields and findings as single lines. */
#include <stele/stele.h>

#include "test.h"

typedef struct made {
    stele_context *context;
    stele_batch *batch;
} made;

static made make(void)
{
    made m;
    const stele_track thread = {.kind = STELE_TRACK_THREAD, .number = 17};
    stele_event *event;
    stele_field *field;
    REQUIRE(stele_context_new(NULL, &m.context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &m.batch) == STELE_OK);
    event = stele_batch_add_event(m.batch);
    event->kind = STELE_KIND_INSTANT;
    event->time_ns = 1500000000;
    event->name = stele_name_intern(m.context, "re\nad", 5);
    event->track = stele_track_intern(m.context, &thread);
    field = stele_batch_add_field(m.batch, stele_name_intern(m.context, "len", 3), STELE_TYPE_UINT);
    field->u.u = 4096;
    stele_batch_add_bytes(m.batch, stele_name_intern(m.context, "path", 4), STELE_TYPE_STRING,
                          "a b", 3);
    return m;
}

static void end(made *m)
{
    stele_batch_free(m->batch);
    stele_context_free(m->context);
}

static void check_text(stele_text text, const char *expected)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%.*s", (int)text.size, text.bytes);
    CHECK_EQ_STR(copy, expected);
}

TEST(an_event_is_one_line)
{
    made m = make();
    for (int again = 0; again < 2; again++)
        check_text(stele_event_line(m.context, m.batch, &m.batch->events[0]),
                   "1.500000000  thread 17  instant  re\\x0aad  len=4096 path=\"a b\"");
    end(&m);
}

TEST(a_field_is_one_line)
{
    made m = make();
    check_text(stele_field_line(m.context, m.batch, &m.batch->fields[0]), "4096");
    check_text(stele_field_line(m.context, m.batch, &m.batch->fields[1]), "\"a b\"");
    end(&m);
}

TEST(a_finding_is_one_line_and_cut_to_its_room)
{
    const stele_diag diag = {.code = stele_code_find("STE001"),
                             .source = "a\033b",
                             .offset = 12,
                             .expected = "this",
                             .found = "that"};
    char text[128], small[8];
    const size_t size = stele_diag_line(&diag, false, text, sizeof text);
    CHECK_EQ_U64(size, strlen(text));
    CHECK_EQ_STR(text, "a\\x1bb:12: error STE001 input cannot be read: expected this, found that");
    CHECK_EQ_U64(stele_diag_line(&diag, false, small, sizeof small), 7);
    CHECK_EQ_STR(small, "a\\x1bb:");
    CHECK_EQ_U64(stele_diag_line(&diag, false, NULL, 0), 0);
}

TEST(any_text_becomes_visible)
{
    char text[32];
    stele_visible("two\nlines", text, sizeof text);
    CHECK_EQ_STR(text, "two\\x0alines");
}
