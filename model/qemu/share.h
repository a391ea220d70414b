/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that the plugin shares with the reader, who started it. The program must not see a
 * descriptor of it, and may close all descriptors that it finds: the plugin has one only while it
 * maps the memory.
 */
#ifndef QEMU_SHARE_H
#define QEMU_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shared.h"

/* Where the reader has the memory. */
struct share {
	int descriptor; /* in the reader; the first QEMU also inherits it; -1: none */
	int reader;     /* its process */
	uint64_t key;   /* the memory's first word */
};

/*
 * Maps the memory and sets `*size`; closes the inherited descriptor. Returns NULL if it is out of
 * reach: with another root folder, or as another user.
 */
void *share_map(const struct share *share, size_t *size);

/* Returns whether a QEMU that this process becomes will reach the memory. */
bool share_in_reach(const struct share *share);

/*
 * Returns whether the reader has gone without having said that it ends. Once it has, it has for
 * good, for all processes. Takes a second to be sure: the reader may only be out of sight, in
 * another PID namespace.
 */
bool share_reader_gone(struct model_shared *shared);

/* Returns whether a process that shares the memory is certainly gone. */
bool share_process_gone(const struct model_shared *shared, int process);

/* Ends this process when the reader is gone. Only the first QEMU is the reader's own child. */
void share_watch_reader(struct model_shared *shared);

#endif
