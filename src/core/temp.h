/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files without a name. */
#ifndef CORE_TEMP_H
#define CORE_TEMP_H

/* Creates a file in `dir`, for reading and writing, that has no name and vanishes when it is closed
   or the program ends. Returns its descriptor; -1 if the system refuses: errno says why. */
int temp_open(const char *dir);

#endif
