/* SPDX-License-Identifier: Apache-2.0 */
/* What kernel traces tell: made-up events, compared with numbers worked out by hand. */
#include <stele/kernel.h>

#include <string.h>

#include "calls_made.h"

static stele_kernel *kernel;

static void begin(const stele_kernel_options *options)
{
    made_begin();
    REQUIRE(stele_kernel_new(it.context, options, &kernel) == STELE_OK);
}

static void finish(void)
{
    const stele_segment segment = made_segment();
    CHECK_EQ_U64(stele_kernel_add(kernel, &segment), STELE_OK);
    CHECK_EQ_U64(stele_kernel_finish(kernel), STELE_OK);
}

static void end(void)
{
    stele_kernel_free(kernel);
    made_end();
}

static void moment(int64_t time_ns, uint16_t cpu, const char *name)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = STELE_KIND_INSTANT;
    event->name = named(name);
    event->time_ns = time_ns;
    event->offset = (uint64_t)time_ns;
    event->cpu = cpu;
    event->flags = STELE_FLAG_HAS_CPU;
}

static void has(const char *name, int64_t value)
{
    stele_field *field = stele_batch_add_field(it.batch, named(name), STELE_TYPE_INT);
    REQUIRE(field != NULL);
    field->u.i = value;
}

static void has_text(const char *name, const char *text)
{
    REQUIRE(stele_batch_add_bytes(it.batch, named(name), STELE_TYPE_STRING, text, strlen(text)) ==
            STELE_OK);
}

static void runs(int64_t time_ns, uint16_t cpu, int64_t from, int64_t to)
{
    moment(time_ns, cpu, "sched_switch");
    has("prev_tid", from);
    has("prev_state", 1);
    has("next_tid", to);
}

static const stele_kernel_row *row_of(stele_kernel_class of, const char *name,
                                      uint64_t thread_number)
{
    const stele_kernel_row *rows;
    size_t count;
    CHECK_EQ_U64(stele_kernel_rows(kernel, of, STELE_KERNEL_BY_TOTAL, &rows, &count), STELE_OK);
    for (size_t i = 0; i < count; i++) {
        const stele_track *track = stele_track_get(it.context, rows[i].thread);
        if (rows[i].name == named(name) && (track != NULL ? track->number : 0) == thread_number)
            return &rows[i];
    }
    return NULL;
}

static stele_kernel_totals totals(void)
{
    stele_kernel_totals all = STELE_INIT(stele_kernel_totals);
    stele_kernel_get_totals(kernel, &all);
    return all;
}

/* Adds system calls of two threads on one CPU: one that waits, one without an exit, one without
   an entry. */
static void add_calls(void)
{
    moment(50, 0, "syscall_entry_read"); /* the thread is not known */
    runs(100, 0, 0, 11);
    moment(110, 0, "syscall_entry_read");
    runs(120, 0, 11, 12); /* thread 11 waits in the call */
    moment(130, 0, "syscall_entry_write");
    moment(150, 0, "syscall_exit_write"); /* thread 12: 20 ns, fails */
    has("ret", -5);
    moment(160, 0, "syscall_exit_write"); /* has no entry */
    has("ret", 1);
    runs(200, 0, 12, 11);
    moment(210, 0, "syscall_exit_read"); /* thread 11: 100 ns, 7 bytes */
    has("ret", 7);
    moment(220, 0, "sys_read");     /* the name in older tracers */
    moment(250, 0, "exit_syscall"); /* thread 11: 30 ns, 3 bytes */
    has("ret", 3);
    moment(260, 0, "syscall_entry_futex"); /* has no exit */
}

