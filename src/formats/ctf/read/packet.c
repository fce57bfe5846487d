/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds packets, and judges whether their sizes and times are possible (CTF 1.8.3 section 5, CTF 2
 * section 4):
 *
 *    | header | context | event records ... | padding |
 *    |<------------- content length ------->|         |
 *    |<--------------- total length ----------------->|
 */
#include "formats/ctf/read/packet.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include <stele/ctf.h>

#include "core/load.h"
#include "core/path.h"
#include "core/unset.h"

#define HEAD_GUESS       512u /* bytes that most packet heads fit into */
#define CTF_PACKET_MAGIC UINT32_C(0xc1fc1fc1)

/* ---- The class of a file's packets ---- */

/* RFC: whether a file with this name belongs to the section NAME: it is called NAME or
   NAME_<cpu>. */
static bool is_of_section(const char *base, ctf_text name)
{
    const char *rest = base + name.size;
    if (strncmp(base, name.bytes, name.size) != 0)
        return false;
    if (*rest == '\0')
        return true;
    if (*rest != '_' || rest[1] == '\0')
        return false;
    return strspn(rest + 1, "0123456789") == strlen(rest + 1);
}

static const ctf_stream_class *class_of_file(const ctf_schema *schema, const ctf_file *file)
{
    const char *base = path_base(file->name);
    if (schema->generation != CTF_RFC)
        return NULL; /* the packets name their class, unless there is only one */
    if (schema->stream_count == 1)
        return schema->streams[0];
    for (uint32_t i = 0; i < schema->stream_count; i++)
        if (ctf_text_is(schema->streams[i]->identity.name, base))
            return schema->streams[i];
    for (uint32_t i = 0; i < schema->stream_count; i++)
        if (is_of_section(base, schema->streams[i]->identity.name))
            return schema->streams[i];
    return NULL;
}

void packets_init(ctf_packets *packets, const ctf_trace *trace, const ctf_file *file,
                  ctf_decoder *decoder, uint64_t size)
{
    const ctf_subtrace *subtrace = ctf_schema_subtrace(trace, file->subtrace);
    *packets = (ctf_packets){.trace = trace,
                             .file = file,
                             .subtrace = subtrace,
                             .decoder = decoder,
                             .type = class_of_file(&subtrace->schema, file),
                             .size = size};
    decoder_defer(decoder);
}

/* ---- Heads of packets ---- */

typedef struct head_problem {
    ctf_code code;
    uint64_t bit; /* position in the packet, in bits */
    const char *expected;
    char found[160], text[64]; /* `text` is a buffer that `expected` may point to */
    bool is_of_sizes;          /* only the sizes are wrong: the rest of the head is possible */
} head_problem;

__attribute__((format(printf, 5, 6))) static bool problem_set(head_problem *problem, ctf_code code,
                                                              uint64_t bit, const char *expected,
                                                              const char *found, ...)
{
    va_list list;
    problem->code = code;
    problem->bit = bit;
    problem->expected = expected;
    va_start(list, found);
    vsnprintf(problem->found, sizeof problem->found, found, list);
    va_end(list);
    return false;
}

/* Takes over the problem that the decoder found in the head. */
static void problem_take(head_problem *problem, const decoder_problem *from, uint64_t packet_offset)
{
    problem->code = from->code;
    problem->bit = from->offset_bits - packet_offset * 8;
    problem->expected = from->expected[0] != '\0' ? problem->text : NULL;
    memcpy(problem->text, from->expected, sizeof problem->text);
    memcpy(problem->found, from->found, sizeof problem->found);
}

