/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/pairing_places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/batch.h"

#define BINARIES_MAX  65536u
#define ADDRESSES_MAX (1u << 20)

static stele_name intern_text(stele_context *context, const char *text)
{
    const stele_name name = stele_name_intern(context, text, strlen(text));
    return name != UINT32_MAX ? name : 0;
}

void pairing_places_init(pairing_places *p, stele_context *context)
{
    p->context = context;
    p->sched_switch = intern_text(context, "sched_switch");
    p->bin_info = intern_text(context, "bin_info");
    p->dlopen = intern_text(context, "dlopen");
    p->load = intern_text(context, "load");
    p->statedump = intern_text(context, "lttng_ust_statedump");
    p->dl = intern_text(context, "lttng_ust_dl");
    p->lib = intern_text(context, "lttng_ust_lib");
    p->next_tid = intern_text(context, "next_tid");
    p->next_pid = intern_text(context, "next_pid");
    p->next_comm = intern_text(context, "next_comm");
    p->baddr = intern_text(context, "baddr");
    p->memsz = intern_text(context, "memsz");
    p->path = intern_text(context, "path");
    p->addr = intern_text(context, "addr");
}

void pairing_places_free(pairing_places *p)
{
    free(p->running);
    free(p->binaries);
    free(p->addresses);
    hash_table_free(&p->address_numbers);
}

void pairing_places_clear(pairing_places *p)
{
    if (p->running != NULL)
        memset(p->running, 0, p->running_count * sizeof *p->running);
    p->binary_count = p->address_count = 0;
    hash_table_clear(&p->address_numbers);
}

/* ---- Fields of events ---- */

static bool number_of(const stele_batch *batch, const stele_event *event, stele_name name,
                      uint64_t *value)
{
    const stele_field *field = batch_field(batch, event, name);
    if (field == NULL || field->type < STELE_TYPE_UINT || field->type > STELE_TYPE_KOID ||
        field->type == STELE_TYPE_FLOAT)
        return false;
    *value = field->u.u;
    return true;
}

static uint32_t process_of(const pairing_places *p, const stele_event *event)
{
    const stele_track *track = stele_track_get(p->context, event->track);
    return track != NULL && track->kind == STELE_TRACK_THREAD ? track->parent : 0;
}

/* ---- Threads on CPUs ---- */

/* Makes a name of a text field. Texts of the kernel are padded with zeros, which are cut off. */
static stele_name text_name(pairing_places *p, const stele_batch *batch, const stele_field *field)
{
    stele_text text;
    stele_name name;
    if (field == NULL || (field->type != STELE_TYPE_STRING && field->type != STELE_TYPE_NAME))
        return 0;
    text = stele_field_text(p->context, batch, field);
    name = stele_name_intern(p->context, text.bytes, strnlen(text.bytes, text.size));
    return name != UINT32_MAX ? name : 0;
}

bool pairing_places_run(pairing_places *p, uint32_t cpu, uint32_t thread)
{
    if (cpu >= p->running_count) {
        uint32_t *running = array_reach(p->running, sizeof *running, &p->running_count, cpu);
        if (running == NULL)
            return false;
        p->running = running;
    }
    p->running[cpu] = thread;
    return true;
}

static bool see_switch(pairing_places *p, const stele_batch *batch, const stele_event *event)
{
    const stele_track *cpu = stele_track_get(p->context, event->track);
    stele_track thread = {.kind = STELE_TRACK_THREAD};
    uint32_t track = 0;
    if (cpu == NULL || cpu->kind != STELE_TRACK_CPU)
        return true;
    thread.source = cpu->source;
    /* The idle threads of all CPUs have the number 0, so they are not one thread. */
    if ((number_of(batch, event, p->next_tid, &thread.number) ||
         number_of(batch, event, p->next_pid, &thread.number)) &&
        thread.number != 0) {
        const stele_name name = text_name(p, batch, batch_field(batch, event, p->next_comm));
        track = stele_track_intern(p->context, &thread);
        if (track == 0)
            return false;
        if (name != 0 && stele_track_get(p->context, track)->kind == STELE_TRACK_THREAD &&
            stele_track_get(p->context, track)->name == 0)
            stele_track_set_name(p->context, track, name);
    }
    return pairing_places_run(p, event->track, track);
}

uint32_t pairing_places_thread(const pairing_places *p, const stele_event *event)
{
    const uint32_t thread = event->track < p->running_count ? p->running[event->track] : 0;
    return thread != 0 ? thread : event->track;
}

/* ---- Names of functions ---- */