static bool is_asked_for(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

TEST(fields_that_are_looked_at)
{
    const stele_request found = {.where = "arg.comm == 'dd'"}, named_only = {.kinds = 0};
    stele_kernel_options options = STELE_INIT(stele_kernel_options);
    const char *const *names;
    stele_sched *sched;
    size_t count;
    begin(&options);
    count = stele_kernel_fields(kernel, &names);
    CHECK(is_asked_for(names, count, "cpu_id") && is_asked_for(names, count, "prev_tid"));
    CHECK(is_asked_for(names, count, "nr_sector") && is_asked_for(names, count, "filename"));
    CHECK(!is_asked_for(names, count, "gfp_flags"));
    for (size_t i = 0; i < count; i++)
        CHECK(!is_asked_for(names, i, names[i]));
    CHECK_EQ_U64(stele_sched_new(it.context, NULL, &sched), STELE_OK);
    count = stele_sched_fields(sched, &names);
    CHECK(is_asked_for(names, count, "next_comm") && is_asked_for(names, count, "tid"));
    CHECK(!is_asked_for(names, count, "nr_sector") && !is_asked_for(names, count, "filename"));
    stele_sched_free(sched);
    end();
    options.only = &found;
    begin(&options);
    CHECK_EQ_U64(stele_kernel_fields(kernel, &names), 0); /* the expression may ask for any */
    end();
    options.only = &named_only;
    begin(&options);
    CHECK(stele_kernel_fields(kernel, &names) != 0);
    end();
}

TEST(system_calls)
{
    const stele_kernel_row *row;
    begin(NULL);
    add_calls();
    finish();
    row = row_of(STELE_KERNEL_SYSCALL, "read", 0);
    REQUIRE(row != NULL);
    CHECK_EQ_U64(row->count, 2);
    CHECK_EQ_U64(row->total_ns, 130);
    CHECK_EQ_U64(row->min_ns, 30);
    CHECK_EQ_U64(row->max_ns, 100);
    CHECK_EQ_U64(row->byte_count, 10);
    CHECK_EQ_U64(row->error_count, 0);
    CHECK_EQ_U64(row->worst_offset, 110);
    row = row_of(STELE_KERNEL_SYSCALL, "write", 0);
    REQUIRE(row != NULL);
    CHECK_EQ_U64(row->count, 1);
    CHECK_EQ_U64(row->error_count, 1);
    CHECK_EQ_U64(row->byte_count, 0);
    row = row_of(STELE_KERNEL_SYSCALL, "futex", 0);
    REQUIRE(row != NULL);
    CHECK_EQ_U64(row->open_count, 1);
    CHECK_EQ_U64(row->count, 0);
    CHECK_EQ_U64(totals().unmatched_count, 1);
    CHECK_EQ_U64(totals().unplaced_count, 1);
    end();
}

TEST(system_calls_of_threads)
{
    begin(&(stele_kernel_options){.by_thread = true});
    add_calls();
    finish();
    CHECK_EQ_U64(row_of(STELE_KERNEL_SYSCALL, "read", 11)->count, 2);
    CHECK_EQ_U64(row_of(STELE_KERNEL_SYSCALL, "write", 12)->total_ns, 20);
    CHECK(row_of(STELE_KERNEL_SYSCALL, "write", 11) == NULL);
    end();
}

/* A call that ends in the window counts, with its whole duration. */
TEST(a_window_counts_what_ends_in_it)
{
    begin(NULL);
    CHECK_EQ_U64(stele_kernel_set_window(kernel, 205, 240), STELE_OK);
    add_calls();
    finish();
    CHECK_EQ_U64(row_of(STELE_KERNEL_SYSCALL, "read", 0)->count, 1);
    CHECK_EQ_U64(row_of(STELE_KERNEL_SYSCALL, "read", 0)->total_ns, 100);
    CHECK(row_of(STELE_KERNEL_SYSCALL, "write", 0) == NULL);
    end();
}

static void irq(int64_t time_ns, bool is_entry, int64_t number, const char *name)
{
    moment(time_ns, 1, is_entry ? "irq_handler_entry" : "irq_handler_exit");
    has("irq", number);
    if (is_entry)
        has_text("name", name);
}

TEST(interrupts_nest_and_softirqs_wait)
{
    begin(NULL);
    irq(100, true, 5, "disk");
    irq(110, true, 9, "net");
    irq(130, false, 9, NULL);
    moment(135, 1, "irq_softirq_raise");
    has("vec", 3);
    moment(138, 1, "irq_softirq_raise"); /* raised again */
    has("vec", 3);
    irq(140, false, 5, NULL);
    irq(145, false, 5, NULL); /* has no entry */
    moment(150, 1, "irq_softirq_entry");
    has("vec", 3);
    moment(190, 1, "irq_softirq_exit");
    has("vec", 3);
    finish();
    CHECK_EQ_U64(row_of(STELE_KERNEL_IRQ, "disk", 0)->total_ns, 40);
    CHECK_EQ_U64(row_of(STELE_KERNEL_IRQ, "disk", 0)->number, 5);
    CHECK_EQ_U64(row_of(STELE_KERNEL_IRQ, "net", 0)->total_ns, 20);
    CHECK_EQ_U64(row_of(STELE_KERNEL_SOFTIRQ, "NET_RX", 0)->total_ns, 40);
    CHECK_EQ_U64(row_of(STELE_KERNEL_SOFTIRQ_RAISE, "NET_RX", 0)->total_ns, 15);
    CHECK_EQ_U64(row_of(STELE_KERNEL_SOFTIRQ_RAISE, "NET_RX", 0)->count, 1);
    CHECK_EQ_U64(totals().unmatched_count, 1);
    end();
}

static void block(int64_t time_ns, bool is_issue, int64_t sector, int64_t sectors)
{
    moment(time_ns, 0, is_issue ? "block_rq_issue" : "block_rq_complete");
    has("dev", 8 << 20 | 1);
    has("sector", sector);
    has("nr_sector", sectors);
}

TEST(requests_packets_and_memory)
{
    const stele_kernel_row *row;
    begin(NULL);
    block(100, true, 1000, 8);
    block(110, true, 2000, 16);
    block(150, false, 2000, 16);
    block(300, false, 1000, 8);
    block(310, true, 3000, 8); /* does not complete */
    moment(400, 0, "net_dev_xmit");
    has("len", 100);
    has_text("name", "eth0");
    moment(410, 0, "netif_receive_skb");
    has("len", 60);
    has_text("name", "eth0");
    moment(420, 0, "mm_page_alloc");
    has("order", 2);
    moment(430, 0, "kmem_mm_page_free");
    has("order", 1);
    finish();
    row = row_of(STELE_KERNEL_DISK, "8:1", 0);
    REQUIRE(row != NULL);
    CHECK_EQ_U64(row->count, 2);
    CHECK_EQ_U64(row->total_ns, 240);
    CHECK_EQ_U64(row->byte_count, 24 * 512);
    CHECK_EQ_U64(row->open_count, 1);
    CHECK_EQ_U64(row_of(STELE_KERNEL_SEND, "eth0", 0)->byte_count, 100);
    CHECK_EQ_U64(row_of(STELE_KERNEL_RECEIVE, "eth0", 0)->byte_count, 60);
    CHECK_EQ_U64(row_of(STELE_KERNEL_PAGES_TAKEN, "", 0)->byte_count, 4 * 4096);
    CHECK_EQ_U64(row_of(STELE_KERNEL_PAGES_GIVEN, "", 0)->byte_count, 2 * 4096);
    CHECK_EQ_U64(totals().page_count_most, 4);
    CHECK_EQ_U64((uint64_t)totals().page_count_end, 2);
    end();
}

/* Requests beyond the limit of what is followed are reported as open, so none is lost silently. */
TEST(many_requests_under_way)
{
    uint64_t open;
    begin(NULL);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 4000; i++)
            block(100 + i, true, round * 4000 + i, 8);
        if (round < 2) {
            const stele_segment segment = made_segment();
            CHECK_EQ_U64(stele_kernel_add(kernel, &segment), STELE_OK);
            stele_batch_clear(it.batch);
            it.batch->columns = STELE_COLUMNS_ALL;
        }
    }
    finish();
    open = row_of(STELE_KERNEL_DISK, "8:1", 0)->open_count;
    CHECK_EQ_U64(open, 12000);
    end();
}
