/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TEMP_H
#define CLI_TEMP_H

/* The folder for temporary files: that of TMPDIR, or else the system's. */
const char *temp_dir(void);

#endif