/* Whether the packet's sizes are possible. Sizes that the head does not have are filled in. */
static bool packet_measure(const ctf_packets *packets, ctf_packet *packet, head_problem *problem)
{
    const packet_head *head = &packet->head;
    const uint64_t left_bits = (packets->size - packet->offset) * 8;
    uint64_t total = head->total_bits, content = head->content_bits;
    if ((head->has & CTF_ROLE_TOTAL_LENGTH) == 0)
        total = (head->has & CTF_ROLE_CONTENT_LENGTH) != 0
                    ? content / 8 * 8 + (content % 8 != 0 ? 8 : 0)
                    : left_bits;
    if ((head->has & CTF_ROLE_CONTENT_LENGTH) == 0)
        content = total;
    problem->is_of_sizes = true;
    if (total % 8 != 0)
        return problem_set(problem, CTF403, 0, "a packet of whole bytes", "%" PRIu64 " bits",
                           total);
    if (content > total)
        return problem_set(problem, CTF403, 0, "a content no longer than its packet",
                           "a content of %" PRIu64 " bits in a packet of %" PRIu64, content, total);
    if (total == 0 || content < head->events_at)
        return problem_set(problem, CTF403, 0, "a content that holds its own header",
                           "a content of %" PRIu64 " bits, a header of %" PRIu64, content,
                           head->events_at);
    packet->size = total / 8;
    packet->is_cut = total > left_bits;
    packet->content_bits = packet->is_cut && content > left_bits ? left_bits : content;
    return true;
}

static bool packet_judge(ctf_packets *packets, ctf_packet *packet, head_problem *problem)
{
    const packet_head *head = &packet->head;
    const ctf_schema *schema = &packets->subtrace->schema;
    const uint32_t range = CTF_ROLE_PACKET_BEGIN | CTF_ROLE_PACKET_END;
    if ((head->has & CTF_ROLE_PACKET_MAGIC) != 0 &&
        head->magic == __builtin_bswap32(CTF_PACKET_MAGIC))
        return problem_set(problem, CTF401, 0,
                           "the magic number c1fc1fc1 in the byte order of the metadata",
                           "%" PRIx64 ", which is that of the other byte order", head->magic);
    if ((head->has & CTF_ROLE_PACKET_MAGIC) != 0 && head->magic != CTF_PACKET_MAGIC)
        return problem_set(problem, CTF401, 0, "the magic number c1fc1fc1", "%" PRIx64,
                           head->magic);
    if ((head->has & CTF_ROLE_UUID) != 0 && schema->has_uuid &&
        memcmp(head->uuid, schema->uuid, sizeof schema->uuid) != 0) {
        if (packets->is_searching)
            return problem_set(problem, CTF402, 0, "the UUID of the metadata", "another one");
        if (!packets->is_quiet && !packets->is_stranger)
            ctf_report(packets->trace, CTF402, packets->file->path, packet->offset * 8, 0, 0,
                       "the UUID of the metadata", "another one");
        packets->is_stranger = true;
    }
    if ((head->has & range) == range && head->end_ticks < head->begin_ticks &&
        !(head->end_ticks == 0 && (packets->subtrace->mends & CTF_MEND_CRASH) != 0) &&
        !packets->is_quiet)
        ctf_report(packets->trace, CTF406, packets->file->path, packet->offset * 8, 0, 0,
                   "a packet that ends after its begin", "%" PRIu64 " before %" PRIu64,
                   head->end_ticks, head->begin_ticks);
    return packet_measure(packets, packet, problem);
}

/* ---- Headers of the RFC (section 5): see <stele/ctf.h> ---- */

static bool is_rfc(const ctf_packets *packets)
{
    return packets->subtrace->schema.generation == CTF_RFC;
}

/* Called before the head is decoded: whether byte order and sizes of the RFC's header are
   possible. */
static __attribute__((noinline)) bool rfc_judge(const ctf_packets *packets, const packet_view *view,
                                                head_problem *problem)
{
    stele_ctf_rfc_header header;
    if (view->size < STELE_CTF_RFC_HEADER_SIZE)
        return true;
    if (!stele_ctf_rfc_header_read(view->bytes, &header))
        return problem_set(problem, CTF401, 0, "the magic number c1fc1fc1", "%" PRIx32,
                           load_be32(view->bytes));
    if (header.is_big_endian != packets->subtrace->schema.is_big_endian)
        return problem_set(problem, CTF401, 0, "the magic number in the byte order of the metadata",
                           "the other byte order");
    if (header.content_size < STELE_CTF_RFC_HEADER_SIZE)
        return problem_set(problem, CTF314, 64, "a content_size of at least the header's 48 bytes",
                           "%" PRIu32, header.content_size);
    if (header.content_size > header.packet_size)
        return problem_set(problem, CTF314, 96, "a packet_size of at least the content_size",
                           "%" PRIu32 " for a content of %" PRIu32, header.packet_size,
                           header.content_size);
    return true;
}

