/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows and asynchronous operations that are under way. Traces tie their events by an id, within
 * one process as a rule, and across processes where one hands on to another; names may differ from
 * event to event. Chrome ties them by id, category and name, within everything.
 *
 * So an operation whose id is under way in another process gets an id of its own, and so does every
 * flow: viewers tie flows of one id even where one has ended before the next begins. What follows
 * belongs to the begin of its own process, or else to that of another, and to the latest of its own
 * name, or else of any. What is remembered is bounded: an operation is forgotten when many younger
 * ones have begun; its id then stays as it is.
 */
#ifndef SINKS_CHROME_LINKS_H
#define SINKS_CHROME_LINKS_H

#include <stele/event.h>

#define CHROME_LINK_SETS 1024u
#define CHROME_LINK_WAYS 4u

typedef struct chrome_link {
    uint64_t id;     /* in the trace */
    uint64_t mix;    /* `id ^ mix` is the one to write */
    uint32_t pid;    /* of its begin */
    uint32_t depth;  /* begins without end; 0: free */
    uint32_t begun;  /* by number of the begin: which is the latest */
    stele_name name; /* of its begin */
    uint16_t category;
    bool is_flow;
} chrome_link;

/* Zeros are an empty table. */
typedef struct chrome_links {
    chrome_link sets[CHROME_LINK_SETS][CHROME_LINK_WAYS];
    uint32_t turn; /* which one to forget next */
    uint32_t begin_count;
    uint64_t flow_count;
} chrome_links;

/* The operation that begins with this event, or goes on beginning. */
const chrome_link *chrome_links_begin(chrome_links *links, const stele_event *event, uint32_t pid,
                                      bool is_flow);

/* The one that a step or an end belongs to; NULL when none is known. It holds until the next call,
   also when the event ends it. */
const chrome_link *chrome_links_follow(chrome_links *links, const stele_event *event, uint32_t pid,
                                       bool is_flow);

#endif
