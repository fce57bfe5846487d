/* SPDX-License-Identifier: Apache-2.0 */
/* Answers a question of the page, and keeps the findings that come up while it is answered. */
#include <stele/text.h>

#include <stdlib.h>
#include <string.h>

#include "view/viewer.h"

/* ---- Findings -------------------------------------------------------------------------------- */

void view_findings_add(void *user, const stele_diag *diag)
{
    view_findings *f = user;
    stele_diag_line(diag, false, f->last, sizeof f->last);
    if (!f->is_kept || f->is_muted)
        return;
    f->counts[diag->code->severity]++;
    if (f->lines == NULL)
        f->lines = malloc(VIEW_FINDINGS_MAX * sizeof *f->lines);
    if (f->lines == NULL || f->count == VIEW_FINDINGS_MAX)
        f->left_out++;
    else
        memcpy(f->lines[f->count++], f->last, sizeof f->last);
}

void view_findings_free(view_findings *f)
{
    free(f->lines);
    *f = (view_findings){.count = 0};
}

/* ---- Answers --------------------------------------------------------------------------------- */

static stele_status answer_sql(const viewer *v, const question *q, stele_output *out)
{
    if (v->options.sql == NULL)
        return STELE_ERR_UNSUPPORTED;
    return v->options.sql(v->options.sql_user, q->where, out);
}

static stele_status dispatch(viewer *v, const question *q, stele_output *out)
{
    switch (q->kind) {
    case QUESTION_INFO: return answer_info(v, out);
    case QUESTION_WINDOW: return answer_window(v, q, out);
    case QUESTION_SPAN: return answer_span(v, q, out);
    case QUESTION_MARK: return answer_mark(v, q, out);
    case QUESTION_PROFILE: return answer_profile(v, q, out);
    case QUESTION_SEARCH: return answer_search(v, q, out);
    case QUESTION_NEXT: return answer_next(v, q, out);
    case QUESTION_ROWS: return answer_rows(v, q, out);
    case QUESTION_CUT: return answer_cut(v, q, out);
    case QUESTION_FLAME: return answer_flame(v, q, out);
    case QUESTION_STATES: return answer_states(v, q, out);
    case QUESTION_RECORD: return answer_record(v, q, out);
    case QUESTION_CODE: return answer_code(v, q, out);
    case QUESTION_SQL: return answer_sql(v, q, out);
    case QUESTION_FILE: break;
    }
    return STELE_ERR_ARGUMENT;
}

/* Returns what a question lacks that cannot be answered without it, NULL if it lacks nothing. */
static const char *missing(const question *q)
{
    const bool has_stretch = q->begin_ns != INT64_MIN && q->end_ns != INT64_MAX;
    switch (q->kind) {
    case QUESTION_WINDOW:
        return has_stretch && q->begin_ns < q->end_ns ? NULL : "begin and end must be given";
    case QUESTION_SPAN:
    case QUESTION_MARK: return q->at_ns != INT64_MIN ? NULL : "at must be given";
    case QUESTION_SEARCH: return q->where[0] != 0 ? NULL : "where must be given";
    case QUESTION_SQL: return q->where[0] != 0 ? NULL : "sql must be given";
    case QUESTION_NEXT:
        return q->at_ns != INT64_MIN && (q->limit != 0 || q->name[0] != 0)
                   ? NULL
                   : "at and a name must be given";
    case QUESTION_CUT: return q->format[0] != 0 ? NULL : "format must be given";
    default: return NULL;
    }
}

void view_put_error(stele_output *out, const char *why)
{
    stele_json j = {.out = out, .is_line = true};
    stele_json_open(&j, NULL, '{');
    view_put_text(&j, "error", why);
    stele_json_close(&j, '}');
}

static void put_error(stele_output *out, view_answer *answer, unsigned code, const char *why)
{
    *answer = (view_answer){.type = "application/json", .code = code};
    view_put_error(out, why);
}

stele_status viewer_answer(viewer *v, const question *q, stele_output *out, view_answer *answer)
{
    const char *lacks = missing(q);
    view_findings *findings = v->options.findings;
    stele_status status;
    *answer = (view_answer){.type = "application/json", .code = 200};
    if (q->kind == QUESTION_ROWS)
        *answer = (view_answer){"text/csv; charset=utf-8", "events.csv", 200};
    if (q->kind == QUESTION_CUT)
        *answer = (view_answer){"application/octet-stream", "cut", 200};
    if (lacks != NULL) {
        put_error(out, answer, 400, lacks);
        return STELE_OK;
    }
    if (findings != NULL)
        findings->last[0] = 0;
    status = dispatch(v, q, out);
    if (status == STELE_ERR_ARGUMENT || status == STELE_ERR_FORMAT || status == STELE_ERR_CLOCKS ||
        status == STELE_ERR_UNSUPPORTED) {
        put_error(out, answer, 400,
                  findings != NULL && findings->last[0] != 0 ? findings->last
                                                             : stele_status_text(status));
        return STELE_OK;
    }
    return status;
}