/* Called after the head is decoded: takes the number of significant bits of the sequence number,
   and checks that the packet belongs to this trace. */
static __attribute__((noinline)) bool rfc_finish(ctf_packets *packets, const packet_view *view,
                                                 ctf_packet *packet, head_problem *problem)
{
    const ctf_subtrace *subtrace = packets->subtrace;
    stele_ctf_rfc_header header;
    char expected[48];
    bool is_loud;
    if (!stele_ctf_rfc_header_read(view->bytes, &header))
        return true;
    is_loud = !packets->is_quiet && !packets->is_stranger;
    if (header.packet_count_bits == 0)
        packet->head.has &= ~CTF_ROLE_SEQUENCE_NUMBER;
    else if (header.packet_count_bits < 32)
        packet->head.sequence_width = header.packet_count_bits;
    else if (header.packet_count_bits > 32 && !packets->is_quiet)
        ctf_report(packets->trace, CTF315, packets->file->path, packet->offset * 8 + 44 * 8, 1, 0,
                   "0 to 32 significant bits", "%u", header.packet_count_bits);
    if (!subtrace->text.is_packetized || header.session_id == subtrace->schema.session_id)
        return true;
    if (packets->is_searching)
        return problem_set(problem, CTF402, 32, "the session of the metadata", "another one");
    snprintf(expected, sizeof expected, "session_id 0x%08" PRIx32 " of the metadata",
             subtrace->schema.session_id);
    if (is_loud)
        ctf_report(packets->trace, CTF402, packets->file->path, packet->offset * 8 + 32, 4, 0,
                   expected, "0x%08" PRIx32, header.session_id);
    packets->is_stranger = true;
    return true;
}

/* Returns how many bytes to load when `left` bytes do not hold the whole head. */
static size_t more_wanted(const ctf_decoder *decoder, size_t left)
{
    const uint64_t want = decoder_want_size(decoder);
    if (want <= left)
        return left * 2;
    return want < SIZE_MAX ? (size_t)want : SIZE_MAX;
}

/* Reads the head of the packet at the window. Returns STELE_ERR_FORMAT if no packet begins here;
   `problem` then has the reason. */
static stele_status packet_read(ctf_packets *packets, window *w, ctf_packet *packet,
                                head_problem *problem)
{
    size_t want = HEAD_GUESS;
    packet->is_resized = false;
    packet->offset = window_offset(w);
    packet->clock_start = packets->clock;
    decoder_set_clock_start(packets->decoder, packets->clock);
    for (;;) {
        const size_t left = window_need(w, want);
        const packet_view view = {w->at, left, 0};
        if (w->status != STELE_OK)
            return w->status;
        if (left == 0)
            return STELE_END;
        if (is_rfc(packets) && !rfc_judge(packets, &view, problem))
            return STELE_ERR_FORMAT;
        switch (decoder_packet(packets->decoder, &view, packets->file->path, packet->offset,
                               packets->type, &packet->head)) {
        case DECODE_MEMORY: return STELE_ERR_MEMORY;
        case DECODE_BAD:
            problem_take(problem, decoder_last_problem(packets->decoder), packet->offset);
            return STELE_ERR_FORMAT;
        case DECODE_MORE:
            if (left >= want) {
                want = more_wanted(packets->decoder, left);
                continue;
            }
            problem_set(problem, CTF404, 0, "a whole packet header", "%zu bytes", left);
            return STELE_ERR_FORMAT;
        default:
            return packet_judge(packets, packet, problem) &&
                           (!is_rfc(packets) || rfc_finish(packets, &view, packet, problem))
                       ? STELE_OK
                       : STELE_ERR_FORMAT;
        }
    }
}

