/* SPDX-License-Identifier: Apache-2.0 */
#include "core/together.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct task {
    together_fn *run;
    void *item;
    pthread_t thread;
    bool has_thread;
} task;

static void *task_run(void *user)
{
    const task *t = user;
    t->run(t->item);
    return NULL;
}

void together_run(together_fn *run, void *items, size_t item_size, uint32_t count)
{
    task *tasks = calloc(count, sizeof *tasks);
    for (uint32_t i = 1; i < count && tasks != NULL; i++) {
        tasks[i].run = run;
        tasks[i].item = (char *)items + i * item_size;
        tasks[i].has_thread = pthread_create(&tasks[i].thread, NULL, task_run, &tasks[i]) == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tasks != NULL && tasks[i].has_thread)
            pthread_join(tasks[i].thread, NULL);
        else
            run((char *)items + i * item_size);
    }
    free(tasks);
}
