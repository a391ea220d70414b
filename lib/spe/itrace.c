/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of --itrace: perf's way of saying what is to be made of AUX data. Its letters and units
 * are perf's (tools/perf/Documentation/itrace.txt, itrace_do_parse_synth_opts()); y and T came
 * after 6.1.
 */
#include "spe/itrace.h"

#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "spe/perf_version.h"

/* perf's defaults and limits. */
#define DEFAULT_PERIOD           100000 /* ns */
#define DEFAULT_CALLCHAIN_SIZE   16
#define MAX_CALLCHAIN_SIZE       1024
#define DEFAULT_LAST_BRANCH_SIZE 64
#define MAX_LAST_BRANCH_SIZE     1024

struct parser {
	const char *text, *at;
	struct plumb_itrace *itrace;
	struct plumb_diagnostics *diagnostics;
	bool has_period, has_unit;
	const char *period; /* where the last one stands, or belongs */
};

static struct place place_of(const struct parser *p, const char *at)
{
	return (struct place){.column = (unsigned)(at - p->text) + 1};
}

/* Adds the finding that the letter at `at` is not what is expected there. */
static int bad_letter(const struct parser *p, const char *at, const char *expected)
{
	struct place place = place_of(p, at);
	unsigned char c = (unsigned char)*at;

	if (c == '\0')
		diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-syntax", &place,
				"ends where %s is expected", expected);
	else if (c > ' ' && c < 0x7f)
		diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-syntax", &place,
				"unknown letter '%c': expected %s", c, expected);
	else
		diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-syntax", &place,
				"unknown byte 0x%02x: expected %s", c, expected);
	return PLUMB_ERR_SYNTAX;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_separators(struct parser *p)
{
	while (*p->at == ' ' || *p->at == ',')
		p->at++;
}

/* Reads the next number, which is there. */
static int parse_number(struct parser *p, uint64_t most, uint64_t *number)
{
	const char *begin = p->at;
	bool fits = true;

	*number = 0;
	for (; is_digit(*p->at); p->at++)
		fits = fits && !__builtin_mul_overflow(*number, 10, number) &&
		       !__builtin_add_overflow(*number, (uint64_t)(*p->at - '0'), number);
	if (!fits || *number > most) {
		struct place place = place_of(p, begin);

		diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-number", &place,
				"%.*s is too large: at most %llu", (int)(p->at - begin), begin,
				(unsigned long long)most);
		return PLUMB_ERR_INVALID;
	}
	return 0;
}

/* Reads the unit of a period. A period that ends the string is in nanoseconds. */
static int parse_unit(struct parser *p)
{
	const char *unit = p->at;
	uint64_t scale = 1;

	p->has_unit = true;
	switch (*p->at) {
	case '\0':
		p->has_unit = false;
		return 0;
	case 'i':
		p->at++;
		p->itrace->unit = ITRACE_INSTRUCTIONS;
		return 0;
	case 't':
		p->at++;
		p->itrace->unit = ITRACE_TICKS;
		return 0;
	case 'm':
		scale = 1000000;
		break;
	case 'u':
		scale = 1000;
		break;
	case 'n':
		break;
	default:
		return bad_letter(p, unit, "a unit (i, t, ms, us or ns)");
	}
	p->at++;
	if (*p->at != 's')
		return bad_letter(p, p->at, "the s of ms, us or ns");
	p->at++;
	p->itrace->unit = ITRACE_NANOSECONDS;
	if (__builtin_mul_overflow(p->itrace->period, scale, &p->itrace->period)) {
		struct place place = place_of(p, unit);

		diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-number", &place,
				"the period is too large");
		return PLUMB_ERR_INVALID;
	}
	return 0;
}

static int parse_period(struct parser *p)
{
	int error;

	p->period = p->at - 1;
	skip_separators(p);
	if (!is_digit(*p->at))
		return 0;
	error = parse_number(p, UINT64_MAX, &p->itrace->period);
	if (error)
		return error;
	p->has_period = true;
	skip_separators(p);
	return parse_unit(p);
}

/* Reads +x-y..., letters as bits. */
static int parse_flags(struct parser *p, uint32_t *plus, uint32_t *minus)
{
	while (*p->at == '+' || *p->at == '-' || *p->at == ' ') {
		uint32_t *flags = *p->at == '+' ? plus : minus;

		if (*p->at++ == ' ')
			continue;
		while (*p->at == ' ')
			p->at++;
		if (*p->at < 'a' || *p->at > 'z')
			return bad_letter(p, p->at, "a flag (a to z)");
		*flags |= 1u << (*p->at++ - 'a');
	}
	return 0;
}

