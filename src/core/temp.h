/* SPDX-License-Identifier: Apache-2.0 */
/* Temporary files without a name. */
#ifndef CORE_TEMP_H
#define CORE_TEMP_H

/* Creates a file in `dir`, for reading and writing, that is gone when it is closed, however the
   program ends. -1 when the system refuses; errno says why. */
int temp_open(const char *dir);

#endif
