/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the tables and their columns in the form of docs/sql.md. */
#include <stele/tables.h>

#include <stdio.h>

static const char *type_text(const stele_table_column_info *column)
{
    static const char *const texts[STELE_CELL_TYPE_COUNT] = {
        [STELE_CELL_BOOL] = "BOOLEAN",  [STELE_CELL_U8] = "UTINYINT",
        [STELE_CELL_U16] = "USMALLINT", [STELE_CELL_U32] = "UINTEGER",
        [STELE_CELL_U64] = "UBIGINT",   [STELE_CELL_I64] = "BIGINT",
        [STELE_CELL_DOUBLE] = "DOUBLE", [STELE_CELL_WALL] = "TIMESTAMP_NS",
        [STELE_CELL_ENUM] = "ENUM",     [STELE_CELL_TEXT] = "VARCHAR",
        [STELE_CELL_JSON] = "VARCHAR"};
    return texts[column->type];
}

int main(void)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    stele_table_column_info column = STELE_INIT(stele_table_column_info);
    for (size_t t = 0; stele_table_get(t, &table); t++) {
        printf("\n### %s\n\n%s\n\n| column | type | |\n|---|---|---|\n", table.name, table.doc);
        for (size_t i = 0; stele_table_column(table.name, i, &column); i++) {
            printf("| `%s` | %s%s | %s", column.name, type_text(&column),
                   column.can_be_null ? ", null" : "", column.doc);
            for (size_t l = 0; l < column.label_count; l++)
                printf("%s`%s`", l == 0 ? ": " : ", ", column.labels[l]);
            printf(" |\n");
        }
    }
    return 0;
}
