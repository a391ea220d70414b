/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of several pieces of code is at an address, as time goes on: memory is used again for code
 * that is generated later.
 */
#ifndef SYMBOL_JIT_PLACES_H
#define SYMBOL_JIT_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code, and when it came there. */
struct jit_code {
	uint64_t start, end; /* addresses; `end` is exclusive and greater */
	uint64_t time;       /* 0: it is there from the start */
};

struct jit_places;

/*
 * Takes `count` codes (1 to 2^30), sorted by time. Code that comes to where others are replaces
 * them there; what is the first at an address counts as if it had always been there. Returns 0 or
 * NO_MEMORY.
 */
int jit_places_new(const struct jit_code *codes, size_t count, struct jit_places **places);
void jit_places_free(struct jit_places *places); /* accepts NULL */

/* Tells whether any code replaces other code. */
bool jit_places_replace(const struct jit_places *places);
/* Returns when code is replaced next, or UINT64_MAX: never again. */
uint64_t jit_places_next_change(const struct jit_places *places);
/* Replaces code up to `time`, inclusive. */
void jit_places_advance(struct jit_places *places, uint64_t time);
/* Goes back to the start. */
void jit_places_rewind(struct jit_places *places);

struct jit_place {
	size_t code;       /* its index */
	uint64_t from, to; /* addresses around, up to `to`, that have the same code now */
};
/* Finds the code that is at an address now. Returns false if there is none. */
bool jit_places_find(const struct jit_places *places, uint64_t address, struct jit_place *place);

#endif
