/* SPDX-License-Identifier: Apache-2.0 */
#include "collect/collected.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/array.h"
#include "core/aside.h"
#include "core/members.h"

#define FILES_MAX     256u   /* data streams of one trace, each of which is a file */
#define FILES_ALL_MAX 16384u /* data streams of all traces */

static bool is_folder(const collected *t)
{
    return t->ops->state_file != NULL;
}

static stele_status refuse(const collected_rules *rules, const char *path)
{
    diag_report(rules->diag, &core_codes[STE005], path, STELE_NO_OFFSET, 0, NULL, "%s",
                strerror(errno));
    return STELE_ERR_WRITE;
}

static void count_written(collected *t, const collected_rules *rules, size_t size)
{
    t->written_size += size;
    *rules->written += size;
}

/* ---- Turns: the files or folders of rotation ---- */

static stele_status close_files(collected *t, const collected_rules *rules)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < t->file_count; i++) {
        const stele_status closed = append_close(&t->files[i]->file, rules->diag);
        if (status == STELE_OK)
            status = closed;
        free(t->files[i]);
    }
    t->file_count = 0;
    return status;
}

/* Begins the next file or folder. Its name has a number if there can be several. A folder appears
   with its file of state, without which nothing in it could be read. */
static stele_status begin_turn(collected *t, const collected_rules *rules, int64_t now_ns)
{
    const bool is_numbered = rules->rotate_size != 0 || rules->rotate_ns != 0;
    const size_t size = strlen(t->base) + strlen(t->ops->extension) + 16;
    free(t->path);
    t->path = malloc(size);
    if (t->path == NULL)
        return STELE_ERR_MEMORY;
    t->turn++;
    t->turn_size = t->turn_state = t->state_size = 0;
    t->has_state_file = t->is_state_mixed = t->is_state_added = false;
    t->turn_ns = now_ns;
    if (is_numbered)
        snprintf(t->path, size, "%s.%04u%s", t->base, t->turn, t->ops->extension);
    else
        snprintf(t->path, size, "%s%s", t->base, t->ops->extension);
    if (!is_folder(t))
        return STELE_OK;
    t->is_state_news = true;
    free(t->aside);
    t->aside = aside_folder(t->path, 0);
    return t->aside != NULL ? STELE_OK : refuse(rules, t->path);
}

/* Whether the next packet goes to a new file or folder. State is written again in each, so at least
   as many bytes of packets come first: a sender cannot cause more to be written than about twice
   what it sends. */
static bool is_turn_over(const collected *t, const collected_rules *rules, size_t size,
                         int64_t now_ns)
{
    if (t->path == NULL)
        return true;
    if (t->turn_size == 0)
        return false;
    return (rules->rotate_size != 0 && t->turn_size >= t->state_size &&
            t->turn_size + t->turn_state + size > rules->rotate_size) ||
           (rules->rotate_ns != 0 && now_ns - t->turn_ns >= rules->rotate_ns);
}

/* ---- State: metadata and options ---- */

/* Replaces the file of state in one step. */
static stele_status replace_state_file(const collected_rules *rules, const char *path,
                                       const char *name, const uint8_t *bytes, size_t size)
{
    const size_t aside_size = strlen(path) + 8;
    append_file file = {.fd = -1};
    char *aside = malloc(aside_size);
    stele_status status;
    if (aside == NULL)
        return STELE_ERR_MEMORY;
    snprintf(aside, aside_size, "%.*s.%s.new", (int)(strlen(path) - strlen(name)), path, name);
    unlink(aside); /* only this process writes here, so it can only be left over from itself */
    status = append_open(&file, rules->files, rules->diag, aside);
    if (status == STELE_OK && size != 0)
        status = append_packet(&file, rules->diag, bytes, size);
    if (file.path != NULL) {
        const stele_status closed = append_close(&file, rules->diag);
        status = status == STELE_OK ? closed : status;
    }
    if (status == STELE_OK && rename(aside, path) != 0)
        status = refuse(rules, path);
    free(aside);
    return status;
}

#define STATE_ANEW_FREE ((uint64_t)16 << 20)

/* Whether all state may be written again, because some of it belongs before what is in the file: as
   long as that takes no more than the packets do, or if the state has doubled. Otherwise it waits
   for the end, so that a sender cannot cause a file to be written again for each of its packets. */
