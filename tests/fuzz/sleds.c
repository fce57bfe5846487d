/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes instrumentation maps in YAML: what is read is written, and reading that gives the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/input.h"
#include "core/output.h"
#include "symbols/sled_yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

/* Returns the text that is written from what was read, NULL if it could not be read. */
static output *read_and_write(const uint8_t *bytes, size_t size, size_t *count)
{
    diag_sink silent = {.fn = NULL};
    stele_sled_map *map = calloc(1, sizeof *map);
    output *out = NULL;
    input *in = NULL;
    require(map != NULL && input_open_memory(&silent, "map", bytes, size, &in) == STELE_OK,
            "memory");
    if (sled_yaml_read(map, &silent, in) == STELE_OK) {
        require(output_open_memory(NULL, &out) == STELE_OK, "memory");
        stele_sled_map_write_yaml(map, out);
    }
    *count = map->count;
    input_close(in);
    stele_sled_map_close(map);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count, count_again, text_size, text_size_again;
    output *out = read_and_write(data, size, &count), *again;
    const uint8_t *text, *text_again;
    if (out == NULL)
        return 0;
    text = output_memory(out, &text_size);
    again = read_and_write(text, text_size, &count_again);
    require(again != NULL, "a map that was written can be read");
    text_again = output_memory(again, &text_size_again);
    require(count == count_again, "no sled is lost");
    require(text_size == text_size_again && memcmp(text, text_again, text_size) == 0,
            "a map that was written is read as it was");
    output_close(out);
    output_close(again);
    return 0;
}
