/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for a fuzzer: gives the target every file named, and every file in the folders named.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replay_count;

static void replay_file(const char *path, size_t size)
{
    /* Exactly `size` bytes on the heap, so that AddressSanitizer sees a read past the end. */
    uint8_t *data = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    if (!data || !file || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    replay_count++;
}

static void replay_path(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        perror(path);
        return;
    }
    if (!S_ISDIR(status.st_mode)) {
        replay_file(path, (size_t)status.st_size);
        return;
    }
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *child = malloc(strlen(path) + strlen(name) + 2);
        if (child && name[0] != '.') {
            sprintf(child, "%s/%s", path, name);
            replay_path(child);
        }
        free(child);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay_path(argv[i]);
    printf("%u inputs replayed\n", replay_count);
    if (replay_count == 0) {
        printf("SKIP: no input found; a format needs samples\n");
        return 77;
    }
    return 0;
}
