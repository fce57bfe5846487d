/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open flows and asynchronous operations. Traces connect their events by an id, usually within a
 * process, or across processes if one hands on work to another; names may differ from event to
 * event. Chrome connects events by id, category and name, over all processes.
 *
 * So an operation whose id is open in another process gets an id of its own, and so does every
 * flow: viewers connect flows of one id even if one has ended before the next begins. An event
 * belongs to a begin of its own process, or else of another, and to the latest with its own name,
 * or else with any. The table is bounded: an operation is dropped when many younger ones have
 * begun, and its later events keep the id of the trace.
 */
#ifndef SINKS_CHROME_LINKS_H
#define SINKS_CHROME_LINKS_H

#include <stele/event.h>

#define CHROME_LINK_SETS 1024u
#define CHROME_LINK_WAYS 4u

typedef struct chrome_link {
    uint64_t id;     /* id in the trace */
    uint64_t mix;    /* the id that is written is `id ^ mix` */
    uint32_t pid;    /* process of the begin */
    uint32_t depth;  /* begins without an end; 0: the slot is free */
    uint32_t begun;  /* number of its begin, in the order of begins */
    stele_name name; /* name of the begin */
    uint16_t category;
    bool is_flow;
} chrome_link;

/* The table of open flows and operations; zeros are an empty one. */
typedef struct chrome_links {
    chrome_link sets[CHROME_LINK_SETS][CHROME_LINK_WAYS];
    uint32_t turn; /* slot of a set that is dropped next */
    uint32_t begin_count;
    uint64_t flow_count;
} chrome_links;

/* Adds an operation or flow that begins with this event, or one more begin of an open one. */
const chrome_link *chrome_links_begin(chrome_links *links, const stele_event *event, uint32_t pid,
                                      bool is_flow);

/* Finds the operation or flow of a step or an end. Returns NULL if it is not known. Valid until
   the next call, also if the event ends it. */
const chrome_link *chrome_links_follow(chrome_links *links, const stele_event *event, uint32_t pid,
                                       bool is_flow);

#endif
