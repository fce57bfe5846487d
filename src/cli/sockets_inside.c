/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sockets_inside.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>

void sockets_remark(const sockets *s, const char *text)
{
    if (s->remark != NULL)
        s->remark(s->remark_user, text);
}

bool sockets_is_idler(const stele_collector *of, uint32_t a, int64_t a_ns, uint32_t b, int64_t b_ns)
{
    const bool is_silent = stele_collector_sender_packets(of, a) == 0;
    if (is_silent != (stele_collector_sender_packets(of, b) == 0))
        return is_silent;
    return a_ns < b_ns;
}

void sockets_host(const struct sockaddr_storage *address, char *host, size_t size)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;
    snprintf(host, size, "local");
    if (address->ss_family == AF_INET)
        inet_ntop(AF_INET, &v4->sin_addr, host, (socklen_t)size);
    else if (address->ss_family == AF_INET6)
        inet_ntop(AF_INET6, &v6->sin6_addr, host, (socklen_t)size);
}

unsigned sockets_port(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return 0;
}
