/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the files of a copy: those of data streams that have packets in it, and those that are
   copied as they are. */
#include "formats/ctf/write/copy_files.h"
#include "formats/ctf/read/walk.h"

/* Completes a file and its index. A complete file stays in the output but takes no memory. */
static void file_seal(file_copy *file)
{
    if (file->out != NULL)
        output_seal(file->out);
    index_copy_close(file->index);
    file->index = NULL;
}

/* Whether the walk may still give packets of the file. */
static bool is_open_file(const ctf_walk *walk, const ctf_file *file)
{
    for (uint32_t i = 0; i < walk->open_count; i++)
        if (walk->open[i]->file == file)
            return true;
    return false;
}

void copy_seal_files(ctf_copier *c, bool all)
{
    for (uint32_t i = 0; i < c->stream->file_count; i++) {
        const uint32_t number = c->stream->files[i];
        /* A file that the walk has left gets no more packets, so it can be completed. */
        if (all || !is_open_file(&c->walk, &c->trace->files[number]))
            file_seal(&c->files[number]);
    }
}

stele_status copy_open_file(ctf_copier *c, file_copy **opened)
{
    const uint32_t number = current_file(c);
    const ctf_file *file = &c->trace->files[number];
    stele_status status = STELE_OK;
    /* A file is made when its first packet is copied, so a file of which no packet is
       kept does not appear in the copy. */
    *opened = &c->files[number];
    if ((*opened)->out != NULL)
        return STELE_OK;
    /* Few files stay open, however many rotations a stream has. */
    if (c->stream->file_count > FILES_OPEN)
        copy_seal_files(c, false);
    status = copy_add(c->out, c->base.folder, file->name, &(*opened)->out);
    if (status == STELE_OK)
        status = index_copy_open(c->trace, file, c->out, c->base.folder, &(*opened)->index);
    return status;
}

stele_status copy_range(window *w, uint64_t offset, uint64_t size, output *out)
{
    window_move(w, offset, UINT64_MAX);
    /* Ends with the file, too: copy_member() asks for as much as there is. */
    while (size != 0) {
        size_t loaded = window_need(w, 1);
        if (loaded == 0)
            break;
        /* The window may hold more than is wanted. */
        if (loaded > size)
            loaded = (size_t)size;
        output_write(out, w->at, loaded);
        size -= loaded;
        if (!window_skip(w, loaded))
            break;
    }
    return w->status != STELE_OK ? w->status : out->status;
}

stele_status copy_member(ctf_copier *c, size_t member, const char *name)
{
    input *in = NULL;
    output *out;
    window w;
    stele_status status = ctf_open_member(c->trace, member, &in);
    if (status != STELE_OK)
        return status;
    /* The window reads the member in parts, whatever its size. */
    status = window_open(&w, in, 0, UINT64_MAX, c->trace->base.context->limits.window_size, 1);
    if (status == STELE_OK) {
        status = copy_add(c->out, c->base.folder, name, &out);
        if (status == STELE_OK) {
            status = copy_range(&w, 0, UINT64_MAX, out);
            output_seal(out);
        }
        window_close(&w);
    }
    ctf_close_member(member, in);
    return status;
}

stele_status copy_empty(ctf_copier *c, const ctf_file *file)
{
    const source *from = c->trace->base.source;
    stele_status status;
    /* Files with packets are copied by their packets, and files of metadata that cannot be used are
       not part of the copy. */
    if (source_member_at(from, file->member)->size != 0 ||
        !ctf_schema_subtrace(c->trace, file->subtrace)->is_open)
        return STELE_OK;
    /* An empty file and its index belong to the trace although they have no packets. */
    status = copy_member(c, file->member, file->name);
    if (status == STELE_OK && file->index_member != CTF_WHOLE)
        status =
            copy_member(c, file->index_member, source_member_at(from, file->index_member)->name);
    return status;
}
