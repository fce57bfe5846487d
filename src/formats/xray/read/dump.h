/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_DUMP_H
#define XRAY_READ_DUMP_H

#include "formats/format.h"

/* Gives every record of the file to the callback of the request, in the words of the format. */
stele_status xray_dump(stele_trace *trace, const dump_request *request);

#endif
