/* SPDX-License-Identifier: MIT */
/* The goroutine that owns the keys and values: a table of lists. */
#include "unix/store.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LISTS 1024 // a power of two

struct entry {
    struct entry *next;
    char key[STORE_KEY_MAX + 1];
    char *value;
};

/* On the stack of its goroutine, which alone uses it. */
struct store {
    size_t count;
    struct entry *lists[LISTS];
};

static size_t list_of(const char *key) {
    uint32_t hash = 2166136261U; /* FNV-1a */
    for (; *key != '\0'; key++) {
        hash = (hash ^ (unsigned char)*key) * 16777619U;
    }
    return hash & (LISTS - 1);
}

/* Returns the link to the entry, or the link where it would be. */
static struct entry **find(struct store *s, const char *key) {
    struct entry **at = &s->lists[list_of(key)];
    while (*at != NULL && strcmp((*at)->key, key) != 0) {
        at = &(*at)->next;
    }
    return at;
}

static void drop(struct store *s, struct entry **at) {
    struct entry *entry = *at;
    *at = entry->next;
    free(entry->value);
    free(entry);
    s->count--;
}

static int put(struct store *s, const struct order *o) {
    struct entry **at = find(s, o->key);
    char *value = strdup(o->value);
    struct entry *entry = *at != NULL ? *at : calloc(1, sizeof(*entry));
    if (value == NULL || entry == NULL) {
        free(value);
        if (*at == NULL) {
            free(entry);
        }
        return -ENOMEM;
    }
    if (*at == NULL) {
        strcpy(entry->key, o->key);
        *at = entry;
        s->count++;
    }
    free(entry->value);
    entry->value = value;
    return 0;
}

static int get(struct store *s, struct order *o) {
    const struct entry *entry = *find(s, o->key);
    if (entry == NULL) {
        return -ENOENT;
    }
    strcpy(o->value, entry->value);
    return 0;
}

static int erase(struct store *s, const struct order *o) {
    struct entry **at = find(s, o->key);
    if (*at == NULL) {
        return -ENOENT;
    }
    drop(s, at);
    return 0;
}

static int obey(struct store *s, struct order *o) {
    switch (o->kind) {
    case ORDER_SET: return put(s, o);
    case ORDER_GET: return get(s, o);
    case ORDER_DELETE: return erase(s, o);
    case ORDER_COUNT: o->count = s->count; return 0;
    }
    return -EINVAL;
}

void store_run(void *arg) {
    order_chan *orders = arg;
    struct store s = {0};
    struct order *o;
    while (order_recv(orders, &o) == 0) {
        o->result = obey(&s, o);
        tuco_chan_send(o->done, NULL); /* the sender owns it again */
    }
    for (size_t i = 0; i < LISTS; i++) {
        while (s.lists[i] != NULL) {
            drop(&s, &s.lists[i]);
        }
    }
}

int store_ask(order_chan *orders, struct order *o) {
    int error = order_send(orders, o);
    if (error == 0) {
        tuco_chan_recv(o->done, NULL);
    }
    return error == 0 ? o->result : error;
}
