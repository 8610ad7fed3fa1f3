/* SPDX-License-Identifier: MIT */
/* store.h: keys and values that one goroutine owns; others send it orders. */
#ifndef STORE_H
#define STORE_H

#include <stddef.h>
#include <tuco.h>

#define STORE_KEY_MAX   63
#define STORE_VALUE_MAX 1023

enum order_kind { ORDER_SET, ORDER_GET, ORDER_DELETE, ORDER_COUNT };

/* An order to the store. It is on the stack of its sender, and the store owns it from the
   send until it is done. */
struct order {
    enum order_kind kind;
    char key[STORE_KEY_MAX + 1];
    char value[STORE_VALUE_MAX + 1]; /* the value to set, or the value found */
    size_t count;
    int result;      /* 0, -ENOENT: no such key, -ENOMEM */
    tuco_chan *done; /* without values: receives an event when it is done */
};

TUCO_CHAN(order, struct order *);

/* A goroutine: arg is an order_chan. Executes one order after the other, so that no locks
   are needed; ends when the channel is closed. */
void store_run(void *arg);

/* Sends the order to the store and waits until it is done. Returns its result, or -EPIPE
   if the channel is closed. */
int store_ask(order_chan *orders, struct order *o);

#endif
