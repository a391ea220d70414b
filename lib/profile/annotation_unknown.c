/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a profile that is in no function, as in stripped programs. */
#include "profile/annotation.h"
#include "symbol/symbolizer.h"

/* Bytes before and after an instruction without a function. */
#define AROUND UINT64_C(64)

/* Returns whether a cell has code without a function, and a weight. */
static bool is_unknown(const struct plumb_annotation *annotation, const struct cell *cell)
{
	return !cell->symbol && cell->file &&
	       series_weighs(&annotation->series[cell->series], &annotation->summary);
}

/* Sets the part around the heaviest instruction without a function; it leads if it has more than
 * `least`. */
static void find_unknown_part(struct plumb_annotation *annotation, const struct cell *heaviest,
			      double least)
{
	struct plumb_annotation_summary *summary = &annotation->summary;
	const uint64_t address = summary->unknown_address, middle = address & ~(AROUND - 1);
	double weight = 0;

	if (middle < AROUND || middle > UINT64_MAX - 2 * AROUND)
		return;
	summary->unknown_start = middle - AROUND;
	summary->unknown_stop = middle + 2 * AROUND;
	for (size_t i = 0; i < annotation->cell_count; i++) {
		const struct cell *cell = &annotation->cells[i];

		if (is_unknown(annotation, cell) && cell->file == heaviest->file &&
		    cell->address - (heaviest->address - (address - summary->unknown_start)) <
			    3 * AROUND)
			weight += cell->sum;
	}
	summary->unknown_leads = weight > least;
}

void annotation_find_unknown(struct plumb_annotation *annotation, double heaviest_function)
{
	const struct cell *heaviest = NULL, *last = NULL;
	double sum = 0, most = 0;
	uint32_t word;

	for (size_t i = 0; i < annotation->cell_count; i++) {
		const struct cell *cell = &annotation->cells[i];

		if (!is_unknown(annotation, cell))
			continue;
		if (!last || last->file != cell->file || last->address != cell->address)
			sum = 0;
		last = cell;
		sum += cell->sum;
		if (sum > most) {
			most = sum;
			heaviest = cell;
		}
	}
	if (heaviest &&
	    symbolizer_code(annotation->symbolizer, heaviest->file, heaviest->address, &word,
			    sizeof(word), &annotation->summary.unknown_address) == sizeof(word))
		find_unknown_part(annotation, heaviest, heaviest_function);
}
