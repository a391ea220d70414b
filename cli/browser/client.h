/* SPDX-License-Identifier: Apache-2.0 */
/* What the browser shows for a command. */
#ifndef BROWSER_CLIENT_H
#define BROWSER_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

/* The keys of rows (enum plumb_profile_key) are below this. */
#define BROWSER_KEYS 32

/* What a page shows. */
struct browser_place {
	unsigned view;            /* an index in `views` */
	bool trees;               /* with call trees */
	char *opened;             /* the function that was opened, or NULL */
	char *address;            /* the instruction to show first of it, or NULL */
	char *only[BROWSER_KEYS]; /* only what has this text of a key; NULL: everything */
};

struct browser_view {
	char key; /* on the keyboard */
	const char *name;
};

/* A key that shows only what is like the selected row. */
struct browser_filter {
	char key;
	uint8_t row_key;
	const char *name; /* "thread" */
};

struct browser_client {
	const struct browser_view *views;
	unsigned view_count;
	const struct browser_filter *filters;
	unsigned filter_count;
	uint8_t open_key;    /* the row key that Enter opens */
	uint8_t address_key; /* the row key with the address of an instruction of that, in hex */
	/*
	 * Prints a page on standard output, marked with render/marks.h, and errors on standard
	 * error. Runs in a process of its own. Returns an exit status.
	 */
	int (*print)(void *user, const struct browser_place *place);
	/* Returns the command that prints the same; the caller frees it. */
	char *(*command)(void *user, const struct browser_place *place);
	void *user;
};

#endif
