/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether a thread in a SWITCH event stands for an idle CPU. */
#ifndef MODEL_IDLE_H
#define MODEL_IDLE_H

#include "model/context.h"

/* What a switch says of its incoming or its outgoing thread. */
typedef struct idle_signs {
    uint32_t thread;               /* track of the thread */
    bool has_weight, has_priority; /* `weight` and `priority` are valid */
    int64_t weight, priority;
} idle_signs;

/* Whether the thread stands for an idle CPU: it is no thread or thread 0 (Linux), or has the least
   weight, or priority 0 outside of all processes (Fuchsia). */
static inline bool idle_judge(const stele_context *context, const idle_signs *signs)
{
    const stele_track *thread = stele_track_get(context, signs->thread);
    const stele_track *process;
    if (thread == NULL || thread->number == 0 || (signs->has_weight && signs->weight == INT32_MIN))
        return true;
    if (!signs->has_priority || signs->priority != 0)
        return false;
    process = stele_track_get(context, thread->parent);
    return process == NULL || process->number == 0;
}

#endif