static int parse_size(struct parser *p, unsigned usual, unsigned most, unsigned *size)
{
	const char *begin;
	uint64_t number;
	int error;

	*size = usual;
	skip_separators(p);
	begin = p->at;
	if (!is_digit(*p->at))
		return 0;
	error = parse_number(p, most, &number);
	if (error)
		return error;
	if (number == 0) {
		struct place place = place_of(p, begin);

		diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-number", &place,
				"the size must not be 0");
		return PLUMB_ERR_INVALID;
	}
	*size = (unsigned)number;
	return 0;
}

static int parse_skip(struct parser *p)
{
	while (*p->at == ' ')
		p->at++;
	if (!is_digit(*p->at))
		return bad_letter(p, p->at, "the number of s");
	return parse_number(p, UINT64_MAX, &p->itrace->skip);
}

/* Returns the member that a letter without arguments sets, or NULL. */
static bool *switch_of(struct plumb_itrace *itrace, char letter)
{
	switch (letter) {
	case 'b':
		return &itrace->branches;
	case 'c':
		return &itrace->calls;
	case 'r':
		return &itrace->returns;
	case 'f':
		return &itrace->first_level;
	case 'm':
		return &itrace->last_level;
	case 't':
		return &itrace->tlb;
	case 'a':
		return &itrace->remote_access;
	case 'M':
		return &itrace->memory;
	case 'x':
		return &itrace->transactions;
	case 'w':
		return &itrace->ptwrites;
	case 'p':
		return &itrace->power;
	case 'o':
		return &itrace->other;
	case 'I':
		return &itrace->interrupts;
	case 'A':
		return &itrace->approximate_ipc;
	case 'T':
		return &itrace->kernel_time;
	case 'Z':
		return &itrace->timeless;
	default:
		return NULL;
	}
}

static int parse_letter(struct parser *p)
{
	struct plumb_itrace *itrace = p->itrace;
	char letter = *p->at;
	bool *simple = switch_of(itrace, letter);

	if (simple) {
		*simple = true;
		itrace->branches |= letter == 'c' || letter == 'r';
		p->at++;
		return 0;
	}
	switch (*p->at++) {
	case ' ':
	case ',':
		return 0;
	case 'i':
		itrace->instructions = true;
		return parse_period(p);
	case 'y':
		itrace->cycles = true;
		return parse_period(p);
	case 'e':
		itrace->errors = true;
		return parse_flags(p, &itrace->error_plus, &itrace->error_minus);
	case 'd':
		itrace->log = true;
		return parse_flags(p, &itrace->log_plus, &itrace->log_minus);
	case 'g':
	case 'G':
		*(letter == 'g' ? &itrace->callchain : &itrace->add_callchain) = true;
		return parse_size(p, DEFAULT_CALLCHAIN_SIZE, MAX_CALLCHAIN_SIZE,
				  &itrace->callchain_size);
	case 'l':
	case 'L':
		*(letter == 'l' ? &itrace->last_branch : &itrace->add_last_branch) = true;
		return parse_size(p, DEFAULT_LAST_BRANCH_SIZE, MAX_LAST_BRANCH_SIZE,
				  &itrace->last_branch_size);
	case 's':
		return parse_skip(p);
	case 'q':
		itrace->quick += itrace->quick < UINT32_MAX;
		return 0;
	default:
		p->at--;
		return bad_letter(p, p->at, "a letter that selects samples");
	}
}

/* Newer versions of perf sample all groups by this period, and reject other units. */
static int check_unit(struct parser *p)
{
	struct place place = place_of(p, p->period);

	if (!p->period || p->itrace->unit == ITRACE_INSTRUCTIONS)
		return 0;
	diagnostics_add(p->diagnostics, PLUMB_ERROR, "itrace-unit", &place,
			"SPE records can only be counted in instructions");
	plumb_diagnostics_hint(p->diagnostics, "i1i is every record, i10i every tenth");
	return PLUMB_ERR_INVALID;
}

int itrace_parse(const char *text, enum plumb_perf_version version, struct plumb_itrace *itrace,
		 struct plumb_diagnostics *diagnostics)
{
	struct parser p = {.text = text, .at = text, .itrace = itrace, .diagnostics = diagnostics};

	*itrace = (struct plumb_itrace){0};
	while (*p.at) {
		int error = parse_letter(&p);

		if (error) {
			plumb_diagnostics_hint(diagnostics,
					       "use i1i (every record), f, m, t, b, a, M or l");
			return error;
		}
	}
	if (itrace->instructions || itrace->cycles) {
		if (!p.has_unit)
			itrace->unit = ITRACE_NANOSECONDS;
		if (!p.has_period)
			itrace->period = DEFAULT_PERIOD;
	}
	return perf_is_newer(version) ? check_unit(&p) : 0;
}

