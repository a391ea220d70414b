/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects a built-in specification by MIDR or by any common spelling of its name.
 *
 * Spellings are normalized in two steps. The plain form has lower-case letters and no separators:
 * "Neoverse N2", "neoverse-n2" and "NEOVERSE_N2" are "neoversen2". The short form also drops the
 * endings of Arm's file names and the vendors' prefixes: "n2". Then a revision at its end, such as
 * "r0p3", is separated from the rest, the family.
 */
#include <plumb/spec.h>

#include <string.h>

#include "base/near.h"
#include "base/text.h"
#include "spec/builtin.h"

/* Prefixes that do not change a name, in plain form. */
static const char *const prefixes[] = {
	"arm", "neoverse", "ampere", "amazon", "aws", "google", "microsoft", "azure", "nvidia",
};

/* Endings of Arm's file names, outermost first. */
static const char *const suffixes[] = {".json", "pmu"};

/* Processors whose names differ from their cores', both in short form. */
static const struct alias {
	const char *name;
	const char *family;
} aliases[] = {
	{"graviton2", "n1"},  /* Amazon EC2's 6th generation: m6g, c6g, r6g */
	{"altra", "n1"},      /* Ampere's, up to 80 cores */
	{"altramax", "n1"},   /* and up to 128 */
	{"graviton3", "v1"},  /* EC2's 7th generation: m7g, c7g, r7g */
	{"graviton3e", "v1"}, /* c7gn, hpc7g */
	{"cobalt100", "n2"},  /* Microsoft Azure's, implementer 0x6d, part 0xd49 */
	{"graviton4", "v2"},  /* EC2's 8th generation: m8g, c8g, r8g */
	{"grace", "v2"},      /* NVIDIA's, of GH200 and GB200 too */
	{"axion", "v2"},      /* Google Cloud's c4a */
	{"graviton5", "v3"},  /* EC2's 9th generation: m9g */
	{"v3ae", "v3"},       /* part 0xd83; Arm's mapping.json maps it the same way */
};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The longest spelling; nothing has a longer name. */
#define NAME_ROOM (NEAR_MAX_LENGTH + 1)

struct name {
	char plain[NAME_ROOM];
	char family[NAME_ROOM]; /* the short form without the revision */
	bool has_revision;
	unsigned major, minor;
};

size_t plumb_spec_builtin_count(void)
{
	return builtin_spec_count;
}

const struct plumb_spec *plumb_spec_builtin(size_t i)
{
	return i < builtin_spec_count ? builtin_spec(i) : NULL;
}

const char *plumb_spec_alias(size_t i, const struct plumb_spec **spec)
{
	*spec = NULL;
	if (i >= COUNT(aliases))
		return NULL;
	plumb_spec_find(aliases[i].name, spec, NULL);
	return aliases[i].name;
}

const struct plumb_spec *plumb_spec_for_midr(uint32_t midr)
{
	for (size_t i = 0; i < builtin_midr_count; i++) {
		const struct builtin_midr *entry = &builtin_midrs[i];

		if (((midr ^ entry->midr) & entry->mask) == 0)
			return plumb_spec_builtin(entry->spec_index);
	}
	return NULL;
}

static bool make_plain(const char *name, char plain[NAME_ROOM])
{
	size_t length = 0;

	for (; *name; name++) {
		if (*name == ' ' || *name == '\t' || *name == '-' || *name == '_')
			continue;
		if (length == NAME_ROOM - 1)
			return false;
		plain[length++] = text_lower(*name);
	}
	plain[length] = '\0';
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns where a number of one or two digits before `end` begins, or `end`. */
static char *number_before(char *start, char *end, unsigned *number)
{
	char *at = end;

	while (at > start && is_digit(at[-1]) && end - at < 2)
		at--;
	*number = 0;
	for (const char *digit = at; digit < end; digit++)
		*number = 10 * *number + (unsigned)(*digit - '0');
	return at;
}

/* Removes a revision such as "r0p3" from the end of name->family. */
static void take_revision(struct name *name)
{
	char *start = name->family, *end = start + strlen(start);
	char *p = number_before(start, end, &name->minor), *r;

	if (p == end || p == start || *--p != 'p')
		return;
	r = number_before(start, p, &name->major);
	if (r == p || r == start || *--r != 'r')
		return;
	name->has_revision = true;
	*r = '\0';
}

/* Skips all words of `prefixes` at the beginning of `plain`. */
static const char *after_prefixes(const char *plain)
{
	size_t i = 0;

	while (i < COUNT(prefixes)) {
		size_t length = strlen(prefixes[i]);

		if (strncmp(plain, prefixes[i], length) == 0) {
			plain += length;
			i = 0;
		} else {
			i++;
		}
	}
	return plain;
}

/* False if the text is too long for a name. */
static bool make_name(const char *text, struct name *name)
{
	const char *start;
	size_t length;

	*name = (struct name){0};
	if (!make_plain(text, name->plain))
		return false;
	start = after_prefixes(name->plain);
	length = strlen(start);
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		size_t off = strlen(suffixes[i]);

		if (length >= off && memcmp(start + length - off, suffixes[i], off) == 0)
			length -= off;
	}
	memcpy(name->family, start, length);
	take_revision(name);
	for (size_t i = 0; i < COUNT(aliases); i++)
		if (strcmp(name->family, aliases[i].name) == 0)
			memcpy(name->family, aliases[i].family, strlen(aliases[i].family) + 1);
	return true;
}

