/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the parts of `plumb doctor` share. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <string.h>

#include "cpu/machine.h"
#include "tool/memory.h"

enum check_state { CHECK_WORKS, CHECK_LIMITED, CHECK_MISSING, CHECK_UNKNOWN };

/* The answer to one question about the machine. Texts are NULL if there is nothing to say. */
struct check {
	const char *id, *title;
	enum check_state state;
	char *text;    /* what is so */
	char *why;     /* if it is not all that could be */
	char *fix;     /* the command that changes it */
	char *instead; /* what works without it */
};

#define CHECKS_MAX 32

struct checkup {
	struct cpu_machine machine;
	bool here; /* the machine is this one, so events can be opened */
	struct check checks[CHECKS_MAX];
	size_t count;
};

/* Adds the answers about this machine's monitors: hardware.c. */
void checkup_hardware(struct checkup *checkup);
/* Adds those about SPE: spe.c. */
void checkup_spe(struct checkup *checkup);
/* Adds those about the model: model.c. `qemu` is the engine asked for, or NULL. */
void checkup_model(struct checkup *checkup, const char *qemu);

/*
 * Tells whether a container's filter of system calls, which a copied /proc does not show, may
 * forbid to count.
 */
bool checkup_may_be_filtered(const struct checkup *checkup);

static inline char *checkup_text(const char *text)
{
	return memory_copy(text, strlen(text));
}

/* Adds an answer. `text` is the check's from now on. */
struct check *checkup_add(struct checkup *checkup, const char *id, const char *title,
			  enum check_state state, char *text);

#endif
