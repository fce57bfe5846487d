/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/spans.h"

const span_members span_members_of[STELE_KIND_COUNT] = {
    [STELE_KIND_COMPLETE] = {"duration_ns", NULL, false},
    [STELE_KIND_BEGIN] = {NULL, "function", true},
    [STELE_KIND_END] = {NULL, "function", true},
    [STELE_KIND_TAIL_EXIT] = {NULL, "function", true},
    [STELE_KIND_COUNTER] = {NULL, "counter_id", false},
    [STELE_KIND_ASYNC_BEGIN] = {NULL, "correlation_id", true},
    [STELE_KIND_ASYNC_STEP] = {NULL, "correlation_id", true},
    [STELE_KIND_ASYNC_END] = {NULL, "correlation_id", true},
    [STELE_KIND_FLOW_BEGIN] = {NULL, "correlation_id", true},
    [STELE_KIND_FLOW_STEP] = {NULL, "correlation_id", true},
    [STELE_KIND_FLOW_END] = {NULL, "correlation_id", true},
    [STELE_KIND_SWITCH] = {"outgoing", "incoming", false},
    [STELE_KIND_WAKE] = {NULL, "woken", false},
    [STELE_KIND_LOG] = {"severity", NULL, false},
    [STELE_KIND_BLOB] = {"size", "offset", false},
    [STELE_KIND_OBJECT] = {"object_kind", "object", true},
    [STELE_KIND_SAMPLE] = {"calls", "time", false},
    [STELE_KIND_SYSCALL] = {"number", NULL, false},
    [STELE_KIND_SNAPSHOT] = {"number", NULL, false},
    [STELE_KIND_METADATA] = {"value", "id", false},
    [STELE_KIND_INSN] = {"opcode", "pc", true},
    [STELE_KIND_LOAD] = {"value", "address", true},
    [STELE_KIND_STORE] = {"value", "address", true}};
