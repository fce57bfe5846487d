/* SPDX-License-Identifier: Apache-2.0 */
/* Executes calls, floating point, allocations, system calls, and signals that always come at the
   same place. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile int signal_count;
static sigjmp_buf back;

static void on_signal(int number)
{
    signal_count += number;
}

static void on_fault(int number)
{
    signal_count += number;
    siglongjmp(back, 1);
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    int numbers[100];
    unsigned seed = 1;
    char text[64];
    for (int i = 0; i < 100; i++)
        numbers[i] = (int)((seed = seed * 1103515245u + 12345u) >> 16);
    qsort(numbers, 100, sizeof *numbers, compare);
    signal(SIGUSR1, on_signal);
    signal(SIGSEGV, on_fault);
    raise(SIGUSR1);
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    char *copy = malloc(5000);
    memset(copy, 'x', 5000);
    const int size =
        snprintf(text, sizeof text, " %d %.3f %d\n", numbers[50], 3.14159 * seed, signal_count);
    struct iovec parts[2] = {{copy, 3}, {text, (size_t)size}};
    if (writev(1, parts, 2) != 3 + size)
        return 1;
    free(copy);
    return 0;
}
