/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/pairing.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *left, const void *right, void *names)
{
	uint16_t i = *(const uint16_t *)left, j = *(const uint16_t *)right;
	int order = strcmp(((const char **)names)[i], ((const char **)names)[j]);

	return order ? order : i - j;
}

/* Returns the indexes of a side sorted by name, stably; NULL if out of memory. */
static uint16_t *sort_side(const struct side *side)
{
	uint16_t *order = malloc(((size_t)side->count + 1) * sizeof(*order));

	if (!order)
		return NULL;
	for (uint16_t i = 0; i < side->count; i++) {
		order[i] = i;
		side->pair[i] = PLUMB_NONE;
	}
	qsort_r(order, side->count, sizeof(*order), compare_names, side->names);
	return order;
}

bool pairing_match(struct pairing *pairing)
{
	struct side *a = &pairing->a, *b = &pairing->b;
	uint16_t *order_a = sort_side(a), *order_b = sort_side(b);
	bool ready = order_a && order_b;
	uint16_t i = 0, j = 0;

	while (ready && i < a->count && j < b->count) {
		int order = strcmp(a->names[order_a[i]], b->names[order_b[j]]);

		if (order == 0) {
			a->pair[order_a[i]] = order_b[j];
			b->pair[order_b[j]] = order_a[i];
		}
		i += order <= 0;
		j += order >= 0;
	}
	free(order_a);
	free(order_b);
	return ready;
}

bool pairing_open(struct side *side, uint16_t count)
{
	side->count = count;
	side->names = calloc((size_t)count + 1, sizeof(*side->names));
	side->pair = calloc((size_t)count + 1, sizeof(*side->pair));
	return side->names && side->pair;
}

bool pairing_by_name(struct pairing *pairing, const void *a, uint16_t a_count, const void *b,
		     uint16_t b_count, size_t size)
{
	if (!pairing_open(&pairing->a, a_count) || !pairing_open(&pairing->b, b_count))
		return false;
	for (uint16_t i = 0; i < a_count; i++)
		memcpy(&pairing->a.names[i], (const char *)a + i * size, sizeof(char *));
	for (uint16_t i = 0; i < b_count; i++)
		memcpy(&pairing->b.names[i], (const char *)b + i * size, sizeof(char *));
	return pairing_match(pairing);
}

void pairing_close(struct pairing *pairing)
{
	free(pairing->a.names);
	free(pairing->a.pair);
	free(pairing->b.names);
	free(pairing->b.pair);
	*pairing = (struct pairing){0};
}

bool pairing_has(const struct pairing *pairing, uint16_t a, uint16_t b)
{
	if (a >= pairing->a.count || b >= pairing->b.count)
		return a >= pairing->a.count && b >= pairing->b.count;
	return pairing->a.pair[a] == b;
}

bool pairing_is_aligned(const struct pairing *pairing)
{
	for (uint16_t i = 0; i < pairing->a.count; i++)
		if (pairing->a.pair[i] != i)
			return false;
	return pairing->a.count == pairing->b.count;
}
