/* SPDX-License-Identifier: Apache-2.0 */
/* a64 [MILLIONS]: how many instructions a second the A64 classifier takes, for a program's mix (a
   stretch of compiled loops again and again) and for random words. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "a64/a64.h"

/* An inner loop and a function's frame, as compilers make them. */
static const uint32_t program[] = {
    0xa9bd7bfd, 0x910003fd, 0xa90153f3, 0xf90013f5, 0xaa0003f3, 0xb9400261, 0x340000e1, 0xf8408674,
    0x91000421, 0x8b010282, 0xb8617843, 0x1b047c63, 0x0b030084, 0xeb02003f, 0x54ffff41, 0x9ac20820,
    0x1e620820, 0x4ea1d400, 0x3dc00020, 0xad400c22, 0x97ffffee, 0xf9400260, 0xb5fffe80, 0x52800000,
    0xf94013f5, 0xa94153f3, 0xa8c37bfd, 0xd65f03c0, 0xf9400401, 0xf100003f, 0x9a9f17e0, 0x36000060};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t classify_all(const uint32_t *words, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const a64_insn insn = a64_classify(words[i]);
        sum += insn.class + insn.size;
    }
    return sum;
}

static uint64_t look_up_all(const uint32_t *words, size_t count)
{
    static a64_cache cache;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const a64_insn *insn = a64_lookup(&cache, words[i]);
        sum += insn->class + insn->size;
    }
    return sum;
}

static void measure(const char *name, uint64_t (*run)(const uint32_t *, size_t),
                    const uint32_t *words, size_t word_count, uint64_t count)
{
    const double begin = seconds();
    uint64_t sum = 0;
    for (uint64_t done = 0; done < count; done += word_count)
        sum += run(words, word_count);
    printf("%-18s %6.1f M/s (%llu)\n", name, 1e-6 * (double)count / (seconds() - begin),
           (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    const uint64_t count = UINT64_C(1000000) * (argc > 1 ? strtoull(argv[1], NULL, 10) : 200);
    static uint32_t words[4096];
    uint64_t state = 1;
    for (size_t i = 0; i < 4096; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        words[i] = (uint32_t)(state >> 32);
    }
    measure("program", classify_all, program, sizeof program / sizeof program[0], count);
    measure("program, cached", look_up_all, program, sizeof program / sizeof program[0], count);
    measure("random", classify_all, words, 4096, count / 4);
    return 0;
}
