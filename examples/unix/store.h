/* SPDX-License-Identifier: MIT */
/* store.h: keys and values that belong to one goroutine; others talk to it. */
#ifndef STORE_H
#define STORE_H

#include <stddef.h>
#include <tuco.h>

#define STORE_KEY_MAX   63
#define STORE_VALUE_MAX 1023

enum order_kind { ORDER_SET, ORDER_GET, ORDER_DELETE, ORDER_COUNT };

/* What is asked of the store. It lies on the stack of who asks, and belongs to the store
   from the moment it is sent until it is done. */
struct order {
    enum order_kind kind;
    char key[STORE_KEY_MAX + 1];
    char value[STORE_VALUE_MAX + 1]; /* to be set, or what was found */
    size_t count;
    int result;      /* 0, -ENOENT: no such key, -ENOMEM */
    tuco_chan *done; /* of nothing: is sent to when it is done */
};

TUCO_CHAN(order, struct order *);

/* A goroutine: arg is an order_chan. Does one order after the other, so that nothing has
   to be locked; ends when the channel is closed. */
void store_run(void *arg);

/* Has the order done by the store behind the channel, and waits for it. Returns its
   result, or -EPIPE if there is no store any more. */
int store_ask(order_chan *orders, struct order *o);

#endif
