/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a trace to another format, and says what that format could not carry. */
#include <stele/stele.h>

#include <stdio.h>

/* Receives findings: each has a file, an offset, what was expected and what was found. */
static void show(void *user, const stele_diag *diag)
{
    char line[512];
    (void)user;
    stele_diag_line(diag, false, line, sizeof line);
    fprintf(stderr, "%s\n", line);
}

int main(int argc, char **argv)
{
    const stele_context_options options = {.diag = show};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_writer *writer;
    stele_segment segment;
    stele_status status;
    stele_loss loss = STELE_INIT(stele_loss);
    if (argc != 4) {
        fprintf(stderr, "usage: convert IN OUT FORMAT\n");
        return 2;
    }
    /* Names and tracks are numbers of a context, so reader and writer use the same one. */
    if (stele_context_new(&options, &context) != STELE_OK ||
        stele_trace_open(context, argv[1], NULL, &trace) != STELE_OK ||
        stele_reader_open(context, &trace, 1, NULL, &reader) != STELE_OK ||
        stele_writer_open(context, argv[2], argv[3], NULL, &writer) != STELE_OK)
        return 1;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        if ((status = stele_writer_write(writer, &segment)) != STELE_OK)
            break;
    }
    if (status == STELE_END)
        status = stele_writer_finish(writer); /* only now the file has its name */
    for (size_t i = 0; stele_writer_get_loss(writer, i, &loss); i++)
        printf("%8llu  %s  %s: %s\n", (unsigned long long)loss.count,
               loss.is_dropped ? "dropped" : "changed", stele_kind_text(loss.kind), loss.what);
    stele_writer_close(writer);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return status == STELE_OK ? 0 : 1;
}
