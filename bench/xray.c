/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_xray FILE [REPEAT]
 * Decodes the records of an FDR log of version 2 to 5 with the codec alone, buffer by buffer from
 * memory, and prints the best of REPEAT (5) runs: CPU seconds and records a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <stele/xray.h>

#define RECORDS_AT_ONCE 512

static double cpu_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint8_t *load(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (file != NULL && fstat(fileno(file), &about) == 0 && about.st_size > 0) {
        *size = (size_t)about.st_size;
        bytes = malloc(*size);
        if (bytes != NULL && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

/* The number of records; `*sum` keeps the compiler from leaving the work out. */
static uint64_t decode_all(const stele_xray_header *header, const uint8_t *bytes, size_t size,
                           uint64_t *sum)
{
    stele_xray_record records[RECORDS_AT_ONCE];
    uint64_t tsc = 0, count = 0;
    size_t at = STELE_XRAY_HEADER_SIZE, used;
    do {
        stele_xray_result result;
        const size_t got = stele_xray_decode(header, &tsc, bytes + at, size - at, records,
                                             RECORDS_AT_ONCE, &used, &result);
        for (size_t i = 0; i < got; i++)
            *sum += records[i].tsc ^ records[i].function;
        count += got;
        at += used;
    } while (used != 0);
    return at == size ? count : 0;
}

int main(int argc, char **argv)
{
    const int repeat = argc > 2 ? atoi(argv[2]) : 5;
    stele_xray_header header;
    size_t size = 0;
    uint8_t *bytes = argc > 1 ? load(argv[1], &size) : NULL;
    double best_s = 0;
    uint64_t count = 0, sum = 0;
    if (bytes == NULL || size < STELE_XRAY_HEADER_SIZE ||
        !stele_xray_decode_header(bytes, &header) || header.type != 1 || header.version < 2) {
        fprintf(stderr, "usage: bench_xray FILE [REPEAT]: an FDR log of version 2 to 5\n");
        free(bytes);
        return 2;
    }
    for (int i = 0; i < repeat; i++) {
        const double start_s = cpu_now_s();
        double took_s;
        count = decode_all(&header, bytes, size, &sum);
        took_s = cpu_now_s() - start_s;
        if (i == 0 || took_s < best_s)
            best_s = took_s;
    }
    printf("codec    %8.3f s  %9.2f M records/s  %9.1f MB/s  (%llu records, sum %llx)\n", best_s,
           (double)count / best_s * 1e-6, (double)size / best_s * 1e-6, (unsigned long long)count,
           (unsigned long long)sum);
    free(bytes);
    return count != 0 ? 0 : 1;
}
