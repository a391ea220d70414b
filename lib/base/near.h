/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean ...?": the nearest of the words there are to one that is none of them, by the
 * edits that lead from one to the other. Letters of ASCII are the same in either case.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

/* Words longer than this are near to nothing. */
#define NEAR_MAX_LENGTH 64

/*
 * The fewest edits that make `b` of `a`: a byte added, removed, replaced, or two neighbours
 * swapped (Damerau and Levenshtein's distance). UINT_MAX if either is longer than NEAR_MAX_LENGTH.
 */
unsigned near_distance(const char *a, const char *b);

/* A search: near_to() starts one, near_offer() takes part, `best` is the result. */
struct near {
	const char *word;
	const char *best;  /* what stands for the nearest word offered; NULL: none is near */
	unsigned distance; /* only what is nearer than this is */
};

/* Near is what takes an edit for every three bytes of `word`, up to four. */
struct near near_to(const char *word);

/*
 * Offers `candidate`, for which `best` becomes `meaning` (mostly the same) if it is nearer than
 * those before. Neither is copied.
 */
void near_offer(struct near *near, const char *candidate, const char *meaning);

#endif
