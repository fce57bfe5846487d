/* SPDX-License-Identifier: Apache-2.0 */
/* System calls, basic-block vectors and images of memory of <stele/insn_analysis.h>. */
#include <stele/insn_analysis.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/insn/handle.h"
#include "analysis/insn/insn_bbv.h"
#include "analysis/insn/insn_core.h"
#include "analysis/insn/insn_image.h"
#include "analysis/insn/insn_syscalls.h"
#include "core/sized.h"

/* ---- System calls ---- */

/* Linux returns errors as results from -ERROR_MAX to -1. */
#define ERROR_MAX 4095u

typedef struct syscall_total {
    uint64_t call; /* number of the call, if it is known */
    uint64_t count, error_count, unfinished_count, insn_count;
} syscall_total;

struct stele_insn_syscalls {
    insn_syscalls calls;
    stele_insn_syscall_fn *take; /* receiver of single calls; NULL: only totals are wanted */
    void *user;
    keyed totals;               /* by number */
    syscall_total unknown;      /* of calls whose number is not known */
    const syscall_total **rows; /* sorted rows; NULL: they must be made anew */
    stele_insn_vector vectors[SYSCALL_VECTORS_MAX];
};

static uint32_t error_of(const insn_syscall *call)
{
    const uint64_t error = 0 - call->result;
    return call->has_result && error <= ERROR_MAX ? (uint32_t)error : 0;
}

static stele_status add_total(stele_insn_syscalls *self, const insn_syscall *call)
{
    syscall_total *of =
        call->has_call ? keyed_find(&self->totals, sizeof *of, call->call) : &self->unknown;
    if (of == NULL)
        return STELE_ERR_MEMORY;
    of->count++;
    of->error_count += error_of(call) != 0;
    of->unfinished_count += !call->has_result;
    of->insn_count += call->has_result ? call->insn_count : 0;
    return STELE_OK;
}

_Static_assert(STELE_SYSCALL_ARGUMENTS_MAX == SYSCALL_ARGUMENTS_MAX, "the count is the public one");

static stele_status hand_on(stele_insn_syscalls *self, const insn_syscall *from)
{
    stele_insn_syscall call = {.track = from->track,
                               .insn_number = from->insn_number,
                               .pc = from->pc,
                               .has_call = from->has_call,
                               .call = from->has_call ? from->call : 0,
                               .argument_count = from->argument_count,
                               .has_result = from->has_result,
                               .result = from->has_result ? from->result : 0,
                               .insn_count = from->has_result ? from->insn_count : 0,
                               .error = error_of(from),
                               .vector_count = from->vector_count,
                               .vectors = self->vectors};
    memcpy(call.arguments, from->arguments, from->argument_count * sizeof *call.arguments);
    for (uint32_t i = 0; i < from->vector_count; i++)
        self->vectors[i] = (stele_insn_vector){from->vectors[2 * i], from->vectors[2 * i + 1]};
    return self->take(self->user, &call);
}

static stele_status take_call(void *user, const insn_syscall *call)
{
    stele_insn_syscalls *self = user;
    const stele_status status = add_total(self, call);
    return status == STELE_OK && self->take != NULL ? hand_on(self, call) : status;
}

stele_status stele_insn_syscalls_new(stele_insn_syscall_fn *take, void *user,
                                     stele_insn_syscalls **out)
{
    stele_insn_syscalls *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && keyed_init(&made->totals, sizeof(syscall_total)));
    if (*out != NULL) {
        made->take = take;
        made->user = user;
        insn_syscalls_init(&made->calls, take_call, made);
    }
    return handle_status(*out);
}

void stele_insn_syscalls_free(stele_insn_syscalls *self)
{
    if (self == NULL)
        return;
    keyed_free(&self->totals);
    free(self->rows);
    free(self);
}

static void syscalls_forget_rows(stele_insn_syscalls *self)
{
    free(self->rows);
    self->rows = NULL;
}

stele_status stele_insn_syscalls_add(stele_insn_syscalls *self, const stele_insn_batch *batch)
{
    syscalls_forget_rows(self);
    return insn_syscalls_add(&self->calls, batch);
}

stele_status stele_insn_syscalls_finish(stele_insn_syscalls *self)
{
    syscalls_forget_rows(self);
    return insn_syscalls_finish(&self->calls);
}

uint64_t stele_insn_syscalls_stray_count(const stele_insn_syscalls *self)
{
    return self->calls.stray_count;
}

static size_t row_count(const stele_insn_syscalls *self)
{
    return self->totals.used + (self->unknown.count != 0);
}

static int compare_totals(const void *left, const void *right)
{
    const syscall_total *a = *(const syscall_total *const *)left;
    const syscall_total *b = *(const syscall_total *const *)right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->call < b->call ? -1 : a->call > b->call;
}

stele_status stele_insn_syscalls_rows(stele_insn_syscalls *self, size_t *count)
{
    size_t found = 0;
    *count = row_count(self);
    if (self->rows != NULL)
        return STELE_OK;
    self->rows = malloc((*count + 1) * sizeof *self->rows);
    if (self->rows == NULL)
        return STELE_ERR_MEMORY;
    if (self->unknown.count != 0)
        self->rows[found++] = &self->unknown;
    for (size_t i = 0; i < keyed_end(&self->totals); i++) {
        const syscall_total *of = keyed_at(&self->totals, sizeof *of, i);
        if (of != NULL)
            self->rows[found++] = of;
    }
    qsort(self->rows, *count, sizeof *self->rows, compare_totals);
    return STELE_OK;
}

