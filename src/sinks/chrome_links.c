/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/chrome_links.h"

#include "core/hash.h"

static chrome_link *link_set(chrome_links *links, uint64_t id)
{
    return links->sets[hash_u64(id) % CHROME_LINK_SETS];
}

/* The operation of this process, else that of another one, else NULL. */
static chrome_link *link_find(chrome_links *links, uint64_t id, uint32_t pid, bool is_flow)
{
    chrome_link *set = link_set(links, id), *found = NULL;
    for (unsigned i = 0; i < CHROME_LINK_WAYS; i++) {
        if (set[i].depth == 0 || set[i].id != id || set[i].is_flow != is_flow)
            continue;
        if (set[i].pid == pid)
            return &set[i];
        found = &set[i];
    }
    return found;
}

static chrome_link *link_take(chrome_links *links, uint64_t id)
{
    chrome_link *set = link_set(links, id);
    for (unsigned i = 0; i < CHROME_LINK_WAYS; i++) {
        if (set[i].depth == 0)
            return &set[i];
    }
    return &set[links->turn++ % CHROME_LINK_WAYS];
}

const chrome_link *chrome_links_begin(chrome_links *links, const stele_event *event, uint32_t pid,
                                      bool is_flow)
{
    chrome_link *link = link_find(links, event->id, pid, is_flow);
    uint64_t mix = 0;
    if (link != NULL && link->pid == pid) {
        link->depth += !is_flow; /* operations nest, flows begin anew */
        return link;
    }
    if (link != NULL)
        mix = hash_u64(pid);
    link = link_take(links, event->id);
    *link = (chrome_link){.id = event->id,
                          .mix = mix,
                          .pid = pid,
                          .depth = 1,
                          .name = event->name,
                          .category = event->category,
                          .is_flow = is_flow};
    return link;
}

const chrome_link *chrome_links_follow(chrome_links *links, const stele_event *event, uint32_t pid,
                                       bool is_flow)
{
    chrome_link *link = link_find(links, event->id, pid, is_flow);
    if (link != NULL && (event->kind == STELE_KIND_ASYNC_END || event->kind == STELE_KIND_FLOW_END))
        link->depth--;
    return link;
}
