/* SPDX-License-Identifier: Apache-2.0 */
/* Checks records by all rules of the format that reading does not need. */
#ifndef FXT_CHECK_H
#define FXT_CHECK_H

#include "formats/fxt/records/walk.h"

/* Reports what is wrong with a record by itself. `is_first` if it begins the trace. */
void fxt_check_record(diag_sink *diag, const char *source, const stele_fxt_record *r,
                      const walk_record *at, bool is_first);

#endif
