/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are wrong are refused with a status, and with a finding where there is a context. */
#include <stele/stele.h>

#include <stdio.h>
#include <string.h>

#include "test.h"

#define HEPH STELE_SOURCE_DIR "/src/formats/heph/good/heph_tracing_example.bin.log"
#define XRAY STELE_SOURCE_DIR "/src/formats/xray/good/events.14.fdr5.ns.xray"

static stele_trace *open_in(stele_context *context)
{
    stele_trace *trace;
    REQUIRE(stele_trace_open(context, HEPH, NULL, &trace) == STELE_OK);
    return trace;
}

static stele_context *make_context(void)
{
    stele_context *context;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    return context;
}

/* Opens a reader with a request, and checks that it is refused with one finding. */
static void refused(const stele_request *request)
{
    stele_context *context = make_context();
    stele_trace *trace = open_in(context);
    stele_reader *reader;
    CHECK_EQ_U64(stele_reader_open(context, &trace, 1, request, &reader), STELE_ERR_ARGUMENT);
    CHECK(reader == NULL);
    CHECK_EQ_U64(stele_context_diag_count(context, STELE_ERROR), 1);
    stele_trace_close(trace);
    stele_context_free(context);
}

TEST(requests_with_words_that_are_none_are_refused)
{
    static const char *const none[] = {"a", NULL};
    refused(&(stele_request){.order = (stele_order)77});
    refused(&(stele_request){.kinds = UINT64_C(1) << 63});
    refused(&(stele_request){.columns = 0x7fff0000});
    refused(&(stele_request){.begin.kind = (stele_bound_kind)99});
    refused(&(stele_request){.end.kind = (stele_bound_kind)99});
    refused(&(stele_request){.names = {none, 2}});
    refused(&(stele_request){.categories = {NULL, 1}});
    refused(&(stele_request){.struct_size = sizeof(stele_request), .window_ns = -3});
    refused(
        &(stele_request){.struct_size = sizeof(stele_request), .fields = none, .field_count = 2});
}

TEST(traces_that_are_none_or_of_another_context_are_refused)
{
    stele_context *context = make_context(), *other = make_context();
    stele_trace *traces[2] = {open_in(context), NULL};
    stele_reader *reader;
    stele_event event;
    uint32_t parts;
    size_t count;
    CHECK(stele_reader_open(context, traces, 2, NULL, &reader) == STELE_ERR_ARGUMENT);
    CHECK(stele_reader_open(other, traces, 1, NULL, &reader) == STELE_ERR_ARGUMENT);
    CHECK(stele_reader_parts(other, traces, 1, NULL, 4, &parts) == STELE_ERR_ARGUMENT);
    CHECK(stele_trace_open(context, NULL, NULL, &traces[1]) == STELE_ERR_ARGUMENT);
    CHECK(traces[1] == NULL);
    REQUIRE(stele_reader_open(context, traces, 1, NULL, &reader) == STELE_OK);
    CHECK(stele_reader_read(reader, &event, 0, &count) == STELE_ERR_ARGUMENT);
    CHECK(stele_reader_read(reader, &event, 1, &count) == STELE_OK);
    stele_reader_close(reader);
    stele_trace_close(traces[0]);
    stele_context_free(other);
    stele_context_free(context);
}

TEST(options_of_analyses_that_are_none_are_refused)
{
    stele_context *context = make_context();
    stele_profile *profile;
    stele_stats *stats;
    const stele_profile_row *rows;
    const char *error = NULL;
    stele_bound bound;
    size_t count;
    CHECK(stele_profile_new(context,
                            &(stele_profile_options){.struct_size = sizeof(stele_profile_options),
                                                     .by_track = true,
                                                     .by_path = true},
                            &profile) == STELE_ERR_ARGUMENT);
    REQUIRE(stele_profile_new(context, NULL, &profile) == STELE_OK);
    CHECK(stele_profile_rows(profile, (stele_profile_order)55, &rows, &count) ==
          STELE_ERR_ARGUMENT);
    CHECK(stele_profile_rows(profile, STELE_PROFILE_BY_NAME, &rows, &count) == STELE_OK);
    stele_profile_free(profile);
    CHECK(stele_stats_new(context, &(stele_stats_options){.rows = (stele_stats_rows)44}, &stats) ==
          STELE_ERR_ARGUMENT);
    CHECK(!stele_bound_parse("x", &bound, NULL));
    CHECK(!stele_bound_parse("x", &bound, &error) && error != NULL);
    stele_context_free(context);
}

