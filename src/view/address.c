/* SPDX-License-Identifier: Apache-2.0 */
#include "view/address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "view/question.h"

static void add_name(address *a, const char *name)
{
    if (a->name_count < ADDRESS_NAMES_MAX)
        snprintf(a->names[a->name_count++], ADDRESS_NAME_SIZE, "%s", name);
}

static bool parse(address *a, const char *text)
{
    const in_port_t port = htons((uint16_t)a->port);
    a->socket.v6 = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
    if (inet_pton(AF_INET6, text, &a->socket.v6.sin6_addr) == 1) {
        a->is_open = IN6_IS_ADDR_UNSPECIFIED(&a->socket.v6.sin6_addr) != 0;
        return true;
    }
    a->socket.v4 = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
    if (inet_pton(AF_INET, text, &a->socket.v4.sin_addr) != 1)
        return false;
    a->is_open = a->socket.v4.sin_addr.s_addr == htonl(INADDR_ANY);
    return true;
}

bool address_take(address *a, const char *text, unsigned port)
{
    char name[ADDRESS_NAME_SIZE] = "";
    *a = (address){.port = port};
    if (!parse(a, text))
        return false;
    add_name(a, text);
    add_name(a, "localhost");
    if (a->is_open && gethostname(name, sizeof name - 1) == 0)
        add_name(a, name);
    return true;
}

/* Returns whether a host is an address, as "192.168.1.2:4711": unlike a name, it cannot be made
   to point elsewhere. */
static bool is_address(const char *host, unsigned port)
{
    char text[ADDRESS_NAME_SIZE], tail[16];
    unsigned char bytes[sizeof(struct in6_addr)];
    const int tail_size = snprintf(tail, sizeof tail, ":%u", port);
    const size_t size = host != NULL ? strlen(host) : 0;
    if (size <= (size_t)tail_size || size >= sizeof text ||
        strcmp(host + size - tail_size, tail) != 0)
        return false;
    memcpy(text, host, size - (size_t)tail_size);
    text[size - (size_t)tail_size] = 0;
    if (text[0] == '[' && text[strlen(text) - 1] == ']') {
        text[strlen(text) - 1] = 0;
        return inet_pton(AF_INET6, text + 1, bytes) == 1;
    }
    return inet_pton(AF_INET, text, bytes) == 1;
}

bool address_fits(const address *a, const char *host)
{
    const char *names[ADDRESS_NAMES_MAX];
    for (size_t i = 0; i < a->name_count; i++)
        names[i] = a->names[i];
    return question_host_fits(host, names, a->name_count, a->port) ||
           (a->is_open && is_address(host, a->port));
}
