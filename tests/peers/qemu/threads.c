/* SPDX-License-Identifier: Apache-2.0 */
/* Four threads that contend at the same time by LL/SC, atomics and a mutex. None ends before all
   are done. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long count;
static long plain;
static pthread_barrier_t all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *user)
{
    pthread_barrier_wait(&all);
    for (int i = 0; i < 300; i++) {
        atomic_fetch_add(&count, 1);
        if (i % 16 == 0) {
            pthread_mutex_lock(&mutex);
            plain++;
            pthread_mutex_unlock(&mutex);
        }
    }
    pthread_barrier_wait(&all);
    return user;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&all, NULL, 4);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    work(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%ld %ld\n", (long)count, plain);
    return 0;
}
