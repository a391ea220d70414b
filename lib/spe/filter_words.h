/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a filter's text form. */
#ifndef SPE_FILTER_WORDS_H
#define SPE_FILTER_WORDS_H

#include <plumb/spe_filter.h>

#include "base/near.h"

/* The conditions of a word that stands alone. */
struct filter_word {
	const char *name;
	uint32_t kinds;
	uint16_t flags;
	uint8_t levels;
};

/* Returns the word with this name, or NULL. */
const struct filter_word *filter_word(const char *name);
/* Offer every word, and every name of an event, as suggestions. */
void filter_offer_words(struct near *near);
void filter_offer_events(struct near *near);

/* Returns the bit of the event with this name, perf's ("L1D-REFILL") or a group's ("l1d-miss"), or
 * NOT_FOUND. */
int spe_event_by_name(const char *name);

#endif
