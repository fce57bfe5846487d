/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of paths, the graph made from them, and the comparison of two traces. */
#include <stele/analysis.h>

#include <stdlib.h>

#include "calls_made.h"

static uint64_t seed = 1;

static uint32_t below(uint32_t limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % limit;
}

static stele_paths *made_paths(const stele_path_options *options)
{
    const stele_segment segment = made_segment();
    stele_paths *p;
    REQUIRE(stele_paths_new(it.context, options, &p) == STELE_OK);
    CHECK_EQ_U64(stele_paths_add(p, &segment), STELE_OK);
    return p;
}

/* The tree as text: "name count self(children)". */
static char text[2048];

static void tell(const stele_path_tree *tree, uint32_t node)
{
    const stele_text name = stele_name_text(it.context, NULL, tree->nodes[node].name);
    const stele_path_figures *figures = &tree->nodes[node].sides[0];
    size_t used = strlen(text);
    if (node != 0)
        snprintf(text + used, sizeof text - used, "%s%.*s %" PRIu64 " %" PRIu64,
                 used != 0 && text[used - 1] != '(' ? " " : "", (int)name.size, name.bytes,
                 figures->count, figures->self_ns);
    if (tree->nodes[node].child != 0 && node != 0)
        strcat(text, "(");
    for (uint32_t i = tree->nodes[node].child; i != 0; i = tree->nodes[i].sibling)
        tell(tree, i);
    if (tree->nodes[node].child != 0 && node != 0)
        strcat(text, ")");
}

static const char *told(stele_paths *p, bool by_count)
{
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    REQUIRE(stele_paths_tree(p, by_count, &tree) == STELE_OK);
    text[0] = 0;
    tell(&tree, 0);
    return text;
}

static void add_some_calls(void)
{
    enter(0, "main");
    enter(10, "f");
    enter(12, "g");
    leave(18, "g");
    leave(20, "f");
    for (int i = 0; i < 3; i++) {
        enter(30 + i, "g");
        leave(31 + i, "g");
    }
    leave(50, "main");
}

TEST(recursion_is_folded_and_no_time_is_lost)
{
    const unsigned depth = 1000;
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_paths *p;
    uint64_t self_ns = 0, count = 0, folded_count = 0;
    made_begin();
    for (unsigned i = 0; i < depth; i++)
        enter(2 * i, i % 2 == 0 ? "even" : "odd");
    enter(2 * depth, "leaf");
    leave(2 * depth + 5, "leaf");
    for (unsigned i = depth; i-- > 0;)
        leave(4 * depth - i, i % 2 == 0 ? "even" : "odd");
    p = made_paths(&(stele_path_options){.by_track = false});
    REQUIRE(stele_paths_tree(p, false, &tree) == STELE_OK);
    CHECK_EQ_U64(tree.depth_max, 2 * STELE_CALL_REPEATS_MAX + 1);
    CHECK_EQ_U64(tree.count, 2 * STELE_CALL_REPEATS_MAX + 2);
    for (uint32_t i = 1; i < tree.count; i++) {
        self_ns += tree.nodes[i].sides[0].self_ns;
        count += tree.nodes[i].sides[0].count;
        folded_count += tree.nodes[i].folded_count;
    }
    CHECK_EQ_U64(count, depth + 1);
    /* Every second call goes back up; the others then are where they were before. */
    CHECK_EQ_U64(folded_count, depth / 2 - STELE_CALL_REPEATS_MAX);
    CHECK_EQ_U64(stele_paths_get_counts(p)->folded_count, folded_count);
    CHECK_EQ_U64(self_ns, 4 * depth);
    CHECK_EQ_U64(tree.nodes[0].sides[0].total_ns, 4 * depth);
    stele_paths_free(p);
    made_end();
}

TEST(paths_end_at_their_greatest_length)
{
    char name[16];
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_paths *p;
    made_begin();
    for (unsigned i = 0; i < STELE_CALL_PATH_MAX + 100; i++) {
        snprintf(name, sizeof name, "f%u", i);
        enter(i, name);
    }
    p = made_paths(&(stele_path_options){.by_track = false});
    REQUIRE(stele_paths_tree(p, false, &tree) == STELE_OK);
    CHECK_EQ_U64(tree.depth_max, STELE_CALL_PATH_MAX);
    CHECK_EQ_U64(stele_paths_get_counts(p)->node_other_count, 100);
    CHECK_EQ_U64(tree.nodes[0].sides[0].total_ns, STELE_CALL_PATH_MAX + 99);
    stele_paths_free(p);
    made_end();
}

