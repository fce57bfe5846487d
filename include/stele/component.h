/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libraries that Stele works with: for reports of faults, and to know what this build can do.
 * What is here may be called from any thread.
 */
#ifndef STELE_COMPONENT_H
#define STELE_COMPONENT_H

#include <stele/version.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_component {
    size_t struct_size;
    const char *name;    /* "zstd" */
    const char *purpose; /* "what is packed with zstd" */
    bool is_there; /* false: this build or, where it is loaded at need, this machine does not have
                      it */
    char version[32]; /* of the library that is loaded now, "" where it is not there */
} stele_component;

/*
 * The component with this index, from 0 on; false past the end. All are listed, also those that are
 * not there. LLVM, which is loaded only when it is needed, is looked for.
 */
STELE_API bool stele_component_get(size_t index, stele_component *component);

#ifdef __cplusplus
}
#endif
#endif
