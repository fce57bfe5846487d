/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/chrome_links.h"

#include "core/hash.h"

static chrome_link *link_set(chrome_links *links, uint64_t id)
{
    return links->sets[hash_u64(id) % CHROME_LINK_SETS];
}

/* How well an event fits an open flow or operation: the process counts most, then the name, then
   how recently it began. */
static uint64_t link_fit(const chrome_link *link, const stele_event *event, uint32_t pid)
{
    return (uint64_t)(link->pid == pid) << 33 | (uint64_t)(link->name == event->name) << 32 |
           link->begun;
}

/* The open flow or operation with the event's id that fits best. Returns NULL if there is none. */
static chrome_link *link_find(chrome_links *links, const stele_event *event, uint32_t pid,
                              bool is_flow)
{
    chrome_link *set = link_set(links, event->id), *found = NULL;
    for (unsigned i = 0; i < CHROME_LINK_WAYS; i++) {
        if (set[i].depth == 0 || set[i].id != event->id || set[i].is_flow != is_flow)
            continue;
        if (found == NULL || link_fit(&set[i], event, pid) > link_fit(found, event, pid))
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
    chrome_link *link = link_find(links, event, pid, is_flow);
    uint64_t mix = 0;
    if (link != NULL && link->pid == pid && link->name == event->name && !is_flow &&
        link->category == event->category) {
        link->depth++;
        return link;
    }
    if (is_flow)
        mix = event->id ^ ++links->flow_count;
    else if (link != NULL && link->pid != pid)
        mix = hash_u64(pid);
    else if (link != NULL)
        mix = link->mix;
    if (link == NULL || link->pid != pid || !is_flow)
        link = link_take(links, event->id);
    *link = (chrome_link){.id = event->id,
                          .mix = mix,
                          .pid = pid,
                          .depth = 1,
                          .begun = ++links->begin_count,
                          .name = event->name,
                          .category = event->category,
                          .is_flow = is_flow};
    return link;
}

const chrome_link *chrome_links_follow(chrome_links *links, const stele_event *event, uint32_t pid,
                                       bool is_flow)
{
    chrome_link *link = link_find(links, event, pid, is_flow);
    if (link != NULL && (event->kind == STELE_KIND_ASYNC_END || event->kind == STELE_KIND_FLOW_END))
        link->depth--;
    return link;
}
