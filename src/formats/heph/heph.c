/* SPDX-License-Identifier: Apache-2.0 */
/* The format's entry in the registry, and how it is recognised. */
#include "formats/heph/trace.h"

#include <stdio.h>

#include "core/path.h"
#include "formats/receive.h"

#define HEPH_EXTENSIONS ".heph .bin.log"

/* The recognition looks past this many damaged bytes at the front of the input. */
#define PROBE_OFFSET_MAX 4096u

/* The magic numbers were made for this format, so a packet that is valid after one leaves no
   doubt. */
static int heph_probe(const format_probe *probe, char *reason)
{
    heph_packet packet;
    stele_heph_kind kind;
    uint32_t size;
    if (probe->head == NULL)
        return PROBE_NO;
    for (size_t i = 0; i <= PROBE_OFFSET_MAX && i + HEPH_HEADER_SIZE <= probe->head_size; i++) {
        kind = heph_packet_kind(probe->head + i, &size);
        if (kind == STELE_HEPH_NONE)
            continue;
        if (i == 0) {
            snprintf(reason, PROBE_REASON_SIZE, "begins with the magic number of %s packet",
                     kind == STELE_HEPH_EVENT ? "an event" : "a metadata");
            return PROBE_SURE;
        }
        if (size <= probe->head_size - i &&
            (heph_packet_decode(&packet, kind, STELE_HEPH_SUBSTREAMS, probe->head + i, size) == 0 ||
             heph_packet_decode(&packet, kind, STELE_HEPH_NO_SUBSTREAMS, probe->head + i, size) ==
                 0)) {
            snprintf(reason, PROBE_REASON_SIZE, "a sound %s packet at offset %zu",
                     kind == STELE_HEPH_EVENT ? "event" : "metadata", i);
            return PROBE_STRONG;
        }
    }
    if (!path_has_extension(probe->name, HEPH_EXTENSIONS))
        return PROBE_NO;
    snprintf(reason, PROBE_REASON_SIZE, "by the extension of its name only");
    return PROBE_NAME;
}

const format format_heph = {
    .name = "heph",
    .versions = HEPH_VERSION ", " HEPH_VERSION_OLD,
    .title = "Heph trace",
    .extensions = HEPH_EXTENSIONS,
    .probe = heph_probe,
    .trace_size = sizeof(heph_trace),
    .ops = &heph_ops,
    .dump = heph_dump,
    .writer = heph_writer_open,
    .copier = heph_copier_open,
    .receiver = &heph_receiver,
    .read_kinds = STELE_KIND_BIT(STELE_KIND_COMPLETE),
    .written_kinds =
        STELE_KINDS_ALL & ~(STELE_KIND_BIT(STELE_KIND_BLOB) | STELE_KIND_BIT(STELE_KIND_INSN) |
                            STELE_KIND_BIT(STELE_KIND_LOAD) | STELE_KIND_BIT(STELE_KIND_STORE)),
    .codes = heph_codes,
    .code_count = HEPH_CODE_COUNT,
};