TEST(paths_are_a_tree_with_the_largest_first)
{
    stele_paths *p;
    made_begin();
    add_some_calls();
    p = made_paths(&(stele_path_options){.by_track = false});
    CHECK_EQ_STR(told(p, false), "main 1 37(f 1 4(g 1 6) g 3 3)");
    CHECK_EQ_STR(told(p, true), "main 1 37(g 3 3 f 1 4(g 1 6))");
    stele_paths_free(p);
    p = made_paths(&(stele_path_options){.by_track = true});
    CHECK_EQ_STR(told(p, false), "thread 1 0 0(main 1 37(f 1 4(g 1 6) g 3 3))");
    stele_paths_free(p);
    p = made_paths(&(stele_path_options){.depth_min = 1, .depth_end = 2, .duration_min_ns = 2});
    CHECK_EQ_STR(told(p, false), "main 0 0(f 1 4(g 0 0) g 0 0)");
    stele_paths_free(p);
    made_end();
}

/* Adds random spans that nest, overlap, recur, and stay open. */
static void add_random_calls(uint32_t count)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    int64_t now = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = names[below(4)];
        now += below(20);
        switch (below(5)) {
        case 0:
        case 1: enter(now, name); break;
        case 2: span(now, now + below(60), name); break;
        default: leave(now, name);
        }
    }
}

/* All calls, from which the time with any of them open is computed. */
static stele_call_span all_calls[1000];
static size_t all_count;

static stele_status keep_calls(void *user, const stele_call_span *spans, size_t count)
{
    (void)user;
    REQUIRE(all_count + count <= sizeof all_calls / sizeof all_calls[0]);
    memcpy(all_calls + all_count, spans, count * sizeof *spans);
    all_count += count;
    return STELE_OK;
}

