/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd, which is loaded when a page is served: it brings libraries for TLS that take
 * longer to load than most commands run. Its header is needed to build this; without it there is no
 * server.
 */
#ifndef VIEW_HTTP_H
#define VIEW_HTTP_H

#include "stele_config.h"

#include <stdbool.h>

typedef struct http http;

/* Loads the library, which then stays loaded. Returns false if this machine does not have it. */
bool http_open(http *h);

#ifdef STELE_HAVE_HTTP

#include <microhttpd.h>

#define HTTP_FUNCTIONS(X)          \
    X(add_response_header)         \
    X(create_response_from_buffer) \
    X(create_response_from_fd64)   \
    X(destroy_response)            \
    X(get_connection_info)         \
    X(get_daemon_info)             \
    X(get_version)                 \
    X(lookup_connection_value)     \
    X(queue_response)              \
    X(resume_connection)           \
    X(run_wait)                    \
    X(start_daemon)                \
    X(stop_daemon)                 \
    X(suspend_connection)

/* Its functions, without "MHD_". */
struct http {
#define X(name) __typeof__(MHD_##name) *name;
    HTTP_FUNCTIONS(X)
#undef X
};

#endif
#endif
