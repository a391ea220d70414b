/* SPDX-License-Identifier: Apache-2.0 */
/* The names of control groups, and each thread's namespace of them, as records tell. */
#ifndef PROFILE_CONTROL_GROUPS_H
#define PROFILE_CONTROL_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is known about a number. */
struct numbered {
	uint64_t number;
	uint64_t values[2];
};

/* Begins empty if zeroed. */
struct numbered_table {
	struct numbered *at; /* sorted */
	size_t count, room;
};

struct control_groups {
	struct numbered_table names;      /* by the group's number: an address of a text */
	struct numbered_table namespaces; /* by thread: device and inode; both 0: none */
};

/*
 * Sets what is known about a number. If there are already very many numbers, leaves out a new one.
 * Returns false if out of memory.
 */
bool numbered_set(struct numbered_table *table, uint64_t number, uint64_t first, uint64_t second);
/* Returns what is known about a number, or NULL. */
const struct numbered *numbered_find(const struct numbered_table *table, uint64_t number);

void control_groups_free(struct control_groups *groups);

#endif
