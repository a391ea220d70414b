/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/join.h"
#include "tool/memory.h"

/* Linux's file of MIDR_EL1 (Documentation/arch/arm64/cpu-feature-registers.rst). */
#define MIDR_FILE "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

const struct plumb_spec *cpus_this_machine(void)
{
	const struct plumb_spec *spec = NULL;
	FILE *file = fopen(MIDR_FILE, "re");
	char text[32] = "", *end;
	unsigned long long midr;

	if (!file)
		return NULL;
	if (fgets(text, sizeof(text), file)) {
		midr = strtoull(text, &end, 16);
		if (end != text && midr <= UINT32_MAX)
			spec = plumb_spec_for_midr((uint32_t)midr);
	}
	fclose(file);
	return spec;
}

/* Follows --cpu's rule: `name` is a file if it has a '/', or ends in .json and exists. */
static bool names_file(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') ||
	       (length > 5 && strcmp(name + length - 5, ".json") == 0 && access(name, F_OK) == 0);
}

static int open_file(struct cpus *cpus, const char *name, bool verbose)
{
	struct plumb_diagnostics *diagnostics = memory_given(plumb_diagnostics_new());
	size_t warnings;
	int error;

	inputs_note(name, "the input");
	error = plumb_spec_read_file(name, &cpus->read, diagnostics);
	warnings = plumb_diagnostics_warnings(diagnostics);
	if (error < 0) {
		complain_findings(diagnostics, name, error);
	} else {
		cpus->at[cpus->count++] = cpus->read;
		if (verbose && warnings) {
			complain("%s: %zu warning%s", name, warnings, warnings == 1 ? "" : "s");
			advise("see plumb spec validate %s", name);
		}
	}
	plumb_diagnostics_free(diagnostics);
	return complain_status(error);
}

static int open_builtin(struct cpus *cpus, const char *name)
{
	const char *suggestion = NULL;

	if (plumb_spec_find(name, &cpus->at[0], &suggestion) == 0) {
		cpus->count = 1;
		return EXIT_FINE;
	}
	complain("unknown CPU '%s': not a name, a MIDR or a file", name);
	if (suggestion)
		advise("did you mean %s?", suggestion);
	else
		advise("see plumb spec list cpus");
	return EXIT_USAGE;
}

/* Reads hexadecimal digits after 0x, or exactly 8 or 16 digits; fewer could be a name. */
static bool parse_midr(const char *text, uint32_t *midr)
{
	bool marked = text[0] == '0' && (text[1] | 0x20) == 'x';
	const char *digits = marked ? text + 2 : text;
	size_t length = strspn(digits, "0123456789abcdefABCDEF");
	unsigned long long number;

	if (length == 0 || length > 16 || digits[length] ||
	    (!marked && length != 8 && length != 16))
		return false;
	number = strtoull(digits, NULL, 16);
	*midr = (uint32_t)number;
	return number > 0 && number <= UINT32_MAX;
}

int cpus_midr(const char *name, uint32_t *midr)
{
	const struct plumb_spec *spec;
	const char *suggestion = NULL;

	*midr = 0;
	if (!name)
		return EXIT_FINE;
	if (parse_midr(name, midr)) {
		if (!plumb_spec_for_midr(*midr))
			complain("--core %s: no core with this MIDR is known; data sources are "
				 "printed as numbers",
				 name);
		return EXIT_FINE;
	}
	if (plumb_spec_find(name, &spec, &suggestion) == 0) {
		*midr = plumb_spec_midr(spec);
		return EXIT_FINE;
	}
	complain("unknown core '%s': not a name or a MIDR", name);
	if (suggestion)
		advise("did you mean %s?", suggestion);
	else
		advise("use a name from plumb spec list cpus, or a MIDR such as 0x410fd8e0");
	return EXIT_USAGE;
}

bool cpus_is_list(const char *name)
{
	/* Eight digits and more may be a MIDR. */
	return *name && strspn(name, "0123456789,-") == strlen(name) && strcspn(name, ",-") < 8;
}

