/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of the plugin.
 *
 * Arguments, NAME=VALUE: `reader`, the process that started QEMU; `key`, by which the memory is
 * known that it shares; `shared`, its descriptor there (share.h); `core`, a name of model_cores;
 * and, if wanted, `interval` in cycles between snapshots; `seed` of the order of threads;
 * `what-if`, a bit for each enum what_if that is asked for; `page-fault` and `system-call`, their
 * costs in cycles, and `wrong-loads=1` (conditions.h); `reference=1` to replay no block;
 * `threads`, how many of the host to use for a program of one thread (aside.h); `mark`, the
 * number of a system call at which to note the cycle; `children=1` to count forked processes
 * too; `sampling`, a descriptor of what is to be sampled (sampling.h); `sampled`, the error that a
 * sampled run is to reach (sampled.h), in millionths, and `sampled-after`, how many instructions
 * are modelled before it begins; `resets=1` if qemu_plugin_reset() is right; `idle=1` to count
 * nothing, and only let the program become others; `prefix`, how many words of QEMU's own command
 * line stand before the program's; `begins`, where in the program's file its own code begins, and
 * `inode`, which file that is. What is counted (window.h): `from` and `to`, addresses, or
 * `from-offset` and `to-offset` in that file; `delay` and `timeout` in cycles; `instructions`.
 */
#ifndef QEMU_OPTIONS_H
#define QEMU_OPTIONS_H

#include "core.h"
#include "qemu/sampled.h"
#include "qemu/share.h"
#include "qemu/window.h"

/* What the arguments say. */
struct options {
	const char *core;
	struct share shared, sampling;
	uint64_t interval, seed;
	uint64_t begins;
	uint32_t what_if;
	uint32_t page_bytes; /* 0: the core's */
	bool huge_pages;
	struct core_conditions conditions;
	bool reference;        /* no block is replayed: core_remember() */
	unsigned host_threads; /* for a program of one thread: aside_set_up() */
	int64_t mark;
	struct sampled_request sampled;
	struct window_request window;
	unsigned prefix;
	bool children, idle;
	bool resets; /* the engine can drop its code, and go on */
	bool became; /* what is counted already has become this program */
};

/* Sets all of `options`. Returns false if an argument is unknown, or one that is needed is missing.
 */
bool options_parse(int argc, char **argv, struct options *options);

#endif
