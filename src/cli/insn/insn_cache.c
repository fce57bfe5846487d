/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn cache: shows what modelled caches and TLBs hit and miss. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "cli/show/size.h"

/* ---- Options of the model -------------------------------------------------------------------- */

static const char *const cache_names[STELE_INSN_CACHE_COUNT] = {"l1i",  "l1d",  "l2",   "l3",
                                                                "itlb", "dtlb", "l2tlb"};
static const char *const policy_names[] = {"lru", "plru", "random", "fifo"};

/* The index of a word of `size` bytes in a list; `count` if it is not there. */
static size_t find_word(const char *const *words, size_t count, const char *word, size_t size)
{
    size_t i = 0;
    while (i < count && (strlen(words[i]) != size || strncmp(words[i], word, size) != 0))
        i++;
    return i;
}

static bool find_policy(const char *word, stele_insn_cache_policy *policy)
{
    const size_t i = find_word(policy_names, 4, word, strlen(word));
    *policy = (stele_insn_cache_policy)i;
    return i < 4;
}

/* Parses "SIZE,WAYS[,POLICY]". Returns false if it is not valid. */
static bool parse_geometry(stele_insn_cache_config *config, size_t id, const char *text)
{
    uint64_t ways = 0;
    const char *at = size_parse(text, &config->of[id].size);
    if (at == NULL || *at != ',' || (at = size_parse(at + 1, &ways)) == NULL || ways == 0 ||
        ways > UINT32_MAX)
        return false;
    config->of[id].ways = (uint32_t)ways;
    return *at == 0 || (*at == ',' && find_policy(at + 1, &config->of[id].policy));
}

static bool take_cache(cli *c, stele_insn_cache_config *config, const char *text)
{
    const size_t size = strcspn(text, "=");
    const size_t id = find_word(cache_names, STELE_INSN_CACHE_COUNT, text, size);
    if (id < STELE_INSN_CACHE_COUNT && strcmp(text + size, "=none") == 0) {
        config->of[id].size = 0;
        return true;
    }
    return (id < STELE_INSN_CACHE_COUNT && text[size] == '=' &&
            parse_geometry(config, id, text + size + 1)) ||
           cli_usage(c,
                     "--cache takes NAME=SIZE,WAYS[,POLICY] or NAME=none with one of l1i l1d l2 l3 "
                     "itlb dtlb l2tlb, not '%s'",
                     text);
}

static bool take_power(cli *c, option_id id, uint32_t least, uint32_t *to)
{
    const char *text = option_value(&c->options, id);
    uint64_t number = 0;
    const char *end = size_parse(text, &number);
    if (end == NULL || *end != 0 || number < least || number > UINT32_C(1) << 30 ||
        (number & (number - 1)) != 0)
        return cli_usage(c, "--%s takes a power of two from %u on, not '%s'", option_table[id].name,
                         least, text);
    *to = (uint32_t)number;
    return true;
}

/* Takes the options; what they leave open is as in a core of a server. */
static bool take_options(cli *c, stele_insn_cache_config *config)
{
    static const char *const initial[STELE_INSN_CACHE_COUNT] = {
        "64K,4", "64K,4", "512K,8", "32M,16", "48,48", "48,48", "1024,4"};
    const options *o = &c->options;
    stele_insn_cache_policy policy;
    *config = (stele_insn_cache_config){
        .is_write_through = option_given(o, OPTION_WRITE_THROUGH),
        .is_write_around = option_given(o, OPTION_WRITE_AROUND),
        .has_next_line = strcmp(option_value(o, OPTION_PREFETCH), "next-line") == 0,
        .warmup = option_number(o, OPTION_WARMUP)};
    find_policy(option_value(o, OPTION_POLICY), &policy);
    for (size_t id = 0; id < STELE_INSN_CACHE_COUNT; id++) {
        /* PLRU needs a power of two, which the 48 ways of a TLB are not */
        config->of[id].policy = id >= STELE_INSN_CACHE_ITLB && policy == STELE_INSN_CACHE_PLRU
                                    ? STELE_INSN_CACHE_LRU
                                    : policy;
        parse_geometry(config, id, initial[id]);
    }
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == OPTION_CACHE && !take_cache(c, config, o->uses[i].value))
            return false;
    }
    return take_power(c, OPTION_LINE_SIZE, 8, &config->line_size) &&
           take_power(c, OPTION_PAGE_SIZE, 4096, &config->page_size);
}

