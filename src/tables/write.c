/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of files in which rows can be written. */
#include "tables/write.h"

#include "core/sized.h"

static const struct {
    const char *name, *title, *extensions;
    table_write_fn *write;
} formats[] = {
    {"parquet", "Parquet: tables as columns, for SQL engines and data frames", ".parquet",
     parquet_write},
    {"clickhouse-native", "blocks of ClickHouse's native format", ".native", clickhouse_write},
};

bool stele_table_format_get(size_t index, stele_table_format_info *info)
{
    stele_table_format_info own;
    if (index >= sizeof formats / sizeof *formats)
        return false;
    own = (stele_table_format_info){.name = formats[index].name,
                                    .title = formats[index].title,
                                    .extensions = formats[index].extensions};
    sized_give(info, &own, sizeof own, SIZED_FIRST(stele_table_format_info, extensions));
    return true;
}

stele_status stele_scan_write(stele_scan *scan, stele_output *out, const char *format,
                              const stele_table_write_options *given)
{
    stele_table_write_options options;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_table_write_options, shard_count),
                    given) ||
        scan->column_count == 0 ||
        (options.shard_count != 0 && options.shard >= options.shard_count))
        return STELE_ERR_ARGUMENT;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].write(scan, out, &options);
    }
    return STELE_ERR_FORMAT;
}
