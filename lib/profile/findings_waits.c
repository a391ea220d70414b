/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/findings_waits.h"

#include <endian.h>
#include <string.h>

#include "disasm/word_operation.h"
#include "symbol/symbolizer.h"

#define KINDS_MAX   32
#define LEAST_SHARE 0.001 /* of the loss: the code of places with less is not read */
#define MOST_SHARE  50    /* percent */

struct kind {
	const char *name;
	struct sum sum;
};

static const struct {
	const char *kind, *hint;
} hints[] = {
	{"integer division",
	 "Divide less: multiply by the reciprocal of a divisor that is used again, make divisors "
	 "constants or powers of two, take 32 bits where the values fit, move divisions out of the "
	 "loop, and let other work run between a division and the use of its result."},
	{"vector integer division",
	 "Multiply by the reciprocal of a divisor that is used again, or divide in floating point "
	 "where the values fit."},
	{"floating-point division",
	 "Divide less: multiply by the reciprocal of a divisor that is used again "
	 "(-freciprocal-math "
	 "lets the compiler do so), take single precision where it suffices, and divide whole "
	 "vectors."},
	{"square roots",
	 "Compare squares instead of roots, take single precision where it suffices, or use the "
	 "estimate of a reciprocal root with a step or two."},
	{"barriers",
	 "Use acquire and release instead of full barriers, and isb only where code or system "
	 "registers have changed."},
	{"atomics", "Take fewer atomics: add up per thread and combine at the end, or handle "
		    "several items with "
		    "one."},
	{"exclusive stores",
	 "Build for atomics (-march=armv8.1-a, or -moutline-atomics), which take one instruction "
	 "instead of a loop, and take fewer of them."},
	{"system registers", "Read and write system registers less often: keep what was read."},
	{"ordered vector sums",
	 "Let the compiler add in any order (-fassociative-math), or use several accumulators."},
};

const char *waits_hint(const struct plumb_finding_place *most)
{
	if (most->share < MOST_SHARE)
		return NULL;
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		if (strcmp(hints[i].kind, most->name) == 0)
			return hints[i].hint;
	return NULL;
}

/* Reads the instruction at a place. */
static bool read_word(struct evidence *evidence, const struct evidence_place *place, uint32_t *word)
{
	const struct plumb_location *location = &place->location;
	uint64_t shown;

	if (!location->file ||
	    symbolizer_code(evidence->symbolizer, location->file, location->address & ~UINT64_C(3),
			    word, sizeof(*word), &shown) != sizeof(*word))
		return false;
	*word = le32toh(*word);
	return true;
}

/* Returns the kind of the instruction at a place; NULL: unknown. */
static const char *kind_of(struct evidence *evidence, const struct evidence_place *place)
{
	uint32_t word;

	if (place->atomic)
		return "atomics";
	return read_word(evidence, place, &word) ? word_work(word) : NULL;
}

/* Tells br, blr and their variants with authentication: all but returns go anywhere. */
static bool is_indirect(uint32_t word)
{
	return (word & 0xfedf0000) == 0xd61f0000;
}

/* Tells loads of a general register that is part of its own address: `p = p->next`. */
static bool is_chase(uint32_t word)
{
	const unsigned loaded = word & 31, base = word >> 5 & 31;

	/* ldr with an offset, scaled or not; ldp; ldr with an index. */
	if ((word & 0xbfc00000) == 0xb9400000 || (word & 0xbfe00c00) == 0xb8400000)
		return loaded == base;
	if ((word & 0xffc00000) == 0xa9400000)
		return loaded == base || (word >> 10 & 31) == base;
	return (word & 0xbfe00c00) == 0xb8600800 && (loaded == base || loaded == (word >> 16 & 31));
}

/* Returns the share of a loss, in percent, that is at instructions of a kind. */
static double share_at(struct evidence *evidence, unsigned loss, bool (*is)(uint32_t word))
{
	const double all = evidence->losses[loss].code.weight;
	double sum = 0;
	uint32_t word;

	for (size_t i = 0; i < evidence->code.count; i++) {
		const double weight = evidence->code.at[i].sums[loss].weight;

		if (weight >= LEAST_SHARE * all &&
		    read_word(evidence, &evidence->code.at[i], &word) && is(word))
			sum += weight;
	}
	return 100 * sum / all;
}

const struct waits_advice *waits_advice(struct evidence *evidence, unsigned loss)
{
	static const struct waits_advice indirect = {
		"mispredicted indirect branches",
		"Let each indirect branch have fewer targets: handle objects of one type, or "
		"operations of one kind, one after the other; test for the most common target "
		"first; give each case of an interpreter a jump of its own to the next."};
	static const struct waits_advice chase = {
		"a chain of loads that miss",
		"Each address comes from the load before, so that misses cannot overlap: keep "
		"items in an array, in the order of their use, instead of a list; put several "
		"into a node; or follow several chains in turns."};
	const struct evidence_loss *of = &evidence->losses[loss];

	if (!of->cause || (of->basis != EVIDENCE_EXACT && of->basis != EVIDENCE_SPE))
		return NULL;
	if (of->cause->spe == WEIGH_MISPREDICTIONS &&
	    share_at(evidence, loss, is_indirect) >= MOST_SHARE)
		return &indirect;
	if (of->cause->spe == WEIGH_MISSES && share_at(evidence, loss, is_chase) >= MOST_SHARE)
		return &chase;
	return NULL;
}

static void add(struct kind *kinds, size_t *count, const char *name, const struct sum *sum)
{
	size_t i = 0;

	while (i < *count && strcmp(kinds[i].name, name) != 0)
		i++;
	if (i == KINDS_MAX)
		return;
	if (i == *count)
		kinds[(*count)++] = (struct kind){.name = name};
	kinds[i].sum.weight += sum->weight;
	kinds[i].sum.squares += sum->squares;
	kinds[i].sum.samples += sum->samples;
}

/* An insertion sort, which keeps the order of equals. */
static void sort(struct kind *kinds, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct kind kind = kinds[i];
		size_t at = i;

		for (; at && kinds[at - 1].sum.weight < kind.sum.weight; at--)
			kinds[at] = kinds[at - 1];
		kinds[at] = kind;
	}
}

void waits_of_code(struct evidence *evidence, unsigned loss, struct plumb_finding_places *waits)
{
	const struct evidence_loss *of = &evidence->losses[loss];
	struct kind kinds[KINDS_MAX];
	size_t count = 0;

	if (!of->cause || of->cause->spe != WEIGH_OPERATIONS ||
	    (of->basis != EVIDENCE_EXACT && of->basis != EVIDENCE_SPE))
		return;
	for (size_t i = 0; i < evidence->code.count; i++) {
		const struct evidence_place *place = &evidence->code.at[i];
		const char *name;

		if (place->sums[loss].weight < LEAST_SHARE * of->code.weight)
			continue;
		name = kind_of(evidence, place);
		if (name)
			add(kinds, &count, name, &place->sums[loss]);
	}
	sort(kinds, count);
	for (size_t i = 0; i < count && i < PLUMB_PLACES_MAX; i++) {
		struct plumb_finding_place *place = &waits->at[waits->count++];

		place->name = kinds[i].name;
		evidence_share(&kinds[i].sum, &of->code, waits->exact, place);
	}
}