static int compare_begins(const void *left, const void *right)
{
    const stele_call_span *a = left, *b = right;
    return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static uint64_t time_in_any_call(void)
{
    int64_t until_ns = INT64_MIN;
    uint64_t sum = 0;
    stele_calls *s;
    all_count = 0;
    REQUIRE(stele_calls_new(it.context, &(stele_call_options){.depth_max = 0}, keep_calls, NULL,
                            &s) == STELE_OK);
    CHECK_EQ_U64(stele_calls_add(s, &(stele_segment){it.batch, 0, it.batch->event_count}, NULL),
                 STELE_OK);
    CHECK_EQ_U64(stele_calls_finish(s), STELE_OK);
    stele_calls_free(s);
    qsort(all_calls, all_count, sizeof *all_calls, compare_begins);
    for (size_t i = 0; i < all_count; i++) {
        const stele_call_span *call = &all_calls[i];
        const int64_t from_ns = call->begin_ns > until_ns ? call->begin_ns : until_ns;
        if (call->end_ns > from_ns) {
            sum += (uint64_t)(call->end_ns - from_ns);
            until_ns = call->end_ns;
        }
    }
    return sum;
}

TEST(no_time_is_counted_twice_or_lost)
{
    for (seed = 1; seed < 400; seed++) {
        uint64_t sum = 0, count = 0;
        stele_path_tree tree = STELE_INIT(stele_path_tree);
        stele_paths *p;
        made_begin();
        add_random_calls(300);
        p = made_paths(&(stele_path_options){.by_track = false});
        REQUIRE(stele_paths_tree(p, false, &tree) == STELE_OK);
        for (uint32_t i = stele_path_next(&tree, 0, 0); i != 0; i = stele_path_next(&tree, i, 0)) {
            sum += tree.nodes[i].sides[0].self_ns;
            count += tree.nodes[i].sides[0].count;
        }
        CHECK_EQ_U64(tree.nodes[0].sides[0].total_ns, sum);
        CHECK_EQ_U64(tree.nodes[0].sides[0].total_count, count);
        CHECK_EQ_U64(count, stele_paths_get_counts(p)->call_count);
        CHECK_EQ_U64(sum, time_in_any_call());
        stele_paths_free(p);
        made_end();
    }
}

TEST(self_times_of_nested_calls_add_up_to_the_outermost_ones)
{
    uint64_t outermost = 0;
    uint32_t depth = 0;
    int64_t now = 0, begun = 0;
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_paths *p;
    made_begin();
    for (uint32_t i = 0; i < 3000; i++) {
        now += below(9);
        if (depth == 0 || (depth < 30 && below(2) == 0 && i < 2900)) {
            begun = depth++ == 0 ? now : begun;
            enter(now, depth % 3 == 0 ? "x" : "y");
        } else {
            leave(now, "");
            outermost += --depth == 0 ? (uint64_t)(now - begun) : 0;
        }
    }
    while (depth > 0) {
        leave(++now, "");
        outermost += --depth == 0 ? (uint64_t)(now - begun) : 0;
    }
    p = made_paths(&(stele_path_options){.by_track = false});
    REQUIRE(stele_paths_tree(p, false, &tree) == STELE_OK);
    CHECK_EQ_U64(tree.nodes[0].sides[0].total_ns, outermost);
    stele_paths_free(p);
    made_end();
}

TEST(functions_and_edges_count_recursion_once)
{
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    const stele_graph_function *functions;
    const stele_graph_edge *edges;
    uint32_t function_count, edge_count;
    stele_callgraph *graph;
    stele_paths *p;
    made_begin();
    enter(0, "main");
    enter(10, "f");
    enter(20, "f");
    enter(30, "f");
    leave(40, "f");
    leave(50, "f");
    enter(55, "g");
    leave(56, "g");
    leave(60, "f");
    leave(100, "main");
    p = made_paths(&(stele_path_options){.by_track = false});
    REQUIRE(stele_paths_tree(p, false, &tree) == STELE_OK);
    REQUIRE(stele_callgraph_new(it.context, &tree, &graph) == STELE_OK);
    functions = stele_callgraph_functions(graph, &function_count);
    edges = stele_callgraph_edges(graph, &edge_count);
    REQUIRE(function_count == 3 && edge_count == 3);
    CHECK_EQ_U64(functions[0].name, named("main"));
    CHECK_EQ_U64(functions[0].total_ns, 100);
    CHECK_EQ_U64(functions[1].name, named("f"));
    CHECK_EQ_U64(functions[1].total_ns, 50);
    CHECK_EQ_U64(functions[1].self_ns, 49);
    CHECK_EQ_U64(functions[1].count, 3);
    CHECK_EQ_U64(edges[0].from, 0);
    CHECK_EQ_U64(edges[0].to, 1);
    CHECK_EQ_U64(edges[0].count, 1);
    CHECK_EQ_U64(edges[0].total_ns, 50);
    CHECK_EQ_U64(edges[1].from, 1);
    CHECK_EQ_U64(edges[1].to, 1);
    CHECK_EQ_U64(edges[1].count, 2);
    CHECK_EQ_U64(edges[1].total_ns, 30);
    stele_callgraph_free(graph);
    stele_paths_free(p);
    made_end();
}

TEST(two_sides_share_one_tree)
{
    const stele_path_figures *before, *after;
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_paths *p;
    made_begin();
    enter(0, "f");
    leave(10, "f");
    p = made_paths(&(stele_path_options){.by_track = false});
    CHECK_EQ_U64(stele_paths_turn(p, 1), STELE_OK);
    stele_batch_clear(it.batch);
    it.batch->columns = STELE_COLUMNS_ALL;
    enter(0, "f");
    leave(25, "f");
    enter(30, "new");
    leave(31, "new");
    CHECK_EQ_U64(stele_paths_add(p, &(stele_segment){it.batch, 0, it.batch->event_count}),
                 STELE_OK);
    REQUIRE(stele_paths_tree(p, false, &tree) == STELE_OK);
    before = &tree.nodes[tree.nodes[0].child].sides[0];
    after = &tree.nodes[tree.nodes[0].child].sides[1];
    CHECK_EQ_U64(before->self_ns, 10);
    CHECK_EQ_U64(after->self_ns, 25);
    CHECK_EQ_U64(tree.nodes[0].sides[1].total_ns, 26);
    CHECK_EQ_U64(tree.nodes[0].sides[0].total_ns, 10);
    stele_paths_free(p);
    made_end();
}