int plumb_itrace_parse(const char *text, enum plumb_perf_version version,
		       struct plumb_itrace **itrace, struct plumb_diagnostics *diagnostics)
{
	struct plumb_itrace *made = malloc(sizeof(*made));
	int error = made ? itrace_parse(text, version, made, diagnostics) : PLUMB_ERR_NO_MEMORY;

	if (error) {
		free(made);
		made = NULL;
	}
	*itrace = made;
	return error;
}

void plumb_itrace_free(struct plumb_itrace *itrace)
{
	free(itrace);
}

void itrace_default(struct plumb_itrace *itrace, enum plumb_perf_version version)
{
	*itrace = (struct plumb_itrace){
		.branches = true,
		.first_level = true,
		.last_level = true,
		.tlb = true,
		.remote_access = true,
		.memory = true,
		.errors = true,
		.instructions = perf_is_newer(version),
		.period = 1,
	};
}

static bool samples_instructions(const struct plumb_itrace *itrace)
{
	return itrace->instructions && itrace->unit == ITRACE_INSTRUCTIONS;
}

uint32_t itrace_groups(const struct plumb_itrace *itrace, enum plumb_perf_version version)
{
	const bool newer = perf_is_newer(version);
	const struct {
		bool wanted;
		unsigned group;
	} rules[] = {
		{itrace->first_level, PLUMB_SPE_GROUP_L1D_MISS},
		{itrace->first_level, PLUMB_SPE_GROUP_L1D_ACCESS},
		{itrace->last_level, PLUMB_SPE_GROUP_LLC_MISS},
		{itrace->last_level, PLUMB_SPE_GROUP_LLC_ACCESS},
		{itrace->tlb, PLUMB_SPE_GROUP_TLB_MISS},
		{itrace->tlb, PLUMB_SPE_GROUP_TLB_ACCESS},
		{itrace->branches && newer, PLUMB_SPE_GROUP_BRANCH},
		{itrace->branches && !newer, PLUMB_SPE_GROUP_BRANCH_MISS},
		{itrace->remote_access, PLUMB_SPE_GROUP_REMOTE_ACCESS},
		{itrace->memory, PLUMB_SPE_GROUP_MEMORY},
		{samples_instructions(itrace), PLUMB_SPE_GROUP_INSTRUCTIONS},
	};
	uint32_t groups = 0;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].wanted)
			groups |= PLUMB_SPE_GROUP_BIT(rules[i].group);
	return groups;
}

static void report_period(const struct plumb_itrace *itrace, enum plumb_perf_version version,
			  struct plumb_diagnostics *diagnostics)
{
	if (itrace->instructions && !samples_instructions(itrace)) {
		diagnostics_add(diagnostics, PLUMB_WARNING, "itrace-unit", NULL,
				"SPE has no instructions by time: the group "
				"\"instructions\" is left out");
		plumb_diagnostics_hint(diagnostics, "give its period in instructions: i1i");
	} else if (itrace->instructions && itrace->period > 1) {
		diagnostics_add(diagnostics, PLUMB_WARNING, "itrace-period", NULL,
				"each record is a sample already: only one in %llu is %s",
				(unsigned long long)itrace->period,
				perf_is_newer(version) ? "used" : "among the \"instructions\"");
		plumb_diagnostics_hint(diagnostics, "i1i gives every record");
	}
}

void plumb_itrace_report(const struct plumb_itrace *itrace, enum plumb_perf_version version,
			 struct plumb_diagnostics *diagnostics)
{
	const bool newer = perf_is_newer(version);
	const struct {
		bool asked;
		const char *letter;
	} vain[] = {
		{itrace->calls, "c"},
		{itrace->returns, "r"},
		{itrace->transactions, "x"},
		{itrace->ptwrites, "w"},
		{itrace->power, "p"},
		{itrace->other, "o"},
		{itrace->interrupts, "I"},
		{itrace->cycles, "y"},
		{itrace->callchain, "g"},
		{itrace->add_callchain, "G"},
		{itrace->last_branch && !newer, "l"},
		{itrace->add_last_branch, "L"},
		{itrace->approximate_ipc, "A"},
		{itrace->kernel_time, "T"},
		{itrace->quick > 0, "q"},
		{itrace->skip > 0, "s"},
	};
	report_period(itrace, version, diagnostics);
	for (size_t i = 0; i < sizeof(vain) / sizeof(*vain); i++)
		if (vain[i].asked)
			diagnostics_add(
				diagnostics, PLUMB_WARNING, "itrace-vain", NULL,
				"itrace letter '%s' has no effect: SPE does not record this",
				vain[i].letter);
}