bool pairing_places_load(pairing_places *p, const loaded_binary *binary)
{
    if (p->binary_count == BINARIES_MAX)
        return true;
    if (p->binary_count == p->binary_capacity) {
        loaded_binary *binaries =
            array_grow(p->binaries, sizeof *binaries, &p->binary_capacity, 16);
        if (binaries == NULL)
            return false;
        p->binaries = binaries;
    }
    p->binaries[p->binary_count++] = *binary;
    return true;
}

static bool see_binary(pairing_places *p, const stele_batch *batch, const stele_event *event)
{
    loaded_binary made = {.process = process_of(p, event)};
    if (!number_of(batch, event, p->baddr, &made.base) ||
        !number_of(batch, event, p->memsz, &made.size) || p->binary_count == BINARIES_MAX)
        return true;
    made.path = text_name(p, batch, batch_field(batch, event, p->path));
    return pairing_places_load(p, &made);
}

bool pairing_places_see(pairing_places *p, const stele_batch *batch, const stele_event *event)
{
    const stele_name name = event->name;
    stele_name category;
    if (name == 0)
        return true;
    if (name == p->sched_switch)
        return see_switch(p, batch, event);
    if (name != p->bin_info && name != p->dlopen && name != p->load)
        return true;
    category = stele_category_name(p->context, event->category);
    return category != (name == p->bin_info ? p->statedump
                        : name == p->dlopen ? p->dl
                                            : p->lib) ||
           see_binary(p, batch, event);
}

/* The binary that was loaded last at an address of a process. Returns NULL if it is not known. */
static const loaded_binary *binary_at(const pairing_places *p, uint32_t process, uint64_t address)
{
    for (uint32_t i = p->binary_count; i-- > 0;) {
        const loaded_binary *binary = &p->binaries[i];
        if (binary->process == process && address >= binary->base &&
            address - binary->base < binary->size)
            return binary;
    }
    return NULL;
}

/* The name that the user's callback has for an address; empty if it has none. */
static stele_text placed_name(const pairing_places *p, const loaded_binary *binary,
                              uint64_t address)
{
    if (p->place == NULL)
        return (stele_text){"", 0};
    if (binary == NULL || binary->path == 0)
        return p->place(p->place_user, (stele_text){"", 0}, address);
    return p->place(p->place_user, stele_name_text(p->context, NULL, binary->path),
                    address - binary->base);
}

static stele_name address_name(pairing_places *p, uint32_t process, uint64_t address)
{
    const stele_track *track = stele_track_get(p->context, process);
    const loaded_binary *binary = binary_at(p, process, address);
    stele_text text = {"", 0};
    char made[512];
    if (p->resolve != NULL)
        text = p->resolve(p->resolve_user, track != NULL ? track->number : 0, address);
    if (text.size == 0)
        text = placed_name(p, binary, address);
    if (text.size == 0 && binary != NULL && binary->path != 0) {
        const stele_text path = stele_name_text(p->context, NULL, binary->path);
        size_t at = path.size;
        while (at != 0 && path.bytes[at - 1] != '/')
            at--;
        snprintf(made, sizeof made, "%.*s+0x%" PRIx64,
                 (int)(path.size - at > 256 ? 256 : path.size - at), path.bytes + at,
                 address - binary->base);
        text = (stele_text){made, strlen(made)};
    } else if (text.size == 0) {
        snprintf(made, sizeof made, "0x%" PRIx64, address);
        text = (stele_text){made, strlen(made)};
    }
    return stele_name_intern(p->context, text.bytes, text.size);
}

stele_name pairing_places_function(pairing_places *p, const stele_batch *batch,
                                   const stele_event *event)
{
    const uint32_t process = process_of(p, event);
    uint64_t address;
    uint32_t hash;
    stele_name name;
    if (!number_of(batch, event, p->addr, &address) || !hash_table_reserve(&p->address_numbers))
        return 0;
    hash = hash_table_hash_pair(&p->address_numbers, process, address);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&p->address_numbers, hash, &at)) != HASH_NONE;)
        if (p->addresses[number].address == address && p->addresses[number].process == process)
            return p->addresses[number].name;
    name = address_name(p, process, address);
    if (name == UINT32_MAX)
        return 0;
    if (p->address_count == p->address_capacity) {
        named_address *addresses;
        if (p->address_count >= ADDRESSES_MAX)
            return name;
        addresses = array_grow(p->addresses, sizeof *addresses, &p->address_capacity, 256);
        if (addresses == NULL)
            return name;
        p->addresses = addresses;
    }
    p->addresses[p->address_count] = (named_address){process, address, name};
    hash_table_put(&p->address_numbers, hash, p->address_count++);
    return name;
}
