/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a filter's text form. */
#ifndef SPE_FILTER_WORDS_H
#define SPE_FILTER_WORDS_H

#include <plumb/spe_filter.h>

#include "base/near.h"

/* What a word that stands alone asks for. */
struct filter_word {
	const char *name;
	uint32_t kinds;
	uint16_t flags;
	uint8_t levels;
};

/* The word of that name, or NULL. */
const struct filter_word *filter_word(const char *name);
/* The word for one flag of enum plumb_spe_operation_flag, or NULL. */
const char *filter_flag_word(uint16_t flag);
/* Offers every word, and every name of an event. */
void filter_offer_words(struct near *near);
void filter_offer_events(struct near *near);

#endif