/* ---- Packets after damage ---- */

/* Whether a packet of this trace can begin with this header, with `left` bytes to the file's end.
 */
static bool rfc_is_packet(const ctf_packets *packets, const uint8_t *bytes, uint64_t left)
{
    const ctf_subtrace *subtrace = packets->subtrace;
    stele_ctf_rfc_header header;
    return stele_ctf_rfc_header_read(bytes, &header) &&
           header.is_big_endian == subtrace->schema.is_big_endian &&
           (!subtrace->text.is_packetized || header.session_id == subtrace->schema.session_id) &&
           header.content_size >= STELE_CTF_RFC_HEADER_SIZE &&
           header.content_size <= header.packet_size && header.packet_size <= left;
}

/* Called for a packet that seems to end after the file: if another packet follows, the size is
   wrong, and the packet ends there. Leaves the window at the packet. */
static stele_status rfc_find_end(ctf_packets *packets, window *w, ctf_packet *packet)
{
    const uint64_t wanted = packet->size;
    bool is_found = false;
    window_move(w, packet->offset, UINT64_MAX);
    if (!window_skip(w, STELE_CTF_RFC_HEADER_SIZE))
        return w->status;
    while (!is_found && window_need(w, STELE_CTF_RFC_HEADER_SIZE) >= STELE_CTF_RFC_HEADER_SIZE) {
        const size_t count = (size_t)(w->end - w->at) - STELE_CTF_RFC_HEADER_SIZE + 1;
        /* First byte of the magic number in both byte orders. */
        const uint8_t *at = memchr(w->at, 0xc1, count);
        w->at = at != NULL ? at : w->at + count;
        is_found = at != NULL && rfc_is_packet(packets, at, packets->size - window_offset(w));
        w->at += at != NULL && !is_found;
    }
    if (is_found) {
        packet->size = window_offset(w) - packet->offset;
        packet->is_cut = false;
        if (packet->content_bits > packet->size * 8)
            packet->content_bits = packet->size * 8;
        if (!packets->is_quiet)
            ctf_report(packets->trace, CTF314, packets->file->path, packet->offset * 8 + 96, 4, 0,
                       "a packet_size up to the next packet",
                       "%" PRIu64 ", and a packet after %" PRIu64, wanted, packet->size);
    }
    window_move(w, packet->offset, UINT64_MAX);
    return w->status;
}

/* Gives the magic number in the packets' byte order. Returns false if packets begin without one. */
static bool packet_magic(const ctf_schema *schema, uint8_t bytes[4])
{
    const ctf_class *header = schema->packet_header, *first;
    if (header == NULL || header->u.structure.count == 0)
        return false;
    first = header->u.structure.members[0].type;
    if ((first->roles & CTF_ROLE_PACKET_MAGIC) == 0 || first->size != 32)
        return false;
    (first->is_big_endian ? store_be32 : store_le32)(bytes, CTF_PACKET_MAGIC);
    return true;
}

/* Moves the window to the next byte at which a packet can be read. Returns false if there is
   none. */
static bool packet_search(ctf_packets *packets, window *w, ctf_packet *packet, stele_status *status)
{
    uint8_t magic[4];
    head_problem ignored;
    const bool was_quiet = packets->is_quiet;
    bool is_found = false;
    if (!packet_magic(&packets->subtrace->schema, magic))
        return false;
    packets->is_quiet = packets->is_searching = true;
    while (!is_found && window_need(w, 5) >= 5) {
        const uint8_t *from = w->at + 1, *last = w->end - sizeof magic;
        const uint8_t *at = memchr(from, magic[0], (size_t)(last - from) + 1);
        w->at = at != NULL ? at : last;
        if (at == NULL || memcmp(at, magic, sizeof magic) != 0)
            continue;
        *status = packet_read(packets, w, packet, &ignored);
        is_found = *status == STELE_OK;
        if (!is_found && *status != STELE_ERR_FORMAT)
            break;
    }
    packets->is_quiet = was_quiet;
    packets->is_searching = false;
    return is_found;
}

