/* SPDX-License-Identifier: Apache-2.0 */
#include "core/diag.h"

#include "support.h"

TEST(findings_are_counted_and_handed_over)
{
    findings f;
    diag_sink *sink = findings_sink(&f);
    diag_report(sink, &core_codes[STE003], "trace.gz", 12, 3, "a %", "%s and %d", "text", 5);
    CHECK_EQ_U64(f.count, 1);
    CHECK_EQ_STR(f.code, "STE003");
    CHECK_EQ_STR(f.source, "trace.gz");
    CHECK_EQ_STR(f.found, "text and 5");
    CHECK_EQ_U64(f.offset, 12);
    diag_report(sink, &core_codes[STE011], "x", 0, 0, NULL, "y");
    diag_report(sink, &core_codes[STE011], "x", 0, 0, NULL, "y");
    CHECK_EQ_U64(sink->counts[STELE_NOTE], 0);
    CHECK_EQ_U64(sink->counts[STELE_WARNING], 2);
    CHECK_EQ_U64(sink->counts[STELE_ERROR], 1);
}

TEST(without_a_handler_findings_are_counted)
{
    diag_sink sink = {0};
    diag_report(&sink, &core_codes[STE003], "x", 0, 0, NULL, "%d", 1);
    CHECK_EQ_U64(sink.counts[STELE_ERROR], 1);
}

TEST(long_texts_are_cut)
{
    findings f;
    char text[600];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    diag_report(findings_sink(&f), &core_codes[STE003], "x", 0, 0, NULL, "%s", text);
    CHECK_EQ_U64(strlen(f.found), 255);
}

TEST(one_of_what_was_found_is_singular)
{
    findings f;
    diag_report(findings_sink(&f), &core_codes[STE003], "x", 0, 0, NULL,
                "%d bytes, %d packets; 11 bytes, 0.1 bytes, 2,001 bytes, 'lane 1 events', %d names",
                1, 1, 1);
    CHECK_EQ_STR(f.found,
                 "1 byte, 1 packet; 11 bytes, 0.1 bytes, 2,001 bytes, 'lane 1 events', 1 name");
}

TEST(every_code_says_what_why_and_what_to_do)
{
    for (unsigned i = 0; i < CORE_CODE_COUNT; i++) {
        const stele_code *code = &core_codes[i];
        char expected[8];
        snprintf(expected, sizeof expected, "STE%03u", i + 1);
        CHECK_EQ_STR(code->code, expected);
        CHECK(strlen(code->title) > 5 && strlen(code->why) > 20 && strlen(code->mend) > 10);
    }
}

TEST(every_severity_has_a_word)
{
    CHECK_EQ_STR(stele_severity_text(STELE_NOTE), "note");
    CHECK_EQ_STR(stele_severity_text(STELE_WARNING), "warning");
    CHECK_EQ_STR(stele_severity_text(STELE_ERROR), "error");
    CHECK_EQ_STR(stele_severity_text((stele_severity)99), "error");
}
