/* SPDX-License-Identifier: Apache-2.0 */
#include "stele_config.h"

__attribute__((visibility("default"))) const char *stele_version(void);

const char *stele_version(void)
{
    return STELE_VERSION;
}
