/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Did you mean ...?": finds the known word that is most similar to an unknown one, by counting the
 * edits between them. The case of ASCII letters is ignored.
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

/* Longer words are similar to nothing. */
#define NEAR_MAX_LENGTH 64

/*
 * Returns the fewest edits that turn `a` into `b`: adding, removing or replacing a byte, or
 * swapping two neighbours (Damerau-Levenshtein distance). UINT_MAX if either exceeds
 * NEAR_MAX_LENGTH.
 */
unsigned near_distance(const char *a, const char *b);

/* A search: near_to() starts it, near_offer() offers candidates, and `best` is the result. */
struct near {
	const char *word;
	const char *best;  /* meaning of the most similar word; NULL if none is similar */
	unsigned distance; /* only words with a smaller distance are similar */
};

/* Starts a search. A similar word takes at most one edit per three bytes of `word`, and four. */
struct near near_to(const char *word);

/*
 * Offers `candidate`. If it is more similar than earlier ones, `best` becomes `meaning`, which is
 * mostly the same string. Neither is copied.
 */
void near_offer(struct near *near, const char *candidate, const char *meaning);

#endif
