/* SPDX-License-Identifier: MIT */
/* Proves: a context made from NULL, a NULL key and a NULL function end the process with
   Go's messages, with and without a runtime. */
#include "test.h"

#define NIL_PARENT "panic: cannot create context from nil parent"
#define NIL_KEY    "panic: nil key"
#define NIL_FN     "go of nil func value"

static void cancel(void *arg) {
    (void)arg;
    ASSERT(tuco_ctx_with_cancel(NULL) == NULL);
}

static void timeout(void *arg) {
    (void)arg;
    ASSERT(tuco_ctx_with_timeout(NULL, TUCO_SECOND) == NULL);
}

static void value(void *key) {
    ASSERT(tuco_ctx_with_value(NULL, key, NULL) == NULL);
}

static void detached(void *arg) {
    (void)arg;
    ASSERT(tuco_ctx_without_cancel(NULL) == NULL);
}

static void after(void *arg) {
    (void)arg;
    ASSERT(tuco_ctx_after_make(NULL, test_return_at_once, NULL) == NULL);
}

static void group(void *arg) {
    (void)arg;
    ASSERT(tuco_group_make(NULL, 0) == NULL);
}

static void key(void *arg) {
    (void)arg;
    ASSERT(tuco_ctx_with_value(tuco_ctx_background(), NULL, NULL) == NULL);
}

static int in_goroutine_main(void *arg) {
    (void)arg;
    cancel(NULL);
    return 0;
}

static int after_nil_main(void *arg) {
    (void)arg;
    ASSERT(tuco_ctx_after_make(tuco_ctx_background(), NULL, NULL) == NULL);
    return 0;
}

static int group_nil_main(void *arg) {
    (void)arg;
    return tuco_group_go(tuco_group_make(tuco_ctx_background(), 0), NULL, NULL);
}

static int group_try_nil_main(void *arg) {
    (void)arg;
    return tuco_group_try_go(tuco_group_make(tuco_ctx_background(), 0), NULL, NULL);
}

TEST(nil_parent) {
    char any;
    EXPECT_DEATH(cancel, NULL, NIL_PARENT);
    EXPECT_DEATH(timeout, NULL, NIL_PARENT);
    EXPECT_DEATH(value, &any, NIL_PARENT);
    EXPECT_DEATH(detached, NULL, NIL_PARENT);
    EXPECT_DEATH(after, NULL, NIL_PARENT);
    EXPECT_DEATH(group, NULL, NIL_PARENT);
    RUN_DIES(in_goroutine_main, NIL_PARENT);
}

TEST(nil_key) {
    EXPECT_DEATH(key, NULL, NIL_KEY);
}

TEST(nil_function) {
    RUN_DIES(after_nil_main, NIL_FN);
    RUN_DIES(group_nil_main, NIL_FN);
    RUN_DIES(group_try_nil_main, NIL_FN);
}
