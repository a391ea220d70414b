/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/other_pmu.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/near.h"
#include "base/number.h"
#include "base/quote.h"
#include "base/text.h"
#include "cpu/sysfs.h"

#define DEVICES  "/sys/bus/event_source/devices"
#define LINE     512
#define HINT     160
#define DIGITS   "0123456789"
#define HEX      DIGITS "abcdef"
#define CONFIGS  3
#define ALL_BITS 64

/* ---- units ---------------------------------------------------------------------------------- */

/* PMUs whose events perf opens in other ways, or which write traces. */
static bool is_special(const char *name)
{
	static const char *const special[] = {"software", "tracepoint", "breakpoint", "kprobe",
					      "uprobe"};

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (strcmp(name, special[i]) == 0)
			return true;
	return strncmp(name, "arm_spe", 7) == 0 || strncmp(name, "cs_etm", 6) == 0;
}

/* Tells whether a unit's name is that of its kind and a number, which may be an address. */
static bool is_numbered(const char *unit, const char *name)
{
	const size_t length = strlen(name);
	const char *number;

	if (text_compare_bytes(unit, length, name) != 0)
		return false;
	number = unit + length + (unit[length] == '_');
	return *number && number[strspn(number, number == unit + length ? DIGITS : HEX)] == '\0';
}

/* Reads what a unit's folder says. Returns 1, 0 if it is no unit, or a negative enum plumb_error.
 */
static int read_unit(const char *root, const char *name, struct cpu_unit *unit)
{
	char path[PATH_MAX], line[LINE];
	unsigned long long type;
	int count;

	*unit = (struct cpu_unit){.cpus = NULL};
	if (strlen(name) >= sizeof(unit->name) || is_special(name))
		return 0;
	memcpy(unit->name, name, strlen(name) + 1);
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/type", root, name);
	if (!sysfs_read_number(path, 10, UINT32_MAX, &type))
		return 0;
	unit->type = (uint32_t)type;
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/cpumask", root, name);
	if (!sysfs_read_line(line, sizeof(line), path))
		return 1;
	count = sysfs_parse_cpus(line, &unit->cpus);
	if (count < 0)
		return count;
	unit->cpu_count = (size_t)count;
	return 1;
}

/* Adds a unit, if it is one. Returns 0 or a negative enum plumb_error. */
static int add_unit(const char *root, const char *name, struct cpu_unit **units, int *count)
{
	struct cpu_unit unit, *more;
	const int found = *count == CPU_UNITS_MAX ? 0 : read_unit(root, name, &unit);

	if (found <= 0)
		return found;
	more = reallocarray(*units, (size_t)*count + 1, sizeof(*more));
	if (!more) {
		free(unit.cpus);
		return PLUMB_ERR_NO_MEMORY;
	}
	*units = more;
	more[(*count)++] = unit;
	return 0;
}

int cpu_find_units(const char *root, const char *name, struct cpu_unit **units)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int found, count = 0, error = 0;
	bool exact = false;

	*units = NULL;
	snprintf(path, sizeof(path), "%s" DEVICES, root);
	found = sysfs_scan_folder(path, &entries);
	for (int i = 0; i < found; i++)
		exact |= text_compare(entries[i]->d_name, name) == 0;
	for (int i = 0; i < found; i++) {
		const char *entry = entries[i]->d_name;

		if (error == 0 && *entry != '.' &&
		    (exact ? text_compare(entry, name) == 0 : is_numbered(entry, name)))
			error = add_unit(root, entry, units, &count);
	}
	for (int i = 0; i < found; i++)
		free(entries[i]);
	if (found >= 0)
		free(entries);
	if (error == 0)
		return count;
	cpu_units_free(*units, count);
	*units = NULL;
	return error;
}

void cpu_units_free(struct cpu_unit *units, int count)
{
	for (int i = 0; i < count; i++)
		free(units[i].cpus);
	free(units);
}

/* ---- terms ---------------------------------------------------------------------------------- */

struct configuring {
	const char *root, *event;
	const struct cpu_unit *unit;
	uint64_t *config;
	struct plumb_diagnostics *diagnostics;
};

/* Reads a file in the unit's folder; false if there is none. */
static bool read_file(const struct configuring *c, const char *folder, const char *name,
		      char line[LINE])
{
	char path[PATH_MAX];

	if (!*name || *name == '.' || strchr(name, '/'))
		return false;
	snprintf(path, sizeof(path), "%s" DEVICES "/%s/%s/%s", c->root, c->unit->name, folder,
		 name);
	return sysfs_read_line(line, LINE, path);
}

static int refuse(const struct configuring *c, int error, const char *key, const char *what)
{
	char quoted[QUOTE_ROOM];

	quote_bytes(quoted, key, strlen(key));
	plumb_diagnostics_add(c->diagnostics, PLUMB_ERROR, "bad-event", NULL, "%s: '%s': %s",
			      c->event, quoted, what);
	return error;
}

struct names {
	struct near near;
	char best[NEAR_MAX_LENGTH + 1]; /* the most similar one; "": none is */
	char all[HINT];
	size_t used;
	bool more; /* names than `all` has room for */
};

