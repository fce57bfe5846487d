/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and numbers of the XRay formats: seed "Header Section", "Metadata Records", FORMAT.md. */
#ifndef XRAY_RECORDS_LAYOUT_H
#define XRAY_RECORDS_LAYOUT_H

#define XRAY_HEADER_SIZE   32u
#define XRAY_FUNCTION_SIZE 8u
#define XRAY_METADATA_SIZE 16u
#define XRAY_BASIC_SIZE    32u

#define XRAY_VERSION_MAX 5u
#define XRAY_TYPE_BASIC  0u
#define XRAY_TYPE_FDR    1u

/* Kinds of metadata records of FDR mode, in the seven bits besides the discriminant. */
enum {
    XRAY_META_NEW_BUFFER = 0,
    XRAY_META_END_OF_BUFFER = 1, /* version 1 only */
    XRAY_META_NEW_CPU = 2,
    XRAY_META_TSC_WRAP = 3,
    XRAY_META_WALL_TIME = 4,
    XRAY_META_CUSTOM_EVENT = 5,
    XRAY_META_CALL_ARGUMENT = 6,
    XRAY_META_EXTENTS = 7,     /* from version 2 */
    XRAY_META_TYPED_EVENT = 8, /* from version 2 */
    XRAY_META_PID = 9,         /* from version 3 */
    XRAY_META_COUNT
};

/* Actions of function records, and kinds of basic-mode records. */
enum {
    XRAY_ACTION_ENTER = 0,
    XRAY_ACTION_EXIT = 1,
    XRAY_ACTION_TAIL_EXIT = 2,
    XRAY_ACTION_ENTER_ARGS = 3,
    XRAY_ACTION_COUNT
};

/* Profiling files: "xray prof" read as a little-endian number. */
#define XRAY_PROFILE_MAGIC       UINT64_C(0x7872617970726f66)
#define XRAY_PROFILE_VERSION     UINT64_C(0x20180424)
#define XRAY_PROFILE_HEADER_SIZE 32u
#define XRAY_PROFILE_BLOCK_SIZE  16u

#endif
