/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/read/names.h"

stele_name names_learn(names_slot *slot, names_slot wanted, stele_context *context,
                       stele_batch *batch, const char *input_name)
{
    wanted.name =
        context_name(context, batch, wanted.bytes, wanted.size, input_name, STELE_NO_OFFSET);
    if ((wanted.name & STELE_NAME_LOCAL) == 0) {
        wanted.bytes = stele_name_text(context, NULL, wanted.name).bytes;
        *slot = wanted;
    }
    return wanted.name;
}
