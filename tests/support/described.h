/* SPDX-License-Identifier: MIT */
/* described.h: a directory with files that describe a machine or a system to a test. */
#ifndef TEST_DESCRIBED_H
#define TEST_DESCRIBED_H

/* The path of the directory. The process that makes it removes it at its end. */
extern char described_root[64];

/* Makes an empty directory, which is described_root from then on. */
void described_make(void);

/* Removes it and what is in it. */
void described_remove(void);

/* Makes the directories that path needs. Changes path meanwhile. */
void described_make_parents(char *path);

#endif
