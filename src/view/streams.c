/* SPDX-License-Identifier: Apache-2.0 */
#include "view/streams.h"

#include <stdlib.h>

#include "view/list.h"

#define PAIRS_MAX 1048576u
#define WORDS_MAX ((size_t)4 << 20)
#define WORD_BITS 32u

static int compare_pairs(const void *left, const void *right)
{
    const view_track_stream *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    return a->stream < b->stream ? -1 : a->stream > b->stream;
}

static int compare_streams(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void drop_bits(view_streams *s)
{
    for (uint32_t i = 0; i < s->track_count; i++)
        free(s->bits[i].words);
    free(s->bits);
    s->bits = NULL;
    s->track_count = 0;
    s->word_count = 0;
}

/* Returns the word that has a bit, NULL if there are too many, or if out of memory. */
static uint32_t *word_of(view_streams *s, uint32_t track, uint32_t at)
{
    view_stream_bits *of;
    if (track >= s->track_count) {
        view_stream_bits *grown = list_reach(s->bits, sizeof *grown, &s->track_count, track);
        if (grown == NULL)
            return NULL;
        s->bits = grown;
    }
    of = &s->bits[track];
    if (at >= of->word_count) {
        uint32_t count = of->word_count;
        uint32_t *grown = list_reach(of->words, sizeof *grown, &count, at);
        if (grown == NULL)
            return NULL;
        s->word_count += count - of->word_count;
        of->words = grown;
        of->word_count = count;
    }
    return s->word_count <= WORDS_MAX ? &of->words[at] : NULL;
}

static bool add_pair(view_streams *s, uint32_t track, uint32_t stream)
{
    if (s->count == s->capacity) {
        view_track_stream *grown = list_grow(s->pairs, sizeof *grown, &s->capacity);
        if (grown == NULL)
            return false;
        s->pairs = grown;
    }
    s->pairs[s->count++] = (view_track_stream){track, stream};
    return s->count < PAIRS_MAX;
}

void view_streams_add(view_streams *s, uint32_t track, uint32_t stream)
{
    const uint32_t bit = UINT32_C(1) << stream % WORD_BITS;
    uint32_t *word;
    if (s->is_unusable)
        return;
    word = word_of(s, track, stream / WORD_BITS);
    if (word != NULL && (*word & bit) != 0)
        return;
    if (word == NULL || !add_pair(s, track, stream)) {
        view_streams_free(s);
        s->is_unusable = true;
        return;
    }
    *word |= bit;
}

void view_streams_end(view_streams *s)
{
    drop_bits(s);
    if (s->count != 0)
        qsort(s->pairs, s->count, sizeof *s->pairs, compare_pairs);
}

bool view_streams_find(const view_streams *s, const question *q, uint32_t first, uint32_t **streams,
                       size_t *count)
{
    size_t kept = 0, found = 0;
    uint32_t *made = malloc((s->count + 1) * sizeof *made);
    *streams = made;
    *count = 0;
    if (made == NULL)
        return false;
    for (size_t i = 0; i < s->count; i++) {
        if (question_wants(q, s->pairs[i].track))
            made[found++] = first + s->pairs[i].stream;
    }
    qsort(made, found, sizeof *made, compare_streams);
    for (size_t i = 0; i < found; i++) {
        if (kept == 0 || made[kept - 1] != made[i])
            made[kept++] = made[i];
    }
    *count = kept;
    return true;
}

void view_streams_free(view_streams *s)
{
    drop_bits(s);
    free(s->pairs);
    *s = (view_streams){.pairs = NULL};
}