static void report_size(const ctf_packets *packets, uint64_t offset, uint64_t size, uint64_t next)
{
    if (!packets->is_quiet)
        ctf_report(packets->trace, CTF403, packets->file->path, offset * 8, next - offset, 0,
                   "a packet that ends before the next one begins",
                   "%" PRIu64 " bytes, and a packet after %" PRIu64, size, next - offset);
}

/* Reports the bytes that are skipped. If the problem is inside the head, the text names the bit. */
static void report_skipped(const ctf_packets *packets, const head_problem *problem, uint64_t offset,
                           uint64_t skipped)
{
    char place[48] = "";
    if (packets->is_quiet)
        return;
    if (problem->bit != 0)
        snprintf(place, sizeof place, ", %" PRIu64 " bits into the packet", problem->bit);
    ctf_report(packets->trace, problem->code, packets->file->path, offset * 8, skipped, 0,
               problem->expected, "%s%s", problem->found, place);
}

/* Goes on after a head that cannot be read. The search begins in the padding of the packet before,
   as it may be that packet's size that is wrong. */
static __attribute__((noinline)) stele_status
packet_recover(ctf_packets *packets, window *w, ctf_packet *packet, const head_problem *problem)
{
    const uint64_t from = packet->offset, last = packets->last_offset;
    stele_status status = STELE_END;
    uint64_t skipped;
    bool is_found;
    if (packets->padding_at != 0 && packets->padding_at < from)
        window_move(w, packets->padding_at - 1, w->stop);
    is_found = packet_search(packets, w, packet, &status);
    if (is_found && packet->offset < from) {
        report_size(packets, last, from - last, packet->offset);
        return STELE_OK;
    }
    skipped = (is_found ? packet->offset : packets->size) - from;
    packets->skipped += skipped;
    report_skipped(packets, problem, from, skipped);
    if (is_found)
        return STELE_OK;
    return status == STELE_OK || status == STELE_ERR_FORMAT ? STELE_END : status;
}

/* Called for a packet that ends after the file: either the file was cut, or the size is wrong, in
   which case other packets follow. */
static __attribute__((noinline)) stele_status packet_bound(ctf_packets *packets, window *w,
                                                           ctf_packet *packet)
{
    const uint64_t offset = packet->offset, size = packet->size;
    const uint64_t content_size = ctf_packet_content_size(packet);
    const bool was_quiet = packets->is_quiet;
    head_problem ignored;
    ctf_packet next;
    stele_status status = STELE_END;
    bool is_found = false;
    if (content_size < packets->size - offset) {
        window_move(w, offset + content_size - 1, w->stop);
        is_found = packet_search(packets, w, &next, &status);
        window_move(w, offset, w->stop);
        if (status != STELE_OK && status != STELE_ERR_FORMAT && status != STELE_END)
            return status;
        /* The search has moved the decoder: return it to the packet's events. */
        packets->is_quiet = true;
        status = packet_read(packets, w, packet, &ignored);
        packets->is_quiet = was_quiet;
        if (status != STELE_OK)
            return status;
    }
    if (is_found) {
        report_size(packets, offset, size, next.offset);
        packet->size = next.offset - offset;
        packet->is_cut = false;
    } else if (!packets->is_quiet) {
        ctf_report(packets->trace, CTF405, packets->file->path, offset * 8, packets->size - offset,
                   0, "the whole packet", "%" PRIu64 " of its %" PRIu64 " bytes",
                   packets->size - offset, size);
    }
    return STELE_OK;
}

/* Returns the offset in the packet after its last byte that is not 0. */
static uint64_t last_byte(window *w, const ctf_packet *packet)
{
    uint64_t at = 0, last = 0;
    window_move(w, packet->offset, UINT64_MAX);
    while (at < packet->size) {
        size_t loaded = window_need(w, 1);
        if (loaded == 0)
            break;
        if (loaded > packet->size - at)
            loaded = (size_t)(packet->size - at);
        for (size_t i = loaded; i > 0; i--) {
            if (w->at[i - 1] != 0) {
                last = at + i;
                break;
            }
        }
        at += loaded;
        if (!window_skip(w, loaded))
            break;
    }
    return last;
}