/* Parses a hexadecimal MIDR: after 0x, or with all its 8 digits (16 in sysfs). */
static bool parse_midr(const char *plain, uint32_t *midr)
{
	bool marked = strncmp(plain, "0x", 2) == 0;
	uint64_t value = 0;
	size_t length;

	if (marked)
		plain += 2;
	length = strspn(plain, "0123456789abcdef");
	if (plain[length] || !length || length > 16 || (!marked && length != 8 && length != 16))
		return false;
	for (; *plain; plain++)
		value = value << 4 |
			(uint64_t)(is_digit(*plain) ? *plain - '0' : *plain - 'a' + 10);
	*midr = (uint32_t)value;
	return value <= UINT32_MAX;
}

#define NO_SPEC SIZE_MAX

static bool is_newer(const struct builtin_name *a, const struct builtin_name *b)
{
	if (a->major_revision != b->major_revision)
		return a->major_revision > b->major_revision;
	return a->minor_revision > b->minor_revision;
}

/* Returns the newest specification of this family, and of the revision if given; or NO_SPEC. */
static size_t find_family(const struct name *name)
{
	struct builtin_name newest_name = {0};
	size_t newest = NO_SPEC;

	for (size_t i = 0; i < builtin_spec_count; i++) {
		struct builtin_name of = builtin_name(i);
		struct name product;

		if (!make_name(of.product, &product) || strcmp(product.family, name->family) != 0)
			continue;
		if (name->has_revision &&
		    (of.major_revision != name->major || of.minor_revision != name->minor))
			continue;
		if (newest == NO_SPEC || is_newer(&of, &newest_name)) {
			newest = i;
			newest_name = of;
		}
	}
	return newest;
}

/* Returns the id of the specification with the most similar name; NULL if none is similar. */
static const char *suggest(const struct name *name)
{
	struct near in_full = near_to(name->plain), in_short = near_to(name->family);

	for (size_t i = 0; i < builtin_spec_count; i++) {
		struct builtin_name of = builtin_name(i);
		struct name id, product;
		const char *newest;

		if (!make_name(of.id, &id) || !make_name(of.product, &product))
			continue;
		newest = builtin_name(find_family(&product)).id;
		near_offer(&in_full, id.plain, of.id);
		near_offer(&in_full, product.plain, newest);
		near_offer(&in_short, product.family, newest);
	}
	for (size_t i = 0; i < COUNT(aliases); i++) {
		struct name alias;
		size_t spec = NO_SPEC;

		if (make_name(aliases[i].name, &alias))
			spec = find_family(&alias);
		if (spec != NO_SPEC)
			near_offer(&in_short, aliases[i].name, builtin_name(spec).id);
	}
	return in_full.best ? in_full.best : in_short.best;
}

int plumb_spec_find(const char *name, const struct plumb_spec **spec, const char **suggestion)
{
	struct name wanted;
	uint32_t midr;

	*spec = NULL;
	if (suggestion)
		*suggestion = NULL;
	if (!make_name(name, &wanted))
		return PLUMB_ERR_NOT_FOUND;
	if (parse_midr(wanted.plain, &midr))
		*spec = plumb_spec_for_midr(midr);
	else
		*spec = plumb_spec_builtin(find_family(&wanted));
	if (!*spec && suggestion)
		*suggestion = suggest(&wanted);
	return *spec ? 0 : PLUMB_ERR_NOT_FOUND;
}
