/* SPDX-License-Identifier: MIT */
/* Proves: tuco_procs_auto() sets the number to the default at once, and makes it follow
   changes again, however it was fixed. */
/* fixed procs */
/* slow */
#include "quota.h"

/* The number is fixed at 4 when this begins. */
static int auto_main(void *arg) {
    (void)arg;
    ASSERT_EQ(tuco_procs(0), 4);
    ASSERT_EQ(tuco_procs_auto(), 3);
    ASSERT_EQ(tuco_procs(0), 3);
    quota_set("50000 10000");
    await_procs(3, 5);
    return 0;
}

static int set_main(void *arg) {
    ASSERT_EQ(tuco_procs(4), 3);
    return auto_main(arg);
}

TEST(after_a_set) {
    quota_begin_v2("30000 10000");
    RUN(set_main);
}

TEST(after_the_environment) {
    quota_begin_v2("30000 10000");
    test_setenv("TUCOPROCS", "4");
    RUN(auto_main);
}

TEST(after_the_configuration) {
    tuco_config config = {.procs = 4};
    quota_begin_v2("30000 10000");
    ASSERT_EQ(tuco_configure(&config), 0);
    RUN(auto_main);
}

/* Each call sets it, also before sysmon has noticed the change. */
static int each_call_main(void *arg) {
    (void)arg;
    for (int i = 0; i < 100; i++) {
        quota_set(i % 2 == 0 ? "50000 10000" : "30000 10000");
        ASSERT_EQ(tuco_procs_auto(), i % 2 == 0 ? 5 : 3);
    }
    return 0;
}

TEST(at_each_call) {
    quota_begin_v2("30000 10000");
    RUN(each_call_main);
}