int cpus_open_all(struct cpus *cpus)
{
	*cpus = (struct cpus){.all = true};
	while (cpus->count < CPUS_MAX && cpus->count < plumb_spec_builtin_count()) {
		cpus->at[cpus->count] = plumb_spec_builtin(cpus->count);
		cpus->count++;
	}
	return EXIT_FINE;
}

int cpus_open(struct cpus *cpus, const char *name, bool verbose)
{
	const struct plumb_spec *mine;

	*cpus = (struct cpus){0};
	if (name)
		return names_file(name) ? open_file(cpus, name, verbose) : open_builtin(cpus, name);
	mine = cpus_this_machine();
	if (mine) {
		cpus->this_machine = true;
		cpus->at[cpus->count++] = mine;
		return EXIT_FINE;
	}
	return cpus_open_all(cpus);
}

int cpus_open_one(struct cpus *cpus, const char *name, bool verbose)
{
	int status = cpus_open(cpus, name, verbose);

	return cpus->all ? cpus_open(cpus, CPUS_MODELLED, verbose) : status;
}

void cpus_close(struct cpus *cpus)
{
	plumb_spec_free(cpus->read);
	*cpus = (struct cpus){0};
}

void cpu_set_add(struct cpu_set *set, size_t i)
{
	set->words[i / 64] |= UINT64_C(1) << (i % 64);
}

bool cpu_set_has(const struct cpu_set *set, size_t i)
{
	return set->words[i / 64] >> (i % 64) & 1;
}

bool cpu_set_equal(const struct cpu_set *a, const struct cpu_set *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

size_t cpu_set_count(const struct cpu_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < CPUS_MAX / 64; i++)
		count += (size_t)__builtin_popcountll(set->words[i]);
	return count;
}

/* Tells whether two CPUs are revisions of one product. */
static bool same_product(const struct plumb_spec *a, const struct plumb_spec *b)
{
	return a->product.implementer == b->product.implementer &&
	       a->product.part == b->product.part;
}

/* Returns the length of the CPU's id without its revision, if the id ends in one. */
static size_t without_revision(const struct plumb_spec *spec)
{
	char revision[16];
	size_t length = strlen(spec->id);
	int bytes = snprintf(revision, sizeof(revision), "-r%up%u", spec->product.major_revision,
			     spec->product.minor_revision);

	if (length > (size_t)bytes && strcmp(spec->id + length - (size_t)bytes, revision) == 0)
		length -= (size_t)bytes;
	return length;
}

/* Returns the names, separated by commas, and sets `*count` to their number. Free the result. */
static char *list_names(const struct cpus *cpus, const struct cpu_set *set, size_t *count)
{
	struct join names = {0};

	*count = 0;
	for (size_t i = 0; i < cpus->count; i++) {
		const char *id = cpus->at[i]->id;
		bool whole = true, named = false;

		for (size_t k = 0; k < cpus->count; k++) {
			if (!same_product(cpus->at[i], cpus->at[k]))
				continue;
			whole = whole && cpu_set_has(set, k);
			named = named || (k < i && cpu_set_has(set, k));
		}
		if (!cpu_set_has(set, i) || (whole && named))
			continue;
		join_add_bytes(&names, id, whole ? without_revision(cpus->at[i]) : strlen(id));
		++*count;
	}
	return join_take(&names);
}

char *cpu_set_text(const struct cpus *cpus, const struct cpu_set *set)
{
	struct cpu_set others = {0};
	size_t named, missing;
	char *names, *rest, *text;

	for (size_t i = 0; i < cpus->count; i++)
		if (!cpu_set_has(set, i))
			cpu_set_add(&others, i);
	names = list_names(cpus, set, &named);
	rest = list_names(cpus, &others, &missing);
	if (cpus->count == 1)
		text = memory_copy(cpus->at[0]->id, strlen(cpus->at[0]->id));
	else if (missing == 0)
		text = memory_format("all %zu CPUs", cpus->count);
	else if (missing > 0 && missing <= 2 && named >= 3 * missing)
		text = memory_format("all but %s", rest);
	else
		text = memory_copy(names, strlen(names));
	free(names);
	free(rest);
	return text;
}
