/* SPDX-License-Identifier: Apache-2.0 */
/* What LTTng-UST's events say about this program itself, and what its symbols add to them. */
#include <stele/symbols.h>

#include <stele_config.h>
#include <unistd.h>

#include "model/batch.h"
#include "test.h"

extern const char __executable_start[];

__attribute__((noinline)) static int traced_function(int value)
{
    return value * 3;
}

static stele_context *context;
static stele_batch *batch;

static stele_name name_of(const char *text)
{
    return stele_name_intern(context, text, strlen(text));
}

static void add_number(const char *name, uint64_t value)
{
    stele_field *field = stele_batch_add_field(batch, name_of(name), STELE_TYPE_UINT);
    field->width = 64;
    field->u.u = value;
}

/* Adds an event of process 7 with an instruction pointer. */
static void add_event(const char *provider, const char *name, uint64_t ip)
{
    stele_event *event = stele_batch_add_event(batch);
    stele_field *scope;
    event->kind = STELE_KIND_INSTANT;
    event->name = name_of(name);
    event->category = stele_category_intern(context, name_of(provider));
    scope = stele_batch_add_field(batch, name_of("stream.event.context"), STELE_TYPE_STRUCT);
    scope->hint = STELE_HINT_CONTEXT;
    scope->u.run.length = scope->u.run.count = 2;
    add_number("vpid", 7);
    add_number("ip", ip);
}

/* Returns the text of a member of the event's stele_debug_info, "-" if there is none. */
static stele_text told(const stele_segment *in, uint32_t index, const char *member)
{
    uint32_t first;
    const stele_event *event = &in->batch->events[in->first + index];
    const uint32_t count = stele_event_fields(in->batch, event, &first);
    for (uint32_t i = first; i < first + count; i++)
        if (in->batch->fields[i].name == name_of(member))
            return stele_field_text(context, in->batch, &in->batch->fields[i]);
    return (stele_text){"-", 1};
}

static bool begins(stele_text text, const char *with)
{
    return text.size >= strlen(with) && memcmp(text.bytes, with, strlen(with)) == 0;
}

static void add_binary(uint64_t base, const char *path)
{
    add_event("lttng_ust_statedump", "bin_info", 0);
    add_number("baddr", base);
    add_number("memsz", UINT64_C(1) << 24);
    stele_batch_add_bytes(batch, name_of("path"), STELE_TYPE_STRING, path, strlen(path));
    add_number("is_pic", 1);
}

TEST(functions_of_processes)
{
    static const stele_debug_info_options plain;
    const uint64_t base = (uint64_t)(uintptr_t)__executable_start;
    const uint64_t ip = (uint64_t)(uintptr_t)traced_function + (traced_function(0) == 0);
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    stele_debug_info *info;
    stele_segment out;
    REQUIRE(size > 0);
    path[size] = '\0';
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_batch_new(16, &batch) == STELE_OK);
    REQUIRE(stele_debug_info_new(context, &plain, &info) == STELE_OK);
    add_event("mine", "before", ip);
    add_binary(base, path);
    add_event("mine", "inside", ip);
    add_event("mine", "outside", base - 1);
    add_event("lttng_ust_lib", "unload", 0);
    add_number("baddr", base);
    add_event("mine", "behind", ip);
    REQUIRE(stele_debug_info_apply(info, &(stele_segment){batch, 0, 6}, &out) == STELE_OK);
    CHECK_EQ_U64(out.count, 6);
    CHECK_EQ_U64(told(&out, 0, "func").size, 0);
    CHECK_EQ_U64(told(&out, 3, "bin").size, 0);
    CHECK_EQ_U64(told(&out, 5, "bin").size, 0);
    CHECK(begins(told(&out, 2, "bin"), "unit_debug_info+0x"));
#ifdef STELE_HAVE_ELF
    CHECK(begins(told(&out, 2, "func"), "traced_function+0x1"));
    /* A build without debug information has no line numbers. */
    CHECK(told(&out, 2, "src").size == 0 || begins(told(&out, 2, "src"), "debug_info.c:"));
#endif
    stele_debug_info_free(info);
    stele_batch_free(batch);
    stele_context_free(context);
}

/* The directories of binaries begin with the directory that has the traced machine's files. */
TEST(files_of_another_machine)
{
    static const stele_debug_info_options elsewhere = {.full_path = true,
                                                       .target_prefix = "/other//"};
    stele_debug_info *info;
    stele_segment out;
    stele_text bin;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_batch_new(16, &batch) == STELE_OK);
    REQUIRE(stele_debug_info_new(context, &elsewhere, &info) == STELE_OK);
    add_binary(4096, "/usr/bin/program");
    add_event("mine", "inside", 4112);
    REQUIRE(stele_debug_info_apply(info, &(stele_segment){batch, 0, 2}, &out) == STELE_OK);
    bin = told(&out, 1, "bin");
    CHECK_EQ_MEM(bin.bytes, "/other/usr/bin/program+0x10", bin.size);
    CHECK_EQ_U64(bin.size, 27);
    stele_debug_info_free(info);
    stele_batch_free(batch);
    stele_context_free(context);
}