static bool may_write_anew(const collected *t, uint64_t size)
{
    return t->state_anew + size <= STATE_ANEW_FREE + t->kept_size || size >= 2 * t->state_last;
}

/* Makes the state to be written: all of it, or what came since the last time. */
static stele_status render_state(collected *t, const collected_rules *rules, bool is_last,
                                 bool *is_whole, output **out)
{
    stele_status status = output_open_memory(rules->diag, out);
    size_t size = 0;
    *is_whole = !t->has_state_file;
    if (status == STELE_OK && !*is_whole) {
        t->is_state_mixed |= !t->ops->put_news(t->state, t->number, *out);
        status = output_flush(*out);
        output_memory(*out, &size);
        *is_whole = t->is_state_mixed && (is_last || may_write_anew(t, t->state_size + size));
        if (status != STELE_OK || !*is_whole)
            return status;
        output_close(*out);
        status = output_open_memory(rules->diag, out);
    }
    if (status != STELE_OK)
        return status;
    t->ops->put_state(t->state, t->number, *out);
    return output_flush(*out);
}

static stele_status write_state(collected *t, const collected_rules *rules, const char *path,
                                bool is_last)
{
    output *out = NULL;
    bool is_whole;
    size_t size = 0;
    stele_status status = render_state(t, rules, is_last, &is_whole, &out);
    const uint8_t *bytes = status == STELE_OK ? output_memory(out, &size) : NULL;
    if (status == STELE_OK)
        status = is_whole ? replace_state_file(rules, path, t->ops->state_file, bytes, size)
                          : append_once(rules->files, rules->diag, path, t->state_size, bytes, size,
                                        is_last);
    output_close(out);
    if (status != STELE_OK)
        return status;
    if (is_whole) {
        t->state_anew += t->is_state_mixed ? size : 0;
        t->state_last = size;
        t->is_state_mixed = false;
    }
    t->state_size = is_whole ? size : t->state_size + size;
    t->has_state_file = true;
    t->is_state_news = false;
    t->is_state_added = !is_whole && !is_last;
    count_written(t, rules, size);
    return STELE_OK;
}

/* Brings the file of state up to date; with `is_last`, for the last time. */
static stele_status put_state_file(collected *t, const collected_rules *rules, bool is_last)
{
    char *path = members_join(t->aside != NULL ? t->aside : t->path, t->ops->state_file);
    stele_status status = path != NULL ? write_state(t, rules, path, is_last) : STELE_ERR_MEMORY;
    free(path);
    if (status != STELE_OK || t->aside == NULL)
        return status;
    if (!aside_place_folder(t->aside, t->path))
        return refuse(rules, t->path);
    free(t->aside);
    t->aside = NULL;
    return STELE_OK;
}

/* Writes the file of state for the last time, in its final order, and syncs it. */
static stele_status finish_state(collected *t, const collected_rules *rules)
{
    return is_folder(t) && t->has_state_file &&
                   (t->is_state_news || t->is_state_mixed || t->is_state_added)
               ? put_state_file(t, rules, true)
               : STELE_OK;
}

/* ---- Files of packets ---- */

/* Writes the state in front of the packets of a new file. */
static stele_status put_state_in_front(collected *t, const collected_rules *rules, append_file *to)
{
    output *out = NULL;
    stele_status status = output_open_memory(rules->diag, &out);
    const uint8_t *bytes;
    size_t size = 0;
    if (status != STELE_OK)
        return status;
    t->ops->put_state(t->state, t->number, out);
    status = output_flush(out);
    bytes = output_memory(out, &size);
    if (status == STELE_OK && size != 0)
        status = append_packet(to, rules->diag, bytes, size);
    count_written(t, rules, size);
    t->turn_state = t->state_size = size;
    output_close(out);
    return status;
}

