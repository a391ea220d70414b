/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/control_groups.h"

#include <stdlib.h>
#include <string.h>

/* No machine has as many groups, or threads with such records: more would take long to insert. */
#define NUMBERS_MAX 16384

/* Returns how many numbers are smaller. */
static size_t place_of(const struct numbered_table *table, uint64_t number)
{
	size_t low = 0, high = table->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (table->at[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct numbered *numbered_find(const struct numbered_table *table, uint64_t number)
{
	const size_t at = place_of(table, number);

	return at < table->count && table->at[at].number == number ? &table->at[at] : NULL;
}

bool numbered_set(struct numbered_table *table, uint64_t number, uint64_t first, uint64_t second)
{
	const size_t at = place_of(table, number);

	if (at == table->count || table->at[at].number != number) {
		if (table->count == NUMBERS_MAX)
			return true;
		if (table->count == table->room) {
			const size_t room = table->room ? 2 * table->room : 16;
			struct numbered *grown = reallocarray(table->at, room, sizeof(*grown));

			if (!grown)
				return false;
			table->at = grown;
			table->room = room;
		}
		memmove(&table->at[at + 1], &table->at[at],
			(table->count - at) * sizeof(*table->at));
		table->count++;
	}
	table->at[at] = (struct numbered){.number = number, .values = {first, second}};
	return true;
}

void control_groups_free(struct control_groups *groups)
{
	free(groups->names.at);
	free(groups->namespaces.at);
}
