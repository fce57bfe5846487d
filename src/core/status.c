/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of statuses, and the version of the library. */
#include <stele/version.h>

const char *stele_status_text(stele_status status)
{
    static const char *const texts[] = {
        [STELE_OK] = "done",
        [STELE_END] = "end of input",
        [STELE_ERR_ARGUMENT] = "wrong argument",
        [STELE_ERR_MEMORY] = "out of memory",
        [STELE_ERR_READ] = "input cannot be read",
        [STELE_ERR_WRITE] = "output cannot be written",
        [STELE_ERR_CLOSED] = "ended by the caller, or the reader of a pipe closed it",
        [STELE_ERR_EXISTS] = "output exists already",
        [STELE_ERR_FORMAT] = "format not recognised",
        [STELE_ERR_DAMAGED] = "too damaged to be read",
        [STELE_ERR_LIMIT] = "limit reached",
        [STELE_ERR_UNSUPPORTED] = "not supported here",
        [STELE_ERR_CLOCKS] = "clocks without known relation",
    };
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

unsigned stele_version_number(void)
{
    return STELE_VERSION_NUMBER;
}

const char *stele_version(void)
{
    return STELE_VERSION;
}
