/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TEMP_H
#define CLI_TEMP_H

/* The folder of temporary files: what TMPDIR names, else the system's. */
const char *temp_dir(void);

#endif
