/* SPDX-License-Identifier: MIT */
/* What the parser finds in a request, and which requests are refused. */
#include "http/request.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BODY_ROOM_MIN  4096
#define BODY_ROOM_KEPT 65536 // bytes that a connection may keep between two requests

/* What a callback returns to the parser. At the end of the headers, 1 and 2 have other
   meanings. */
enum { GO_ON = 0, END = -1 };

static struct request *request_of(http_parser *parser) {
    return parser->data;
}

static int refuse(struct request *r, int status) {
    r->status = status;
    return END;
}

/* Headers: their names and values come in pieces. */

static void word_add(struct request_word *w, const char *text, size_t n) {
    for (size_t i = 0; i < n && w->length + i < REQUEST_WORD_MAX; i++) {
        w->text[w->length + i] = text[i];
    }
    w->length += n;
}

/* Ignores the case of letters, and blanks at the end. */
static bool word_is(const struct request_word *w, const char *text) {
    size_t length = w->length;
    if (length > REQUEST_WORD_MAX) {
        return false;
    }
    while (length > 0 && (w->text[length - 1] == ' ' || w->text[length - 1] == '\t')) {
        length--;
    }
    return length == strlen(text) && strncasecmp(w->text, text, length) == 0;
}

/* Processes the last header, if there is one: it is complete. */
static int header_ends(struct request *r) {
    int status = 0;
    if (word_is(&r->name, "host")) {
        r->hosts++;
    } else if (word_is(&r->name, "transfer-encoding")) {
        r->codings++;
        if (!word_is(&r->value, "chunked")) {
            status = HTTP_STATUS_NOT_IMPLEMENTED;
        }
    } else if (word_is(&r->name, "expect")) {
        r->expects_continue = word_is(&r->value, "100-continue");
        if (!r->expects_continue) {
            status = HTTP_STATUS_EXPECTATION_FAILED;
        }
    }
    r->in_value = false;
    r->name.length = 0;
    r->value.length = 0;
    return status == 0 ? GO_ON : refuse(r, status);
}

/* Headers may also follow the body; they are ignored there. */
static int on_header_field(http_parser *parser, const char *text, size_t n) {
    struct request *r = request_of(parser);
    if (r->stage != REQUEST_HEAD) {
        return GO_ON;
    }
    /* This parser accepts blanks before the colon, and others do not: a proxy could read
       another name than this server. */
    if (memchr(text, ' ', n) != NULL) {
        return refuse(r, HTTP_STATUS_BAD_REQUEST);
    }
    int result = r->in_value ? header_ends(r) : GO_ON;
    word_add(&r->name, text, n);
    return result;
}

static int on_header_value(http_parser *parser, const char *text, size_t n) {
    struct request *r = request_of(parser);
    if (r->stage == REQUEST_HEAD) {
        r->in_value = true;
        word_add(&r->value, text, n);
    }
    return GO_ON;
}

/* The head */

static int on_url(http_parser *parser, const char *text, size_t n) {
    struct request *r = request_of(parser);
    if (n > sizeof(r->target) - r->target_length) {
        return refuse(r, HTTP_STATUS_URI_TOO_LONG);
    }
    memcpy(r->target + r->target_length, text, n);
    r->target_length += n;
    return GO_ON;
}

/* Returns 0, or the status that refuses the request. */
static int judge(const struct request *r) {
    const http_parser *parser = &r->parser;
    if (parser->http_major != 1) {
        return HTTP_STATUS_HTTP_VERSION_NOT_SUPPORTED;
    }
    if (r->hosts > 1 || r->codings > 1) {
        return HTTP_STATUS_BAD_REQUEST;
    }
    /* HTTP/1.0 has neither, and HTTP/1.1 requires a Host header. */
    if (r->is_old ? r->codings > 0 : r->hosts == 0) {
        return HTTP_STATUS_BAD_REQUEST;
    }
    if (r->has_body && (parser->flags & F_CHUNKED) == 0 &&
        parser->content_length > r->body_max) {
        return HTTP_STATUS_PAYLOAD_TOO_LARGE;
    }
    return 0;
}

