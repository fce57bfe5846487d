/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS    1000
#define INTERVAL_MS 100
#define BAR_WIDTH   30

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void progress_begin(progress *p, bool is_wanted)
{
    *p = (progress){.is_on = is_wanted && isatty(STDERR_FILENO) == 1};
    if (p->is_on)
        p->start_ms = p->drawn_ms = now_ms();
}

/* Draws a bar such as "[##########                    ]  33 %". */
static void draw_bar(double part)
{
    const int full = (int)(part * BAR_WIDTH);
    fputc('[', stderr);
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < full ? '#' : ' ', stderr);
    fprintf(stderr, "] %3d %%", (int)(part * 100));
}

static void draw(uint64_t done, uint64_t total, int64_t elapsed_ms)
{
    const double seconds = (double)elapsed_ms / 1000, rate = (double)done / seconds;
    fputs("\r\033[K", stderr);
    if (total != 0 && done <= total)
        draw_bar((double)done / (double)total);
    else
        fprintf(stderr, "%.1f MB", (double)done / 1e6);
    fprintf(stderr, "  %.0f MB/s", rate / 1e6);
    if (total != 0 && done <= total && done != 0) {
        const uint64_t left = (uint64_t)((double)(total - done) / rate + 0.5);
        fprintf(stderr, "  %u:%02u left", (unsigned)(left / 60), (unsigned)(left % 60));
    }
    fflush(stderr);
}

void progress_update(progress *p, uint64_t done, uint64_t total)
{
    int64_t now;
    if (!p->is_on)
        return;
    now = now_ms();
    if (now - p->start_ms < QUIET_MS || now - p->drawn_ms < INTERVAL_MS)
        return;
    draw(done, total, now - p->start_ms);
    p->drawn_ms = now;
    p->is_drawn = true;
}

void progress_clear(progress *p)
{
    if (p->is_drawn)
        fputs("\r\033[K", stderr);
    p->is_drawn = false;
}