/*
 * Called for a packet whose head is possible but for its sizes: it ends where the next one begins,
 * and its content ends before the zeros at its end. Returns STELE_ERR_FORMAT if the packet is given
 * up.
 */
static __attribute__((noinline)) stele_status
packet_resize(ctf_packets *packets, window *w, ctf_packet *packet, const head_problem *problem)
{
    const uint64_t offset = packet->offset;
    const bool was_quiet = packets->is_quiet;
    head_problem ignored;
    ctf_packet next;
    stele_status status = STELE_ERR_FORMAT;
    uint8_t magic[4];
    bool is_found;
    if (!problem->is_of_sizes || is_rfc(packets) ||
        !packet_magic(&packets->subtrace->schema, magic) || packets->is_stranger)
        return STELE_ERR_FORMAT;
    is_found = packet_search(packets, w, &next, &status);
    if (w->status != STELE_OK)
        return w->status;
    window_move(w, offset, w->stop);
    /* The search has moved the decoder: return it to the packet's events. */
    packets->is_quiet = true;
    status = packet_read(packets, w, packet, &ignored);
    packets->is_quiet = was_quiet;
    packet->size = (is_found ? next.offset : packets->size) - offset;
    packet->content_bits = last_byte(w, packet) * 8;
    window_move(w, offset, w->stop);
    if (status != STELE_ERR_FORMAT || w->status != STELE_OK)
        return status != STELE_OK ? status : w->status;
    if (packet->content_bits < packet->head.events_at)
        return STELE_ERR_FORMAT;
    packet->is_cut = false;
    packet->is_resized = true;
    if (!packets->is_quiet)
        ctf_report(packets->trace, problem->code, packets->file->path, offset * 8, packet->size, 0,
                   problem->expected, "%s; read up to %s", problem->found,
                   is_found ? "the next packet" : "the end of the file");
    return STELE_OK;
}

void packets_leave(ctf_packets *packets, const ctf_packet *packet, uint64_t ticks)
{
    if ((packet->head.has & CTF_ROLE_PACKET_END) == 0)
        packets->clock = ticks;
}

/* Whether the rest of the packet may still be written. A packet without a size ends with the
   file. */
static bool is_unfinished(const ctf_packet *packet, stele_status status,
                          const head_problem *problem)
{
    const uint32_t sizes = CTF_ROLE_TOTAL_LENGTH | CTF_ROLE_CONTENT_LENGTH;
    return status == STELE_OK ? packet->is_cut || (packet->head.has & sizes) == 0
                              : status == STELE_ERR_FORMAT && problem->code == CTF404;
}

stele_status packets_next(ctf_packets *packets, window *w, ctf_packet *packet)
{
    UNSET head_problem problem;
    stele_status status;
    problem.is_of_sizes = false;
    status = packet_read(packets, w, packet, &problem);
    if (packets->trace->is_growing && is_unfinished(packet, status, &problem))
        return STELE_END;
    if (status == STELE_ERR_FORMAT)
        status = packet_resize(packets, w, packet, &problem);
    if (status == STELE_ERR_FORMAT)
        status = packet_recover(packets, w, packet, &problem);
    if (status == STELE_OK && packet->is_cut && is_rfc(packets))
        status = rfc_find_end(packets, w, packet);
    if (status == STELE_OK && packet->is_cut)
        status = packet_bound(packets, w, packet);
    if (status == STELE_OK) {
        packets->last_offset = packet->offset;
        packets->padding_at = packet->offset + ctf_packet_content_size(packet);
        if (packet->head.counts_on)
            packets->clock = (packet->head.has & CTF_ROLE_PACKET_END) != 0
                                 ? packet->head.end_ticks
                                 : decoder_ticks(packets->decoder);
    }
    return status;
}
