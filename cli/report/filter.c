/* SPDX-License-Identifier: Apache-2.0 */
/* The filter of a view that shows some kinds of operations only, with the terms of --filter. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "report/report.h"
#include "tool/memory.h"

enum { LOAD = 1, STORE = 2, BRANCH = 4, OTHER = 8 };

/* Returns the kinds of operations that a term names: 0, if it is of something else. */
static unsigned kinds_of(const char *term, size_t length)
{
	static const struct {
		const char *name;
		unsigned kinds;
	} kinds[] = {
		{"load", LOAD},     {"store", STORE}, {"memory", LOAD | STORE},
		{"branch", BRANCH}, {"other", OTHER},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strlen(kinds[i].name) == length &&
		    strncasecmp(term, kinds[i].name, length) == 0)
			return kinds[i].kinds;
	return 0;
}

static unsigned all_kinds(const char *terms)
{
	unsigned kinds = 0;

	for (size_t length; *terms; terms += length + (terms[length] == ',')) {
		length = strcspn(terms, ",");
		kinds |= kinds_of(terms, length);
	}
	return kinds;
}

char *report_both_filters(const char *of_view, const char *given)
{
	const unsigned shown = all_kinds(of_view), wanted = all_kinds(given);
	char *terms, *end;

	if (wanted && !(wanted & shown))
		return NULL;
	terms = end = memory_given(malloc(strlen(given) + strlen(of_view) + 2));
	/* Terms of kinds are alternatives: those that the view does not show must go. */
	for (size_t length; *given; given += length + (given[length] == ',')) {
		const unsigned kinds = kinds_of(given, length = strcspn(given, ","));

		if (!length || (kinds && !(kinds & shown)))
			continue;
		memcpy(end, given, length);
		end += length;
		*end++ = ',';
	}
	if (!wanted)
		memcpy(end, of_view, strlen(of_view) + 1);
	else
		end[-1] = '\0'; /* the last comma: a term of a kind is there */
	return terms;
}
