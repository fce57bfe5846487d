/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server of the page, on one thread: it answers one question after the other, and reads on in
 * the traces while nobody asks. Once the traces are known, questions that take long are answered by
 * processes of their own. A question whose browser has gone away is not answered any further.
 */
#include "stele_config.h"
#include "view/address.h"
#include "view/aside.h"
#include "view/http.h"
#include "view/view.h"
#include "view/visitors.h"

#include <stele/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef STELE_HAVE_HTTP

bool view_can_serve(void)
{
    return false;
}

void view_server_version(char *out, size_t size)
{
    (void)size;
    *out = 0;
}

stele_status view_serve(viewer *v, const serve_options *options, const char **why)
{
    (void)v;
    (void)options;
    *why = "this build has no server";
    return STELE_ERR_UNSUPPORTED;
}

#else

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN_BYTES       16u
#define CONNECTION_MEMORY (QUESTION_TARGET_MAX * 2u)
#define TIMEOUT_S         30u
#define SCAN_NS           20000000u /* how long a question waits for the scan */
#define WAIT_MS           250
#define ASIDE_WAIT_MS     4
#define STRANGERS_WAIT_MS 20
/* processes that answer at the same time; further questions wait */
#define ASIDES_MAX        4u

/* A request, from its first line until its connection is done with it. */
typedef struct request {
    char target[QUESTION_TARGET_MAX + 1];
    size_t size;
    bool is_seen; /* the headers of the request have come */
    question q;
    /* The members below are set if the request is answered in a process of its own. */
    struct request *next;
    struct MHD_Connection *connection;
    aside aside;
    aside_result result;
    int answer; /* file that holds the answer; -1: none */
    bool is_waiting, is_done;
} request;

typedef struct server {
    http http;
    viewer *v;
    const serve_options *options;
    struct MHD_Daemon *daemon;
    char token[2 * TOKEN_BYTES + 1];
    address address;
    bool is_scanned;
    visitors visitors;
    int client;       /* socket of the browser whose question is being answered; -1: none */
    request *waiting; /* requests answered in a process of their own, or that wait for one */
    aside keeping;    /* the process that saves the overview */
    stele_trace *kept;
} server;

bool view_can_serve(void)
{
    return true;
}

void view_server_version(char *out, size_t size)
{
    http h;
    snprintf(out, size, "%s", http_open(&h) ? h.get_version() : "");
}

/* ---- Answers to requests ---- */

static void add_headers(const http *h, struct MHD_Response *response, const char *type,
                        const char *attachment)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
         "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    char disposition[128];
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        h->add_response_header(response, headers[i][0], headers[i][1]);
    h->add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    if (attachment != NULL) {
        snprintf(disposition, sizeof disposition, "attachment; filename=\"%s\"", attachment);
        h->add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
    }
}

static enum MHD_Result give(const http *h, struct MHD_Connection *connection, unsigned code,
                            const char *type, const char *attachment, struct MHD_Response *response)
{
    enum MHD_Result result;
    if (response == NULL)
        return MHD_NO;
    add_headers(h, response, type, attachment);
    result = h->queue_response(connection, code, response);
    h->destroy_response(response);
    return result;
}

static enum MHD_Result give_text(const http *h, struct MHD_Connection *connection, unsigned code,
                                 const char *text)
{
    return give(h, connection, code, "text/plain; charset=utf-8", NULL,
                h->create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                               MHD_RESPMEM_MUST_COPY));
}

