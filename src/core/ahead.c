/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ahead.h"

#include <pthread.h>
#include <stdlib.h>

typedef enum job_state { JOB_IDLE, JOB_WAITING, JOB_RUNNING } job_state;

struct ahead {
    pthread_mutex_t lock;
    pthread_cond_t has_work; /* a job waits and may run, or the threads are to end */
    pthread_cond_t has_done; /* a piece is done */
    ahead_job *first, *last; /* jobs that wait */
    uint32_t running_count;
    bool is_stopped, is_ending;
    uint32_t wanted_count, thread_count;
    bool has_begun;
    pthread_t threads[];
};

ahead *ahead_new(uint32_t count)
{
    ahead *a = calloc(1, sizeof *a + count * sizeof *a->threads);
    if (a == NULL)
        return NULL;
    a->wanted_count = count;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->has_work, NULL);
    pthread_cond_init(&a->has_done, NULL);
    return a;
}

/* ---- Jobs that wait; all under the lock ---- */

static void push(ahead *a, ahead_job *job)
{
    job->state = JOB_WAITING;
    job->next = NULL;
    if (a->first == NULL)
        a->first = job;
    else
        a->last->next = job;
    a->last = job;
}

static ahead_job *pop(ahead *a)
{
    ahead_job *job = a->first;
    a->first = job->next;
    return job;
}

static void pull_out(ahead *a, ahead_job *job)
{
    ahead_job **at = &a->first, *before = NULL;
    while (*at != job) {
        before = *at;
        at = &(*at)->next;
    }
    *at = job->next;
    if (a->last == job)
        a->last = before;
    job->state = JOB_IDLE;
}

/* ---- The threads ---- */

static void run_piece(ahead *a, ahead_job *job)
{
    bool goes_on;
    job->state = JOB_RUNNING;
    a->running_count++;
    pthread_mutex_unlock(&a->lock);
    goes_on = job->run(job);
    pthread_mutex_lock(&a->lock);
    a->running_count--;
    if (goes_on && !job->is_called_back)
        push(a, job);
    else
        job->state = JOB_IDLE;
    if (a->is_stopped || job->is_called_back)
        pthread_cond_broadcast(&a->has_done);
}

static void *thread_run(void *user)
{
    ahead *a = user;
    pthread_mutex_lock(&a->lock);
    while (!a->is_ending) {
        if (a->is_stopped || a->first == NULL)
            pthread_cond_wait(&a->has_work, &a->lock);
        else
            run_piece(a, pop(a));
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void begin(ahead *a)
{
    a->has_begun = true;
    while (a->thread_count < a->wanted_count &&
           pthread_create(&a->threads[a->thread_count], NULL, thread_run, a) == 0)
        a->thread_count++;
}

void ahead_free(ahead *a)
{
    if (a == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    a->is_ending = true;
    pthread_cond_broadcast(&a->has_work);
    pthread_mutex_unlock(&a->lock);
    for (uint32_t i = 0; i < a->thread_count; i++)
        pthread_join(a->threads[i], NULL);
    pthread_cond_destroy(&a->has_done);
    pthread_cond_destroy(&a->has_work);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

/* ---- What the caller asks for ---- */

bool ahead_is_idle(ahead *a, const ahead_job *job)
{
    bool is_idle;
    pthread_mutex_lock(&a->lock);
    is_idle = job->state == JOB_IDLE;
    pthread_mutex_unlock(&a->lock);
    return is_idle;
}

bool ahead_post(ahead *a, ahead_job *job)
{
    if (!a->has_begun)
        begin(a);
    if (a->thread_count == 0)
        return false;
    pthread_mutex_lock(&a->lock);
    push(a, job);
    pthread_cond_signal(&a->has_work);
    pthread_mutex_unlock(&a->lock);
    return true;
}

void ahead_call_back(ahead *a, ahead_job *job)
{
    pthread_mutex_lock(&a->lock);
    if (job->state == JOB_WAITING)
        pull_out(a, job);
    job->is_called_back = true;
    while (job->state == JOB_RUNNING)
        pthread_cond_wait(&a->has_done, &a->lock);
    job->is_called_back = false;
    pthread_mutex_unlock(&a->lock);
}

void ahead_stop(ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->is_stopped = true;
    while (a->running_count != 0)
        pthread_cond_wait(&a->has_done, &a->lock);
    pthread_mutex_unlock(&a->lock);
}

void ahead_go_on(ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->is_stopped = false;
    if (a->first != NULL)
        pthread_cond_broadcast(&a->has_work);
    pthread_mutex_unlock(&a->lock);
}
