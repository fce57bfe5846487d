/* SPDX-License-Identifier: Apache-2.0 */
/* What is embedded in the page of 'stele report': made of src/view/report and of those parts of the
   viewer's page that work from data. */
#ifndef VIEW_REPORT_REPORT_H
#define VIEW_REPORT_REPORT_H

#include <stddef.h>

/* What stands between two tags, as it is. */
typedef struct report_part {
    const unsigned char *bytes;
    size_t size;
    const char *hash; /* as a Content-Security-Policy names it: "sha256-..." */
} report_part;

extern const report_part report_script, report_style;

#endif
