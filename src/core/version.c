/* SPDX-License-Identifier: Apache-2.0 */

__attribute__((visibility("default"), weak)) const char *stele_version(void);

const char *stele_version(void)
{
    return STELE_VERSION;
}