/* Finds or creates the file of a packet. `*found` becomes NULL if the trace has too many files. */
static stele_status find_file(collected *t, const collected_rules *rules, const char *name,
                              append_file **found)
{
    collected_file *f;
    char *path;
    stele_status status;
    *found = NULL;
    for (uint32_t i = 0; i < t->file_count; i++) {
        if (strcmp(t->files[i]->name, name) == 0) {
            *found = &t->files[i]->file;
            return STELE_OK;
        }
    }
    if (t->file_count == FILES_MAX || rules->files->file_count >= FILES_ALL_MAX)
        return STELE_OK;
    if (t->file_count == t->file_capacity) {
        collected_file **grown = array_grow(t->files, sizeof *grown, &t->file_capacity, 4);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        t->files = grown;
    }
    f = calloc(1, sizeof *f);
    path = is_folder(t) ? members_join(t->path, name) : strdup(t->path);
    if (f == NULL || path == NULL) {
        free(f);
        free(path);
        return STELE_ERR_MEMORY;
    }
    snprintf(f->name, sizeof f->name, "%s", name);
    status = append_open(&f->file, rules->files, rules->diag, path);
    free(path);
    t->files[t->file_count++] = f; /* added also after an error, to be freed with the others */
    if (status == STELE_OK && !is_folder(t))
        status = put_state_in_front(t, rules, &f->file);
    *found = &f->file;
    return status;
}

static void report_full(collected *t, const collected_rules *rules, size_t size)
{
    t->refused_count++;
    t->refused_size += size;
    if (t->is_full)
        return;
    t->is_full = true;
    diag_report(rules->diag, &core_codes[STE022], t->path, STELE_NO_OFFSET, 0, NULL,
                "packets of more than %u data streams", FILES_MAX);
}

/* Keeps the state that a packet has, for files that continue the trace, as far as there is room. */
static stele_status learn(collected *t, const collected_rules *rules, const receive_packet *packet,
                          const uint8_t *bytes, bool *is_news)
{
    static const receive_from nobody;
    const stele_status status = t->ops->learn(t->state, &nobody, packet, bytes, is_news);
    if (status != STELE_ERR_LIMIT)
        return status;
    if (!t->is_state_full && (rules->rotate_size != 0 || rules->rotate_ns != 0))
        diag_report(rules->diag, &core_codes[STE022], t->path, STELE_NO_OFFSET, 0, NULL,
                    "more names and options than can be repeated in the files that follow");
    t->is_state_full = true;
    return STELE_OK;
}

stele_status collected_put(collected *t, const collected_rules *rules, const receive_packet *packet,
                           const uint8_t *bytes, int64_t now_ns)
{
    append_file *to = NULL;
    bool is_news = true;
    stele_status status = STELE_OK;
    if (is_turn_over(t, rules, packet->size, now_ns)) {
        status = finish_state(t, rules);
        if (status == STELE_OK)
            status = close_files(t, rules);
        if (status == STELE_OK)
            status = begin_turn(t, rules, now_ns);
    }
    if (status == STELE_OK && is_folder(t) && t->is_state_news)
        status = put_state_file(t, rules, false);
    if (status == STELE_OK)
        status = find_file(t, rules, packet->file, &to);
    if (status != STELE_OK)
        return status;
    if (t->turn_size == 0)
        t->turn_ns = now_ns;
    if (to == NULL) {
        report_full(t, rules, packet->size);
        return STELE_OK;
    }
    if (!is_folder(t))
        status = learn(t, rules, packet, bytes, &is_news);
    if (status == STELE_OK && packet->is_state && !is_news)
        t->repeated_size += packet->size;
    if (status != STELE_OK || (packet->is_state && !is_news))
        return status;
    status = append_packet(to, rules->diag, bytes, packet->size);
    if (status != STELE_OK)
        return status;
    t->turn_size += packet->size;
    count_written(t, rules, packet->size);
    t->kept_size += packet->size;
    t->packet_count += !packet->is_state;
    t->state_count += packet->is_state;
    return STELE_OK;
}

stele_status collected_flush(collected *t, const collected_rules *rules)
{
    stele_status status = STELE_OK;
    if (is_folder(t) && t->is_state_news) {
        if (t->path == NULL)
            status = begin_turn(t, rules, 0);
        if (status == STELE_OK)
            status = put_state_file(t, rules, false);
    }
    return status;
}

stele_status collected_close(collected *t, const collected_rules *rules)
{
    stele_status status = collected_flush(t, rules), closed;
    if (status == STELE_OK)
        status = finish_state(t, rules);
    closed = close_files(t, rules);
    return status == STELE_OK ? closed : status;
}

void collected_free(collected *t)
{
    diag_sink silent = {0};
    const collected_rules rules = {.diag = &silent};
    close_files(t, &rules);
    free(t->files);
    if (t->aside != NULL)
        rmdir(t->aside);
    free(t->aside);
    free(t->path);
    free(t->base);
}