/* ---- Output of the counts -------------------------------------------------------------------- */

static const figure_column columns[] = {{"cache", "cache", FIGURE_TEXT, 0, 0},
                                        {"read_count", "reads", FIGURE_COUNT, 0, 0},
                                        {"read_miss_count", "misses", FIGURE_COUNT, 0, 0},
                                        {NULL, "share", FIGURE_SHARE, 0, 0},
                                        {"write_count", "writes", FIGURE_COUNT, 0, 0},
                                        {"write_miss_count", "misses", FIGURE_COUNT, 0, 0},
                                        {NULL, "share", FIGURE_SHARE, 0, 0},
                                        {"miss_count", NULL, FIGURE_COUNT, 0, 0},
                                        {NULL, "per 1000 insns", FIGURE_RATE, 0, 0},
                                        {"write_back_count", "written back", FIGURE_COUNT, 0, 0},
                                        {"prefetch_count", "prefetches", FIGURE_COUNT, 0, 0},
                                        {"useful_prefetch_count", "useful", FIGURE_COUNT, 0, 0}};

static void fill(figure *row, const char *name, const stele_insn_cache_row *counts)
{
    row[0] = figure_text(name);
    row[1].number = counts->read_count;
    row[2].number = counts->read_miss_count;
    row[3].share.part = 2;
    row[3].share.whole = 1;
    row[4].number = counts->write_count;
    row[5].number = counts->write_miss_count;
    row[6].share.part = 5;
    row[6].share.whole = 4;
    row[7].number = counts->read_miss_count + counts->write_miss_count;
    row[8].share.part = 7;
    row[8].share.whole = UINT32_MAX;
    row[9].number = counts->write_back_count;
    row[10].number = counts->prefetch_count;
    row[11].number = counts->useful_prefetch_count;
}

static void show(cli *c, stele_insn_cache *simulated)
{
    figures table = {.rows_key = "caches",
                     .columns = columns,
                     .column_count = sizeof columns / sizeof columns[0]};
    stele_insn_cache_row counts = STELE_INIT(stele_insn_cache_row);
    figure_total totals[] = {{"insn_count", 0}};
    bool is_fine = true;
    stele_insn_cache_finish(simulated, &table.whole);
    totals[0].value = table.whole;
    for (unsigned id = 0; is_fine && id < STELE_INSN_CACHE_COUNT; id++) {
        figure *row;
        if (!stele_insn_cache_get(simulated, (stele_insn_cache_id)id, &counts))
            continue;
        row = figures_add(&table);
        is_fine = row != NULL;
        if (is_fine)
            fill(row, cache_names[id], &counts);
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "cache"))
        figures_write(c, &table, table.row_count, totals, 1);
    figures_free(&table);
}

static stele_status take(void *user, const stele_insn_batch *batch)
{
    return stele_insn_cache_add(user, batch);
}

void command_INSN_CACHE(cli *c)
{
    stele_insn_cache_config config;
    stele_insn_cache *simulated = NULL;
    stele_insn_cache_id wrong = STELE_INSN_CACHE_COUNT;
    insns s;
    if (insns_make(c, &s) && take_options(c, &config)) {
        const stele_status status = stele_insn_cache_new(&config, &simulated, &wrong);
        const stele_insn_consumer to = {.take = take, .user = simulated};
        s.options.wants_accesses = true;
        if (status == STELE_ERR_ARGUMENT)
            cli_usage(c, "%s cannot be: its sets, and for plru its ways, must be a power of two",
                      cache_names[wrong]);
        else if (cli_check(c, status, "cache") && insns_read_all(c, &s, &to))
            show(c, simulated);
    }
    stele_insn_cache_free(simulated);
    insns_free(&s);
}
