/* SPDX-License-Identifier: MIT */
/* An HTTP/1.1 server on top of http-parser: a goroutine for each connection reads,
   computes and writes as if it were alone.

       build/release/examples/http 127.0.0.1:8080 &
       curl http://127.0.0.1:8080/
       curl --data hello http://127.0.0.1:8080/echo
       curl -N 'http://127.0.0.1:8080/stream?lines=5&ms=500'
       curl 'http://127.0.0.1:8080/sleep?ms=1000'

   main.c         the command line
   connection.c   the requests of one connection, and their deadlines
   request.c      what the parser finds, and what is refused
   response.c     heads, chunks, and the buffer that gathers what a pipeline answers
   routes.c       the paths
   ../common      accepting, and the end: SIGTERM or ^C lets requests finish */
#include "common/arguments.h"
#include "common/server.h"
#include "http/connection.h"
#include "http/settings.h"

#include <http_parser.h>
#include <unistd.h>

#define USAGE \
    "[-i IDLE_MS] [-h HEAD_MS] [-b BODY_MS] [-w WRITE_MS] [-g GRACE_MS] [ADDRESS]"

int main(int argc, char **argv) {
    struct http_settings settings = {
        .idle = 60 * TUCO_SECOND,
        .head = 10 * TUCO_SECOND,
        .body = 30 * TUCO_SECOND,
        .write = 30 * TUCO_SECOND,
        .linger = 2 * TUCO_SECOND,
        .body_max = 1024 * 1024,
    };
    struct server server = {
        .program = "http",
        .network = "tcp",
        .address = "127.0.0.1:0",
        .grace = 10 * TUCO_SECOND,
        .serve = http_serve,
        .settings = &settings,
    };
    for (int option; (option = getopt(argc, argv, "i:h:b:w:g:")) != -1;) {
        switch (option) {
        case 'i': settings.idle = arguments_ms(optarg, "http", USAGE); break;
        case 'h': settings.head = arguments_ms(optarg, "http", USAGE); break;
        case 'b': settings.body = arguments_ms(optarg, "http", USAGE); break;
        case 'w': settings.write = arguments_ms(optarg, "http", USAGE); break;
        case 'g': server.grace = arguments_ms(optarg, "http", USAGE); break;
        default: arguments_usage("http", USAGE);
        }
    }
    if (optind + 1 < argc) {
        arguments_usage("http", USAGE);
    }
    if (optind < argc) {
        server.address = argv[optind];
    }
    http_parser_set_max_header_size(HTTP_HEAD_MAX);
    return server_main(&server);
}