static int on_headers_complete(http_parser *parser) {
    struct request *r = request_of(parser);
    if (header_ends(r) == END) {
        return END;
    }
    r->has_body = (parser->flags & F_CHUNKED) != 0 ||
                  ((parser->flags & F_CONTENTLENGTH) != 0 && parser->content_length > 0);
    r->is_head = parser->method == HTTP_HEAD;
    r->is_old = parser->http_major == 1 && parser->http_minor == 0;
    r->keep_alive = http_should_keep_alive(parser) != 0;
    int status = judge(r);
    if (status != 0) {
        return refuse(r, status);
    }
    r->stage = REQUEST_BODY;
    http_parser_pause(parser, 1);
    return GO_ON;
}

/* The body */

static bool body_reserve(struct request *r, size_t n) {
    if (n <= r->body_room) {
        return true;
    }
    size_t room = r->body_room > 0 ? r->body_room : BODY_ROOM_MIN;
    while (room < n) {
        room *= 2;
    }
    char *body = realloc(r->body, room);
    if (body != NULL) {
        r->body = body;
        r->body_room = room;
    }
    return body != NULL;
}

static int on_body(http_parser *parser, const char *bytes, size_t n) {
    struct request *r = request_of(parser);
    if (n > r->body_max - r->body_length) {
        return refuse(r, HTTP_STATUS_PAYLOAD_TOO_LARGE);
    }
    if (!body_reserve(r, r->body_length + n)) {
        return refuse(r, HTTP_STATUS_SERVICE_UNAVAILABLE);
    }
    memcpy(r->body + r->body_length, bytes, n);
    r->body_length += n;
    return GO_ON;
}

static int on_message_complete(http_parser *parser) {
    request_of(parser)->stage = REQUEST_COMPLETE;
    http_parser_pause(parser, 1);
    return GO_ON;
}

/* The whole request */

static const http_parser_settings callbacks = {
    .on_url = on_url,
    .on_header_field = on_header_field,
    .on_header_value = on_header_value,
    .on_headers_complete = on_headers_complete,
    .on_body = on_body,
    .on_message_complete = on_message_complete,
};

void request_init(struct request *r, size_t body_max) {
    http_parser_init(&r->parser, HTTP_REQUEST);
    r->parser.data = r;
    r->body_max = body_max;
    r->body = NULL;
    r->body_room = 0;
    request_next(r);
}

void request_release(struct request *r) {
    free(r->body);
    r->body = NULL;
    r->body_room = 0;
}

void request_next(struct request *r) {
    r->stage = REQUEST_HEAD;
    r->status = 0;
    r->is_head = false;
    r->is_old = false;
    r->keep_alive = false;
    r->has_body = false;
    r->expects_continue = false;
    r->hosts = 0;
    r->codings = 0;
    r->in_value = false;
    r->name.length = 0;
    r->value.length = 0;
    r->target_length = 0;
    r->body_length = 0;
    if (r->body_room > BODY_ROOM_KEPT) {
        request_release(r);
    }
}

size_t request_parse(struct request *r, const char *bytes, size_t n) {
    if (HTTP_PARSER_ERRNO(&r->parser) == HPE_PAUSED) {
        http_parser_pause(&r->parser, 0);
    }
    size_t parsed = http_parser_execute(&r->parser, &callbacks, bytes, n);
    switch (HTTP_PARSER_ERRNO(&r->parser)) {
    case HPE_OK:
    case HPE_PAUSED: break;
    case HPE_HEADER_OVERFLOW:
        refuse(r, HTTP_STATUS_REQUEST_HEADER_FIELDS_TOO_LARGE);
        break;
    default:
        if (r->status == 0) { /* no callback has refused it */
            refuse(r, HTTP_STATUS_BAD_REQUEST);
        }
        break;
    }
    return parsed;
}

static struct request_text part(const struct request *r, const struct http_parser_url *u,
                                enum http_parser_url_fields field) {
    struct request_text text = {.start = r->target, .length = 0};
    if ((u->field_set & (1 << field)) != 0) {
        text.start += u->field_data[field].off;
        text.length = u->field_data[field].len;
    }
    return text;
}

bool request_target(const struct request *r, struct request_text *path,
                    struct request_text *query) {
    struct http_parser_url u;
    http_parser_url_init(&u);
    bool is_authority = r->parser.method == HTTP_CONNECT;
    if (http_parser_parse_url(r->target, r->target_length, is_authority, &u) != 0) {
        return false;
    }
    *path = part(r, &u, UF_PATH);
    *query = part(r, &u, UF_QUERY);
    return true;
}
