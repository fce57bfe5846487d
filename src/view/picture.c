/* SPDX-License-Identifier: Apache-2.0 */
/* The rows, lanes and plots of a picture, which are made when they are first needed. */
#include "view/picture.h"

#include <stdlib.h>
#include <string.h>

#include "view/list.h"

/* ---- Rows of a track ------------------------------------------------------------------------- */

track_rows *picture_rows(picture *p, uint32_t track)
{
    if (track >= p->track_capacity) {
        track_rows **grown = list_reach(p->tracks, sizeof *grown, &p->track_capacity, track);
        if (grown == NULL)
            return NULL;
        p->tracks = grown;
    }
    if (p->tracks[track] == NULL)
        p->tracks[track] = calloc(1, sizeof *p->tracks[track]);
    return p->tracks[track];
}

lane *picture_lane(lane **lanes, uint32_t *count, uint32_t index)
{
    if (index >= *count) {
        lane *grown = list_fit(*lanes, sizeof *grown, (size_t)index + 1);
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
        plot *grown = list_reach(p->plots, sizeof *grown, &p->plot_capacity, number);
        if (grown == NULL)
            return NULL;
        p->plots = grown;
    }
    return &p->plots[number];
}