static enum MHD_Result give_file(const http *h, struct MHD_Connection *connection, const char *name)
{
    const view_file *file = view_file_find(name);
    if (file == NULL)
        return give_text(h, connection, MHD_HTTP_NOT_FOUND, "There is no such file.\n");
    return give(h, connection, MHD_HTTP_OK, file->type, NULL,
                h->create_response_from_buffer(file->size, (void *)(uintptr_t)file->bytes,
                                               MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result give_failure(const http *h, struct MHD_Connection *connection,
                                    stele_status status)
{
    stele_output *out = NULL;
    enum MHD_Result result = MHD_NO;
    if (stele_output_open_memory(NULL, &out) == STELE_OK) {
        const uint8_t *bytes;
        size_t size;
        view_put_error(out, stele_status_text(status));
        bytes = stele_output_memory(out, &size);
        result = give(
            h, connection, MHD_HTTP_INTERNAL_SERVER_ERROR, "application/json", NULL,
            h->create_response_from_buffer(size, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY));
    }
    stele_output_close(out);
    return result;
}

static enum MHD_Result give_answer(server *s, struct MHD_Connection *connection, const question *q)
{
    stele_output *out = NULL;
    view_answer answer;
    enum MHD_Result result;
    stele_status status = stele_output_open_memory(NULL, &out);
    if (status == STELE_OK)
        status = viewer_answer(s->v, q, out, &answer);
    if (status == STELE_OK)
        status = stele_output_status(out);
    if (status == STELE_OK) {
        size_t size;
        const uint8_t *bytes = stele_output_memory(out, &size);
        result = give(&s->http, connection, answer.code, answer.type, answer.attachment,
                      s->http.create_response_from_buffer(size, (void *)(uintptr_t)bytes,
                                                          MHD_RESPMEM_MUST_COPY));
    } else {
        result = status == STELE_ERR_CLOSED ? MHD_NO : give_failure(&s->http, connection, status);
    }
    stele_output_close(out);
    return result;
}

/* Gives the answer in a file, and closes the file. */
static enum MHD_Result give_spooled(const http *h, struct MHD_Connection *connection,
                                    const aside_result *result, int fd)
{
    struct stat about;
    if (result->status == STELE_OK && fd >= 0 && fstat(fd, &about) == 0)
        return give(h, connection, result->code, result->type,
                    result->attachment[0] != 0 ? result->attachment : NULL,
                    h->create_response_from_fd64((uint64_t)about.st_size, fd));
    if (fd >= 0)
        close(fd);
    return result->status == STELE_ERR_CLOSED
               ? MHD_NO
               : give_failure(h, connection,
                              result->status != STELE_OK ? result->status : STELE_ERR_READ);
}

/* ---- Answers in processes of their own ---- */

/*
 * Returns whether answering may take longer than somebody who moves through the picture would wait.
 */
static bool is_long(const server *s, const question *q)
{
    return s->is_scanned && q->kind != QUESTION_INFO && q->kind != QUESTION_WINDOW;
}

static bool is_connected(const http *h, const request *r)
{
    const union MHD_ConnectionInfo *info =
        h->get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    char byte;
    return info == NULL || recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

static enum MHD_Result set_aside(server *s, struct MHD_Connection *connection, request *r)
{
    request **at = &s->waiting;
    r->connection = connection;
    r->is_waiting = true;
    r->next = NULL;
    while (*at != NULL) /* requests are answered in the order in which they came */
        at = &(*at)->next;
    *at = r;
    s->http.suspend_connection(connection);
    return MHD_YES;
}

/* Removes a request from the list, and ends the process that answers it. */
static void forget(server *s, request *r)
{
    request **at = &s->waiting;
    while (*at != NULL && *at != r)
        at = &(*at)->next;
    if (*at != NULL)
        *at = r->next;
    aside_end(&r->aside);
    r->is_waiting = false;
}

/* Returns whether a request is finished, answered or not. Starts a process for it if one may be
   started. */
static bool look_at(server *s, request *r, unsigned *busy_count)
{
    stele_status status = STELE_OK;
    if (!is_connected(&s->http, r)) {
        r->result.status = STELE_ERR_CLOSED;
        return true;
    }
    if (r->aside.pid == 0) {
        if (*busy_count == ASIDES_MAX)
            return false;
        status = aside_begin(&r->aside, s->v, &r->q);
        r->result.status = status;
    }
    ++*busy_count;
    return status != STELE_OK || aside_look(&r->aside, &r->result, &r->answer);
}

static void look_at_waiting(server *s)
{
    unsigned busy_count = 0;
    request *next;
    for (request *r = s->waiting; r != NULL; r = next) {
        next = r->next;
        if (!look_at(s, r, &busy_count))
            continue;
        r->is_done = true;
        forget(s, r);
        s->http.resume_connection(r->connection);
    }
}

/* ---- Checks of requests ---- */

static const char *header(const http *h, struct MHD_Connection *connection, const char *name)
{
    return h->lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Returns whether the page of this server asks, and not another page. */
static bool is_own(const server *s, struct MHD_Connection *connection)
{
    const char *host = header(&s->http, connection, MHD_HTTP_HEADER_HOST);
    const char *site = header(&s->http, connection, "Sec-Fetch-Site");
    if (!address_fits(&s->address, host))
        return false;
    if (!question_origin_fits(header(&s->http, connection, MHD_HTTP_HEADER_ORIGIN), host))
        return false;
    return site == NULL || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

static visitor *visitor_of(const http *h, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        h->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info != NULL ? info->socket_context : NULL;
}

static enum MHD_Result answer_request(server *s, struct MHD_Connection *connection, request *r)
{
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    enum MHD_Result result;
    switch (question_parse(&r->q, r->target, r->size, s->token)) {
    case QUESTION_FORBIDDEN:
        return give_text(&s->http, connection, MHD_HTTP_FORBIDDEN,
                         "The address lacks the token that 'stele view' printed.\n");
    case QUESTION_UNKNOWN:
        return give_text(&s->http, connection, MHD_HTTP_NOT_FOUND, "Nothing is here.\n");
    case QUESTION_LONG:
        return give_text(&s->http, connection, MHD_HTTP_URI_TOO_LONG, "That is too long.\n");
    case QUESTION_WRONG: return give_text(&s->http, connection, MHD_HTTP_BAD_REQUEST, r->q.why);
    case QUESTION_OK: break;
    }
    visitors_befriend(&s->visitors, visitor_of(&s->http, connection));
    if (r->q.kind == QUESTION_FILE)
        return give_file(&s->http, connection, r->q.file);
    if (is_long(s, &r->q))
        return set_aside(s, connection, r);
    s->client = info != NULL ? info->connect_fd : -1;
    if (r->q.kind == QUESTION_CUT || r->q.kind == QUESTION_ROWS) {
        const int fd = aside_answer_here(s->v, &r->q, &r->result);
        result = give_spooled(&s->http, connection, &r->result, fd);
    } else {
        result = give_answer(s, connection, &r->q);
    }
    s->client = -1;
    return result;
}

static enum MHD_Result take_request(void *user, struct MHD_Connection *connection, const char *url,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_size, void **state)
{
    server *s = user;
    request *r = *state;
    (void)url;
    (void)version;
    (void)upload;
    if (r == NULL)
        return MHD_NO;
    if (!r->is_seen) {
        r->is_seen = true;
        return MHD_YES;
    }
    if (r->is_done) {
        const int fd = r->answer;
        r->answer = -1;
        return give_spooled(&s->http, connection, &r->result, fd);
    }
    if (*upload_size != 0) { /* nothing is ever uploaded to this server */
        *upload_size = 0;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return give_text(&s->http, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                         "Only GET is known here.\n");
    if (!is_own(s, connection))
        return give_text(&s->http, connection, MHD_HTTP_FORBIDDEN,
                         "This is asked by another page, or under another name.\n");
    return answer_request(s, connection, r);
}

/* Makes the state of a request from its target, taken as it came, before anything is decoded. */
static void *begin_request(void *user, const char *target, struct MHD_Connection *connection)
{
    request *r = calloc(1, sizeof *r);
    (void)user;
    (void)connection;
    if (r == NULL)
        return NULL;
    r->answer = r->aside.pipe = -1;
    r->size = strnlen(target, sizeof r->target);
    memcpy(r->target, target, r->size < sizeof r->target ? r->size : sizeof r->target);
    return r;
}

static void end_request(void *user, struct MHD_Connection *connection, void **state,
                        enum MHD_RequestTerminationCode code)
{
    request *r = *state;
    (void)connection;
    (void)code;
    if (r == NULL)
        return;
    if (r->is_waiting)
        forget(user, r);
    if (r->answer >= 0)
        close(r->answer);
    free(r);
    *state = NULL;
}

static void see_connection(void *user, struct MHD_Connection *connection, void **visitor_at,
                           enum MHD_ConnectionNotificationCode what)
{
    server *s = user;
    const union MHD_ConnectionInfo *info =
        s->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (what == MHD_CONNECTION_NOTIFY_CLOSED)
        visitors_leave(&s->visitors, *visitor_at);
    else if (info != NULL)
        *visitor_at = visitors_enter(&s->visitors, info->connect_fd, visitors_now_ms());
}

/* ---- Running the server ---- */

/* Returns whether the one who asked is still there: a socket whose other end was closed gives 0
   bytes. */
static bool client_waits(const server *s)
{
    char byte;
    return s->client < 0 || recv(s->client, &byte, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

static bool goes_on(void *user)
{
    const server *s = user;
    return s->options->go_on(s->options->user) && client_waits(s);
}

static bool make_token(server *s)
{
    unsigned char bytes[TOKEN_BYTES];
    size_t have = 0;
    while (have < sizeof bytes) {
        const ssize_t got = getrandom(bytes + have, sizeof bytes - have, 0);
        if (got < 0 && errno != EINTR)
            return false;
        have += got > 0 ? (size_t)got : 0;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static stele_status start(server *s, const char **why)
{
    const union MHD_DaemonInfo *info;
    const bool is_v6 = strchr(s->options->listen, ':') != NULL;
    if (!address_take(&s->address, s->options->listen, s->options->port)) {
        *why = "not a valid address to listen at: an IPv4 or IPv6 address is needed";
        return STELE_ERR_ARGUMENT;
    }
    if (!make_token(s)) {
        *why = "the system has no random numbers";
        return STELE_ERR_READ;
    }
    s->daemon = s->http.start_daemon(
        MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME | (is_v6 ? MHD_USE_IPv6 : 0u),
        (uint16_t)s->options->port, NULL, NULL, take_request, s, MHD_OPTION_SOCK_ADDR,
        &s->address.socket.any, MHD_OPTION_URI_LOG_CALLBACK, begin_request, s,
        MHD_OPTION_NOTIFY_COMPLETED, end_request, s, MHD_OPTION_NOTIFY_CONNECTION, see_connection,
        s, MHD_OPTION_CONNECTION_LIMIT, VISITORS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
    if (s->daemon == NULL) {
        *why = "the address cannot be listened at: is the port in use?";
        return STELE_ERR_READ;
    }
    info = s->http.get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    s->address.port = info != NULL ? info->port : s->options->port;
    return STELE_OK;
}

static void tell_address(server *s)
{
    char text[ADDRESS_NAME_SIZE + 128];
    const bool is_v6 = strchr(s->options->listen, ':') != NULL;
    snprintf(text, sizeof text, is_v6 ? "http://[%s]:%u/%s/" : "http://%s:%u/%s/",
             s->options->listen, s->address.port, s->token);
    s->options->ready(s->options->user, text);
}

/* Starts saving the overview once it is complete; then reading can begin in the middle of the
   trace. */
static void keep_overview(server *s)
{
    stele_overview *overview;
    aside_result result;
    int fd;
    if (s->keeping.pid != 0) {
        if (!aside_look(&s->keeping, &result, &fd))
            return;
        if (result.status == STELE_OK)
            stele_trace_find_index(s->kept);
        viewer_end_keeping(s->v);
    } else if (viewer_take_overview(s->v, &s->kept, &overview) &&
               aside_keep(&s->keeping, s->v, s->kept, overview) != STELE_OK) {
        viewer_end_keeping(s->v);
    }
}

/* Returns how long to wait for questions at most, in milliseconds. */
static int wait_ms(const server *s, bool has_strangers)
{
    if (s->waiting != NULL || s->keeping.pid != 0)
        return ASIDE_WAIT_MS;
    return has_strangers ? STRANGERS_WAIT_MS : WAIT_MS;
}

/* Reads on for a moment, and says when there is no more to read. */
static void scan(server *s)
{
    const stele_status status = viewer_scan(s->v, SCAN_NS);
    if (!s->is_scanned && status != STELE_OK) {
        s->is_scanned = true;
        s->options->scanned(s->options->user, status);
    }
}

static void run(server *s)
{
    while (s->options->go_on(s->options->user)) {
        const bool has_strangers = visitors_end_strangers(&s->visitors, visitors_now_ms());
        if (!s->is_scanned || viewer_is_busy(s->v)) {
            scan(s);
            s->http.run_wait(s->daemon, viewer_awaits(s->v) ? wait_ms(s, has_strangers) : 0);
        } else {
            s->http.run_wait(s->daemon, wait_ms(s, has_strangers));
        }
        look_at_waiting(s);
        keep_overview(s);
    }
    aside_end(&s->keeping);
    /* The daemon can be stopped only when no connection is suspended. */
    while (s->waiting != NULL) {
        request *r = s->waiting;
        forget(s, r);
        r->is_done = true;
        r->result.status = STELE_ERR_CLOSED;
        s->http.resume_connection(r->connection);
    }
    s->http.run_wait(s->daemon, 0);
}

stele_status view_serve(viewer *v, const serve_options *options, const char **why)
{
    server s = {.v = v, .options = options, .client = -1, .keeping = {.pipe = -1}};
    stele_status status = STELE_ERR_UNSUPPORTED;
    if (http_open(&s.http))
        status = start(&s, why);
    else
        *why = "the server is " STELE_HTTP_LIBRARY
               ", which this machine does not have (Debian: apt install libmicrohttpd12); --export "
               "works without";
    if (status != STELE_OK)
        return status;
    viewer_set_go_on(v, goes_on, &s);
    viewer_set_keeper(v);
    /* Traces that cannot be shown together are found out before anybody is sent to the page. */
    scan(&s);
    if (options->go_on(options->user)) {
        tell_address(&s);
        run(&s);
    }
    s.http.stop_daemon(s.daemon);
    viewer_set_go_on(v, NULL, NULL);
    return STELE_OK;
}

#endif