/* Names that a format itself needs cannot be local to a batch. */
TEST(a_pool_that_is_too_small_for_the_names_of_a_format_is_a_limit)
{
    static const char *const paths[] = {HEPH, XRAY};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const stele_limits limits = {.names_size_max = 64};
        const stele_context_options options = {.limits = &limits};
        stele_context *context;
        stele_trace *trace;
        stele_reader *reader = NULL;
        stele_status status;
        REQUIRE(stele_context_new(&options, &context) == STELE_OK);
        status = stele_trace_open(context, paths[i], NULL, &trace);
        if (status == STELE_OK)
            status = stele_reader_open(context, &trace, 1, NULL, &reader);
        CHECK_EQ_U64(status, STELE_ERR_LIMIT);
        CHECK(stele_context_diag_count(context, STELE_ERROR) +
                  stele_context_diag_count(context, STELE_WARNING) >
              0);
        stele_reader_close(reader);
        stele_trace_close(trace);
        stele_context_free(context);
    }
}

/* NULL is what handles are after an error, so that all can be ended without looking at them. */
TEST(what_ends_handles_ignores_null)
{
    stele_trace_close(NULL);
    stele_reader_close(NULL);
    stele_writer_close(NULL);
    stele_copier_close(NULL);
    stele_output_close(NULL);
    stele_batch_free(NULL);
    stele_profile_free(NULL);
    stele_stats_free(NULL);
    stele_expression_free(NULL);
    stele_schema_free(NULL);
    stele_spans_free(NULL);
    stele_pairing_free(NULL);
    stele_intersection_free(NULL);
    stele_overview_close(NULL);
    stele_scan_close(NULL);
    stele_symbols_free(NULL);
    stele_context_free(NULL);
}

/* What a program is told about writers is what they take. */
TEST(versions_and_settings_of_writers_are_listed)
{
    stele_format_info info = STELE_INIT(stele_format_info);
    REQUIRE(stele_format_find("ctf", &info));
    CHECK_EQ_STR(info.versions, "1.8, 2, rfc");
    REQUIRE(stele_format_find("fxt", &info));
    CHECK_EQ_STR(info.versions, "");
    for (size_t i = 0; stele_format_get(i, &info); i++) {
        char version[64];
        for (const char *at = info.versions; *at != 0;) {
            const size_t size = strcspn(at, ",");
            stele_context *context = make_context();
            stele_writer_options options = STELE_INIT(stele_writer_options);
            stele_writer *writer;
            stele_output *out;
            snprintf(version, sizeof version, "%.*s", (int)size, at);
            options.version = version;
            options.replace = true;
            at += size + strspn(at + size, ", ");
            REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
            if (strcmp(info.name, "ctf") != 0) { /* which is a folder */
                CHECK_EQ_U64(stele_writer_open_output(context, out, info.name, &options, &writer),
                             STELE_OK);
                stele_writer_close(writer);
            }
            stele_output_close(out);
            stele_context_free(context);
        }
    }
}

/* A clock is for events that the program makes, and not for traces that have clocks. */
TEST(a_clock_is_refused_where_streams_have_their_own)
{
    stele_context *context = make_context();
    stele_trace *trace = open_in(context);
    const stele_clock clock = {.domain = 1, .has_wall = true, .wall_ns = 1000};
    stele_writer_options options = STELE_INIT(stele_writer_options);
    stele_writer *writer;
    stele_reader *reader;
    stele_output *out;
    REQUIRE(stele_reader_open(context, &trace, 1, NULL, &reader) == STELE_OK);
    options.clock = &clock;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    CHECK_EQ_U64(stele_writer_open_output(context, out, "fxt", &options, &writer),
                 STELE_ERR_ARGUMENT);
    CHECK(writer == NULL);
    CHECK_EQ_U64(stele_context_diag_count(context, STELE_ERROR), 1);
    stele_output_close(out);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
}