bool stele_insn_syscalls_get(const stele_insn_syscalls *self, size_t index,
                             stele_insn_syscall_row *row)
{
    stele_insn_syscall_row own = {.struct_size = sizeof own};
    const syscall_total *from;
    if (self->rows == NULL || index >= row_count(self))
        return false;
    from = self->rows[index];
    own.has_call = from != &self->unknown;
    own.call = from->call;
    own.count = from->count;
    own.error_count = from->error_count;
    own.unfinished_count = from->unfinished_count;
    own.insn_count = from->insn_count;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_syscall_row, insn_count));
    return true;
}

/* ---- Names of system calls ---- */

const char *stele_syscall_name(uint64_t call)
{
    const syscall_info *info = syscall_find(call);
    return info != NULL ? info->name : NULL;
}

bool stele_syscall_argument(uint64_t call, size_t index, stele_text *name, char *type)
{
    const syscall_info *info = syscall_find(call);
    size_t size = 0;
    const char *bytes = info != NULL ? syscall_argument(info, index, &size, type) : NULL;
    if (bytes == NULL)
        return false;
    name->bytes = bytes;
    name->size = (uint32_t)size;
    return true;
}

char stele_syscall_result_type(uint64_t call)
{
    const syscall_info *info = syscall_find(call);
    return (char)(info != NULL ? info->result : 0);
}

const char *stele_syscall_error_name(uint64_t error)
{
    return syscall_error(error);
}

/* ---- Basic-block vectors ---- */

struct stele_insn_bbv {
    bbv of;
    stele_insn_bbv_fn *take;
    void *user;
};

static stele_status take_interval(void *user, const bbv *vectors, const uint32_t *touched,
                                  size_t count)
{
    const stele_insn_bbv *self = user;
    return self->take(self->user, self, vectors->track, touched, count);
}

stele_status stele_insn_bbv_new(uint64_t interval, stele_insn_bbv_fn *take, void *user,
                                stele_insn_bbv **out)
{
    stele_insn_bbv *made;
    *out = NULL;
    if (interval == 0 || take == NULL)
        return STELE_ERR_ARGUMENT;
    made = calloc(1, sizeof *made);
    if (made == NULL || bbv_init(&made->of, interval, take_interval, made) != STELE_OK) {
        free(made);
        return STELE_ERR_MEMORY;
    }
    made->take = take;
    made->user = user;
    *out = made;
    return STELE_OK;
}

void stele_insn_bbv_free(stele_insn_bbv *self)
{
    if (self == NULL)
        return;
    bbv_free(&self->of);
    free(self);
}

stele_status stele_insn_bbv_add(stele_insn_bbv *self, const stele_insn_batch *batch)
{
    return bbv_add(&self->of, batch);
}

stele_status stele_insn_bbv_finish(stele_insn_bbv *self)
{
    return bbv_finish(&self->of);
}

bool stele_insn_bbv_get_block(const stele_insn_bbv *self, size_t number,
                              stele_insn_bbv_block *block)
{
    stele_insn_bbv_block own = {.struct_size = sizeof own};
    if (number >= self->of.block_count)
        return false;
    own.pc = self->of.blocks[number].pc;
    own.insn_count = self->of.blocks[number].count;
    sized_give(block, &own, sizeof own, SIZED_FIRST(stele_insn_bbv_block, insn_count));
    return true;
}

/* ---- Images of memory ---- */

struct stele_insn_image {
    image of;
    bool is_sorted;
};

_Static_assert(STELE_INSN_IMAGE_PAGE_SIZE == IMAGE_PAGE_SIZE, "the size is the public one");

stele_status stele_insn_image_new(stele_insn_image **out)
{
    stele_insn_image *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && image_init(&made->of) == STELE_OK);
    return handle_status(*out);
}

void stele_insn_image_free(stele_insn_image *self)
{
    if (self == NULL)
        return;
    image_free(&self->of);
    free(self);
}

stele_status stele_insn_image_add(stele_insn_image *self, const stele_insn_batch *batch)
{
    return self->is_sorted ? STELE_ERR_ARGUMENT : image_add(&self->of, batch);
}

stele_status stele_insn_image_rows(stele_insn_image *self, size_t *count)
{
    if (!self->is_sorted)
        image_finish(&self->of);
    self->is_sorted = true;
    *count = self->of.page_count;
    return STELE_OK;
}

bool stele_insn_image_get(const stele_insn_image *self, size_t index, stele_insn_image_page *page)
{
    stele_insn_image_page own = {.struct_size = sizeof own};
    const image_page *from;
    if (!self->is_sorted || index >= self->of.page_count)
        return false;
    from = self->of.pages[index];
    own.address = image_page_address(from);
    own.bytes = from->bytes;
    own.known_count = image_page_known_count(from);
    for (size_t i = 0; i < IMAGE_PAGE_SIZE / 64; i++)
        own.taken_count += (uint64_t)__builtin_popcountll(from->taken[i]);
    own.is_executed = from->is_executed;
    sized_give(page, &own, sizeof own, SIZED_FIRST(stele_insn_image_page, is_executed));
    return true;
}

uint64_t stele_insn_image_conflict_count(const stele_insn_image *self)
{
    return self->of.conflict_count;
}

stele_status stele_insn_image_write_core(const stele_insn_image *self,
                                         const stele_insn_thread_state *threads,
                                         size_t thread_count, stele_insn_write_fn *write,
                                         void *user)
{
    return insn_core_write(&self->of, threads, thread_count, write, user);
}
