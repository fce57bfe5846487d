/* SPDX-License-Identifier: Apache-2.0 */
/* What is embedded in the page of 'stele report': made from src/view/report and from the parts
   of the viewer's page that work on data alone. */
#ifndef VIEW_REPORT_REPORT_H
#define VIEW_REPORT_REPORT_H

#include <stddef.h>

/* The contents of a script or style element. */
typedef struct report_part {
    const unsigned char *bytes;
    size_t size;
    const char *hash; /* as a Content-Security-Policy has it: "sha256-..." */
} report_part;

extern const report_part report_script, report_style;

#endif
