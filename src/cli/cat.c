/* SPDX-License-Identifier: Apache-2.0 */
/* stele cat: prints events in the order of time. */
#include <stele/analysis.h>

#include "cli/aligning.h"
#include "cli/cli.h"
#include "cli/sinking.h"

#define AROUND_MAX 1000000u

typedef struct cat {
    cli *c;
    stele_sink_info to;
    stele_writer *writer; /* NULL until the reader is open */
    stele_tail *tail;     /* keeps the last events; NULL: events are shown as they come */
    stele_near *near;     /* selects events with neighbours; NULL: the reader selects them */
    uint64_t left;        /* how many events are still to be shown */
} cat;

static stele_status cat_ready(void *user, const stele_reader_stats *stats)
{
    cat *self = user;
    const stele_status status =
        sinking_open(self->c, self->to.name, self->c->out, stats, &self->writer);
    self->c->shown = status == STELE_OK ? self->writer : NULL;
    return status;
}

static stele_status cat_take(void *user, const stele_segment *segment)
{
    cat *self = user;
    stele_segment shown = *segment;
    stele_status status;
    if (self->tail != NULL)
        return stele_tail_add(self->tail, segment);
    if (shown.count > self->left)
        shown.count = (uint32_t)self->left;
    self->left -= shown.count;
    status = stele_writer_write(self->writer, &shown);
    if (status == STELE_OK && self->c->is_streaming)
        status = stele_output_flush(self->c->out);
    return status == STELE_OK && self->left == 0 ? STELE_END : status;
}

static stele_status cat_select(void *user, const stele_segment *segment)
{
    const cat *self = user;
    return stele_near_add(self->near, segment);
}

/* Makes the selection of events with neighbours, or between others, which the reader cannot do. */
static bool make_near(cat *self, selection *s)
{
    cli *c = self->c;
    stele_request only = s->request;
    const uint64_t around = option_number(&c->options, OPTION_AROUND);
    const stele_near_options given = {.before = (uint32_t)around,
                                      .after = (uint32_t)around,
                                      .only = &only,
                                      .between = option_value(&c->options, OPTION_BETWEEN)};
    if (around == 0 && given.between == NULL)
        return true;
    if (around > AROUND_MAX)
        return cli_usage(c, "--context takes %u at most", AROUND_MAX);
    s->request.kinds = 0;
    s->request.where = NULL;
    s->request.names = s->request.categories = s->request.tracks = (stele_globs){.count = 0};
    return cli_check(c, stele_near_new(c->context, &given, cat_take, self, &self->near), "cat");
}

static stele_status cat_write_tail(cat *self)
{
    stele_segment segment;
    stele_status status = STELE_OK;
    while (status == STELE_OK && stele_tail_take(self->tail, &segment))
        status = stele_writer_write(self->writer, &segment);
    return status;
}

static void cat_traces(cat *self, const inputs *in, selection *s)
{
    cli *c = self->c;
    const consumer to = {
        .ready = cat_ready, .take = self->near != NULL ? cat_select : cat_take, .user = self};
    stele_reader_stats stats = {0};
    s->request.columns = self->to.columns;
    if (self->near != NULL && s->request.columns != 0)
        s->request.columns |= stele_near_columns(self->near);
    cli_check(c, cli_read(c, in->traces, in->count, &s->request, &to, &stats), "reading");
    /* Show what was read before an error. */
    if (self->writer != NULL && !c->is_closed) {
        if (self->tail == NULL || cli_check(c, cat_write_tail(self), "standard output"))
            cli_check(c, stele_writer_finish(self->writer), "standard output");
    }
    if (self->near != NULL && self->left != 0 && !c->is_closed)
        stele_near_report(self->near);
    cli_conclude(c, NULL, &stats);
}

static bool choose_sink(cli *c, stele_sink_info *to)
{
    const options *o = &c->options;
    const bool is_json = option_given(o, OPTION_JSON), is_csv = option_given(o, OPTION_CSV);
    const bool is_pretty = option_given(o, OPTION_CTF_PRETTY);
    return stele_sink_find(is_json     ? "json"
                           : is_csv    ? "csv"
                           : is_pretty ? "ctf-pretty"
                                       : "text",
                           to);
}

static bool make_tail(cat *self)
{
    const options *o = &self->c->options;
    return !option_given(o, OPTION_TAIL) ||
           cli_check(self->c, stele_tail_new(option_number(o, OPTION_TAIL), &self->tail), "--tail");
}

void command_CAT(cli *c)
{
    const options *o = &c->options;
    cat self = {.c = c,
                .to = STELE_INIT(stele_sink_info),
                .left =
                    option_given(o, OPTION_LIMIT) ? option_number(o, OPTION_LIMIT) : UINT64_MAX};
    selection s = {.names = NULL};
    inputs in = {.count = 0};
    c->is_streaming = c->is_screen;
    if (choose_sink(c, &self.to) && sinking_fits(c, self.to.name) && selection_make(c, &s) &&
        make_tail(&self) && make_near(&self, &s) && inputs_open(c, &in) && inputs_align(c, &in))
        cat_traces(&self, &in, &s);
    stele_near_free(self.near);
    stele_tail_free(self.tail);
    c->shown = NULL;
    stele_writer_close(self.writer);
    inputs_close(&in);
    selection_free(&s);
}