/* Notes an event or a field that the unit has. */
static bool offer(void *user, const char *name, const char *line)
{
	struct names *names = user;
	int length;

	(void)line;
	if (strchr(name, '.')) /* the unit and scale of an event */
		return true;
	names->near.best = NULL;
	near_offer(&names->near, name, name);
	if (names->near.best && strlen(name) < sizeof(names->best))
		memcpy(names->best, name, strlen(name) + 1);
	length = snprintf(names->all + names->used, sizeof(names->all) - names->used, "%s%s",
			  names->used ? ", " : "", name);
	if (length > 0 && (size_t)length < sizeof(names->all) - names->used)
		names->used += (size_t)length;
	else {
		names->all[names->used] = '\0';
		names->more = true;
	}
	return true;
}

/* Refuses a name that the folder does not have; says what it has. */
static int unknown(const struct configuring *c, const char *folder, const char *key)
{
	struct names names = {.near = near_to(key)};
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s" DEVICES "/%s/%s", c->root, c->unit->name, folder);
	(void)sysfs_read_folder(path, offer, &names);
	refuse(c, PLUMB_ERR_NOT_FOUND, key,
	       strcmp(folder, "format") == 0 ? "unknown term of this PMU"
					     : "unknown event of this PMU");
	if (*names.best)
		plumb_diagnostics_hint(c->diagnostics, "did you mean %s?", names.best);
	else if (names.used)
		plumb_diagnostics_hint(c->diagnostics, "%s has %s%s", c->unit->name, names.all,
				       names.more ? ", ..." : "");
	return PLUMB_ERR_NOT_FOUND;
}

/* Returns which of the configs "config1" is, or -1; `*rest` is what follows. */
static int config_of(const char *text, const char **rest)
{
	if (strncmp(text, "config", 6) != 0)
		return -1;
	*rest = text + 6;
	if (**rest < '1' || **rest > '2')
		return 0;
	return *(*rest)++ - '0';
}

/*
 * Puts a value into the bits that a format names, such as "config:0-7,32": the lowest first.
 * Returns 0, NOT_FOUND if the format is unknown, or INVALID if the value has more bits.
 */
static int put_bits(const char *format, uint64_t value, uint64_t config[CONFIGS])
{
	const char *at;
	const int which = config_of(format, &at);

	if (which < 0 || *at != ':')
		return PLUMB_ERR_NOT_FOUND;
	do {
		char *end;
		unsigned long first = strtoul(at + 1, &end, 10), last = first;

		if (end == at + 1)
			return PLUMB_ERR_NOT_FOUND;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (first > last || last >= ALL_BITS)
			return PLUMB_ERR_NOT_FOUND;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1) {
			config[which] &= ~(UINT64_C(1) << bit);
			config[which] |= (value & 1) << bit;
		}
		at = end;
	} while (*at == ',');
	if (*at)
		return PLUMB_ERR_NOT_FOUND;
	return value ? PLUMB_ERR_INVALID : 0;
}

/* Sets a field of the format, or a whole config; without a value, to 1. */
static int set_field(const struct configuring *c, const char *key, const char *text)
{
	const char *rest;
	const int whole = config_of(key, &rest);
	uint64_t value = 1;
	char format[LINE];
	int error;

	if (text && !number_read(text, UINT64_MAX, &value))
		return refuse(c, PLUMB_ERR_INVALID, key,
			      strcmp(text, "?") == 0 ? "requires a value" : "invalid value");
	if (read_file(c, "format", key, format)) {
		error = put_bits(format, value, c->config);
		if (error == PLUMB_ERR_INVALID)
			return refuse(c, error, key, "the value has more bits than this term");
		return error ? refuse(c, error, key, "the kernel describes this term unclearly")
			     : 0;
	}
	if (whole < 0 || *rest)
		return unknown(c, "format", key);
	c->config[whole] = value;
	return 0;
}

/* Tells whether one of the terms sets this field: then it counts, and not the event's own. */
static bool is_set(const struct cpu_unit_term *terms, size_t count, const char *key)
{
	for (size_t i = 0; i < count; i++)
		if (terms[i].value && strcmp(terms[i].key, key) == 0)
			return true;
	return false;
}

/* Sets what an event of events/ stands for, such as "type=0x5,eventid=0x1". */
static int use_event(const struct configuring *c, char *line, const struct cpu_unit_term *terms,
		     size_t count)
{
	char *rest = NULL;
	int error = 0;

	for (char *key = strtok_r(line, ",", &rest); key && error == 0;
	     key = strtok_r(NULL, ",", &rest)) {
		char *value = strchr(key, '=');

		if (value)
			*value++ = '\0';
		if (!is_set(terms, count, key))
			error = set_field(c, key, value);
	}
	return error;
}

int cpu_unit_configure(const char *root, const struct cpu_unit *unit, const char *event,
		       const struct cpu_unit_term *terms, size_t count, uint64_t config[3],
		       struct plumb_diagnostics *diagnostics)
{
	const struct configuring c = {root, event, unit, config, diagnostics};
	char line[LINE];
	int error = 0;

	memset(config, 0, CONFIGS * sizeof(*config));
	if (!count) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "bad-event", NULL,
				      "%s: requires an event between slashes", event);
		return PLUMB_ERR_SYNTAX;
	}
	for (size_t i = 0; i < count && error == 0; i++) {
		const struct cpu_unit_term *term = &terms[i];

		if (term->value)
			error = set_field(&c, term->key, term->value);
		else if (read_file(&c, "events", term->key, line))
			error = use_event(&c, line, terms, count);
		else if (read_file(&c, "format", term->key, line))
			error = set_field(&c, term->key, NULL);
		else
			error = unknown(&c, "events", term->key);
	}
	return error;
}
