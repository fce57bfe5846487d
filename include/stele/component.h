/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries that Stele works with: for reports of faults, and to know what this build can do.
   All functions of this header may be called from any thread. */
#ifndef STELE_COMPONENT_H
#define STELE_COMPONENT_H

#include <stele/version.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_component {
    size_t struct_size;  /* sizeof this struct, which the caller sets: see <stele/version.h> */
    const char *name;    /* "zstd" */
    const char *purpose; /* what Stele does with it: "what is packed with zstd" */
    /* False: this build was made without the library, or, for one that is loaded at need, this
       machine does not have it. */
    bool is_there;
    char version[32]; /* of the library that is loaded; "" if is_there is false */
    bool is_late;     /* true: this build loads the library when it is needed, not at its start */
} stele_component;

/* Gives the component with this index, from 0 on. Returns false past the last one. Components whose
   is_there is false are listed, too. Libraries that are loaded at need are loaded by this call. */
STELE_API bool stele_component_get(size_t index, stele_component *component);

/* Gives the same without loading anything: of components that are loaded at need, is_there is false
   and the version is "". */
STELE_API bool stele_component_peek(size_t index, stele_component *component);

#ifdef __cplusplus
}
#endif
#endif
