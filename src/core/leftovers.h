/* SPDX-License-Identifier: Apache-2.0 */
/* Files of an earlier trace in a folder that was written to again. They could be files of the user,
   so they stay; but they would be read as part of the new trace, so they are reported. */
#ifndef CORE_LEFTOVERS_H
#define CORE_LEFTOVERS_H

#include "core/output.h"

/* To be called when the added files are in place. Reports STE012 if there are other files below the
   folder. */
stele_status leftovers_tell(const output *folder);

#endif
