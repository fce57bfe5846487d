/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, lanes and plots of a picture, which are made when they are first needed. */
#include "view/picture.h"

#include <stdlib.h>
#include <string.h>

/* ---- Rows of a track ------------------------------------------------------------------------- */

track_rows *picture_rows(picture *p, uint32_t track)
{
    if (track >= p->track_capacity) {
        const size_t capacity = (size_t)track + 64;
        track_rows **grown = realloc(p->tracks, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + p->track_capacity, 0, (capacity - p->track_capacity) * sizeof *grown);
        p->tracks = grown;
        p->track_capacity = capacity;
    }
    if (p->tracks[track] == NULL)
        p->tracks[track] = calloc(1, sizeof *p->tracks[track]);
    return p->tracks[track];
}

lane *picture_lane(lane **lanes, uint32_t *count, uint32_t index)
{
    if (index >= *count) {
        lane *grown = realloc(*lanes, (size_t)(index + 1) * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + *count, 0, (size_t)(index + 1 - *count) * sizeof *grown);
        *lanes = grown;
        *count = index + 1;
    }
    return &(*lanes)[index];
}

plot *picture_plot(picture *p, uint32_t number)
{
    if (number >= p->plot_capacity) {
        const size_t capacity = (size_t)number + 16;
        plot *grown = realloc(p->plots, capacity * sizeof *grown);
        if (grown == NULL)
            return NULL;
        memset(grown + p->plot_capacity, 0, (capacity - p->plot_capacity) * sizeof *grown);
        p->plots = grown;
        p->plot_capacity = capacity;
    }
    return &p->plots[number];
}
