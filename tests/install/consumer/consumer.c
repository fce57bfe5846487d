/* SPDX-License-Identifier: Apache-2.0 */
/* A program of somebody else. Its own arena_new() must not clash with names inside the library.
   With a trace and a path it profiles the trace and converts it to JSON. */
#include <stele/stele.h>

#include <stdio.h>

int arena_new(void);

int arena_new(void)
{
    return 7;
}

static void convert_and_profile(stele_reader *reader, stele_writer *writer, stele_profile *profile)
{
    stele_status status;
    stele_segment segment;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        status = stele_profile_add(profile, &segment);
        if (status == STELE_OK)
            status = stele_writer_write(writer, &segment);
        if (status != STELE_OK)
            break;
    }
    if (status == STELE_END)
        status = stele_profile_finish(profile);
    if (status == STELE_OK)
        status = stele_writer_finish(writer);
    if (status != STELE_OK)
        fprintf(stderr, "%s\n", stele_status_text(status));
}

/* Prints "NAME CALLS" lines, sorted by name. */
static void show_profile(const stele_context *context, stele_profile *profile)
{
    const stele_profile_row *rows;
    size_t count;
    if (stele_profile_rows(profile, STELE_PROFILE_BY_NAME, &rows, &count) != STELE_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        const stele_text name = stele_name_text(context, NULL, rows[i].name);
        printf("%.*s %llu\n", (int)name.size, name.bytes, (unsigned long long)rows[i].count);
    }
}

static int use_trace(stele_context *context, const char *from, const char *to)
{
    stele_trace *trace = NULL;
    stele_reader *reader = NULL;
    stele_writer *writer = NULL;
    stele_profile *profile = NULL;
    const stele_profile_options all = STELE_INIT(stele_profile_options);
    const int is_open = stele_trace_open(context, from, NULL, &trace) == STELE_OK &&
                        stele_reader_open(context, &trace, 1, NULL, &reader) == STELE_OK &&
                        stele_writer_open(context, to, "json", NULL, &writer) == STELE_OK &&
                        stele_profile_new(context, &all, &profile) == STELE_OK;
    if (is_open) {
        convert_and_profile(reader, writer, profile);
        show_profile(context, profile);
    }
    stele_profile_free(profile);
    stele_writer_close(writer);
    stele_reader_close(reader);
    stele_trace_close(trace);
    return is_open ? 0 : 1;
}

int main(int argc, char **argv)
{
    stele_context *context = NULL;
    int code = 0;
    if (stele_context_new(NULL, &context) != STELE_OK)
        return 1;
    if (argc == 3)
        code = use_trace(context, argv[1], argv[2]);
    else
        printf("stele %s %d\n", stele_version(), arena_new());
    stele_context_free(context);
    return code;
}
