/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of findings: they, and the strings that they have. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/findings.h"

const char *findings_copy(struct findings *findings, const char *text)
{
	char *copy = text ? arena_strdup(&findings->strings, text) : NULL;

	if (text && !copy)
		findings->error = PLUMB_ERR_NO_MEMORY;
	return copy;
}

const char *const *findings_copy_list(struct findings *findings, const char *const *list)
{
	const char **copy;
	size_t count = 0;

	while (list && list[count])
		count++;
	copy = arena_alloc_array(&findings->strings, count + 1, sizeof(*copy));
	if (!copy) {
		findings->error = PLUMB_ERR_NO_MEMORY;
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		copy[i] = findings_copy(findings, list[i]);
	return copy;
}

void findings_warn(struct findings *findings, const char *warning)
{
	const char *const *list = findings->given.warnings;
	const char **longer;
	size_t count = 0;

	while (list && list[count])
		count++;
	longer = arena_alloc_array(&findings->strings, count + 2, sizeof(*longer));
	if (!longer) {
		findings->error = PLUMB_ERR_NO_MEMORY;
		return;
	}
	for (size_t i = 0; i < count; i++)
		longer[i] = list[i];
	longer[count] = warning;
	longer[count + 1] = NULL;
	findings->given.warnings = longer;
}

const char *findings_format(struct findings *findings, const char *pattern, ...)
{
	char text[512];
	va_list args;

	va_start(args, pattern);
	vsnprintf(text, sizeof(text), pattern, args);
	va_end(args);
	return findings_copy(findings, text);
}

const char *findings_intern(struct findings *findings, const char *text)
{
	const char **at;

	for (size_t i = findings->interned_count; i-- > 0;)
		if (findings->interned[i] && strcmp(findings->interned[i], text) == 0)
			return findings->interned[i];
	if (findings->interned_count == findings->interned_room) {
		findings->interned_room =
			findings->interned_room ? 2 * findings->interned_room : 16;
		at = reallocarray(findings->interned, findings->interned_room, sizeof(*at));
		if (!at) {
			findings->error = PLUMB_ERR_NO_MEMORY;
			return NULL;
		}
		findings->interned = at;
	}
	return findings->interned[findings->interned_count++] = findings_copy(findings, text);
}

struct findings *findings_new(void)
{
	struct findings *made = calloc(1, sizeof(*made));

	if (made) {
		made->given.findings = made->at;
		made->given.waits = made->waits;
		made->given.when = made->when;
		made->given.callers = made->callers;
		made->given.work_at = &made->work_at;
		made->given.ruled_out = made->ruled_out;
		made->given.undivided = made->undivided;
		made->given.least = NAN;
	}
	return made;
}

void plumb_findings_free(struct plumb_findings *findings)
{
	struct findings *made = (struct findings *)(void *)findings;

	if (!made)
		return;
	arena_free(&made->strings);
	free(made->interned);
	free(made);
}
