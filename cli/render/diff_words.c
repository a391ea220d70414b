/* SPDX-License-Identifier: Apache-2.0 */
/* What all printers of comparisons say in the same words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/cause_names.h"
#include "render/diff.h"
#include "render/figures.h"
#include "render/short_names.h"
#include "tool/join.h"
#include "tool/memory.h"

/* Without -v, smaller changes are only counted: in percent, and as a share of the whole. */
#define SMALL_PERCENT 0.5
#define SMALL_POINTS  0.1
#define SMALL_SHARE   0.001

static bool is_code(const struct diff_change *change)
{
	return change->key.view == DIFF_FUNCTIONS || change->key.view == DIFF_LINES;
}

/* ---- Rows -------------------------------------------------------------------------------------
 */

static bool is_small(const struct diff_change *change)
{
	if (is_code(change))
		return fabs(change->share) < SMALL_SHARE;
	return diff_is_percent(change->unit) ? fabs(change->change) < SMALL_POINTS
					     : fabs(change->relative) < SMALL_PERCENT / 100;
}

static double key_of(const struct diff_report *report, const struct diff_change *change)
{
	double value = is_code(change)                 ? change->share
		       : diff_is_percent(change->unit) ? change->change / 100
						       : change->relative;

	if (report->order == DIFF_BY_BEFORE)
		return change->before;
	if (report->order == DIFF_BY_AFTER)
		return change->after;
	if (report->compute == DIFF_RATIO)
		value = change->relative;
	return report->compute == DIFF_DELTA_ABS ? fabs(value) : value;
}

static bool is_tree(const struct diff_change *change)
{
	return strcmp(change->unit, "percent of slots") == 0;
}

static int compare(const void *a, const void *b, void *user)
{
	const struct diff_report *report = user;
	const struct diff_change *x = *(const struct diff_change *const *)a;
	const struct diff_change *y = *(const struct diff_change *const *)b;
	const double keys[] = {key_of(report, x), key_of(report, y)};

	/* What became of the slots comes before what is counted otherwise. */
	if (report->order == DIFF_BY_CHANGE && is_tree(x) != is_tree(y))
		return is_tree(x) ? -1 : 1;
	if (report->order != DIFF_BY_THE_NAME && keys[0] != keys[1])
		return keys[0] > keys[1] ? -1 : 1;
	return strcmp(x->key.name, y->key.name) != 0 ? strcmp(x->key.name, y->key.name)
						     : strcmp(x->key.in, y->key.in);
}

struct diff_rows diff_rows(const struct diff_report *report, const struct diff *diff,
			   enum diff_view view)
{
	struct diff_rows rows = {
		.at = memory_resize(NULL, diff->change_count + 1, sizeof(struct diff_change *))};

	for (size_t i = 0; i < diff->change_count; i++) {
		const struct diff_change *change = &diff->changes[i];

		if (change->key.view != view || (is_code(change) && !change->main) ||
		    (report->baseline_only && change->before == 0))
			continue;
		/* Where noise is unknown, a change is shown, and says so. */
		if (!report->all && change->change == 0)
			rows.same++;
		else if (!report->all && !change->real && change->method != DIFF_UNKNOWN)
			rows.noise++;
		else if (!report->all && is_small(change))
			rows.small++;
		else
			rows.at[rows.count++] = change;
	}
	if (rows.count)
		qsort_r(rows.at, rows.count, sizeof(struct diff_change *), compare,
			(void *)(uintptr_t)report);
	if (report->limit && rows.count > report->limit) {
		rows.more = rows.count - report->limit;
		rows.count = report->limit;
	}
	return rows;
}

/* ---- Words ------------------------------------------------------------------------------------
 */

static char *percent(double share)
{
	const double value = 100 * share;

	if (fabs(value) >= 999.5)
		return memory_format("%+.0f %%", value);
	return memory_format("%+.*f %%", fabs(value) < 0.095 && value != 0 ? 2 : 1, value);
}

/* Of a side without samples: by how much it must differ, at least, by the difference's interval. */
static char *unseen_change(const struct diff_change *change)
{
	const struct interval *d = &change->difference;

	if (isnan(change->unseen[0]) && d->high < 0) {
		char *least = percent(d->high / change->before);
		char *text = memory_format("< %s", least);

		free(least);
		return text;
	}
	if (isnan(change->unseen[1]) && d->low > 0)
		return memory_format("> x%.1f", 1 + d->low / change->unseen[0]);
	return memory_copy("unknown", 7);
}

char *diff_change_text(const struct diff_report *report, const struct diff_change *change)
{
	if (!isnan(change->unseen[0]) || !isnan(change->unseen[1]))
		return unseen_change(change);
	if (change->change == 0)
		return memory_copy("same", 4);
	if (change->before == 0 && !diff_is_percent(change->unit))
		return memory_copy("new", 3);
	if (change->after == 0 && is_code(change))
		return memory_copy("gone", 4);
	if (report && report->compute == DIFF_RATIO && change->before != 0)
		return memory_format("x%.3f", change->after / change->before);
	if (diff_is_percent(change->unit))
		return memory_format("%+.*f pts", fabs(change->change) < 0.095 ? 2 : 1,
				     change->change);
	/* Ten times as much is easier to read than +900 %. */
	if (change->before > 0 && change->after >= 10 * change->before)
		return memory_format("x%.0f", change->after / change->before);
	return percent(change->relative);
}

char *diff_value_text(const struct diff_change *change, double value)
{
	static const struct pen pen = {.missing = "-"};

	if (is_code(change) || strcmp(change->unit, "events") == 0 ||
	    strcmp(change->unit, "ns") == 0 || fabs(value) >= 10000)
		return figure_count(&pen, value);
	return fabs(value) < 0.01 && value != 0 ? memory_format("%.2g", value)
						: figure_value(&pen, value, change->unit);
}

char *diff_side_text(const struct diff_change *change, size_t s)
{
	char *most, *text;

	if (isnan(change->unseen[s]))
		return diff_value_text(change, s ? change->after : change->before);
	most = diff_value_text(change, change->unseen[s]);
	text = memory_format("< %s", most);
	free(most);
	return text;
}

char *diff_share_text(const struct diff_change *change, size_t s)
{
	if (isnan(change->unseen[s]))
		return memory_format("%.2f %%", 100 * change->shares[s]);
	return memory_format("< %.2f %%", 100 * change->unseen_shares[s]);
}

static char *p_text(double p)
{
	return p < 0.0001 ? memory_copy("p < 0.0001", 10)
			  : memory_format("p %.*f", p < 0.1 ? 4 : 2, p);
}

/* The ends of a difference, as the change itself is shown. No count falls below 0. */
static char *difference_text(const struct diff_change *change)
{
	const struct interval *d = &change->difference;
	const double by = change->before != 0 ? 100 / fabs(change->before) : 0;

	if (diff_is_percent(change->unit))
		return memory_format("%+.1f..%+.1f pts", d->low, d->high);
	if (by == 0)
		return p_text(change->adjusted);
	return memory_format("%+.1f..%+.1f %%", fmax(d->low * by, -100), d->high * by);
}

char *diff_evidence(const struct diff_change *change)
{
	char *p, *text;

	switch (change->method) {
	case DIFF_EXACT:
		return memory_copy("exact", 5);
	case DIFF_RANKS:
		p = p_text(change->adjusted);
		text = memory_format("%s, effect %+.2f", p, change->effect);
		free(p);
		return text;
	case DIFF_INTERVALS:
		return difference_text(change);
	case DIFF_UNKNOWN:
		break;
	}
	return memory_copy("unknown", 7);
}

/* Appends to a text, and frees it. */
static char *append(char *text, const char *more)
{
	char *longer = memory_format("%s%s", text, more);

	free(text);
	return longer;
}

/* "main and 2 more". */
static char *containers(const struct diff_place *place)
{
	if (place->inlined_count > 1)
		return memory_format("%s and %zu more", place->inlined[0].into,
				     place->inlined_count - 1);
	return memory_format("%s", place->inlined[0].into);
}

/* Lists the symbols of a function on a side, but not the one with its name. */
static char *copies(const struct diff_place *place, const char *name, bool *own)
{
	const struct diff_function *symbol = NULL;
	struct join list = {0};

	*own = false;
	while ((symbol = diff_side_next_symbol(place->side, name, symbol))) {
		if (strcmp(symbol->name, name) == 0)
			*own = true;
		else
			join_add(&list, symbol->name);
	}
	return join_take(&list);
}

/* "partly inlined into main after, with f.cold after". */
static char *places_text(const struct diff_change *change)
{
	static const char *const times[] = {"before", "after"};
	struct join list = {0};

	for (size_t s = 0; s < 2; s++) {
		const struct diff_place *place = &change->places[s];
		bool own;
		char *others = copies(place, change->key.name, &own);
		char *into = place->inlined_count ? containers(place) : NULL;
		char *text;

		if (into) {
			text = memory_format("%sinlined into %s %s",
					     own || *others ? "partly " : "", into, times[s]);
			join_add(&list, text);
			free(text);
		}
		if (*others) {
			text = memory_format("%s %s %s", own ? "with" : "as", others, times[s]);
			join_add(&list, text);
			free(text);
		}
		free(into);
		free(others);
	}
	return join_take(&list);
}

char *diff_name_text(const struct diff_change *change)
{
	char *name =
		change->key.view == DIFF_LINES && change->file
			? memory_format("%s:%u in %s", change->file, change->line, change->key.in)
			: memory_copy(change->key.name, strlen(change->key.name));
	char *text = name, *places;

	if (change->was && change->key.view == DIFF_FUNCTIONS) {
		text = change->match == DIFF_RENAMED
			       ? memory_format("%s (was %s)", name, change->was)
			       : memory_format("%s (with %s, inlined %s)", name, change->was,
					       change->match == DIFF_INLINED_AFTER ? "after"
										   : "before");
		free(name);
	} else if (change->placed) {
		places = places_text(change);
		text = *places ? memory_format("%s (%s)", name, places)
			       : memory_copy(name, strlen(name));
		free(places);
		free(name);
	}
	return text;
}

/* Appends "+13.0 % in parse_line", after ": " or ", ". */
static char *append_function(char *text, const char *separator, const struct diff_change *function,
			     const char *mark)
{
	const char *key = function->key.name;
	char *name = mark ? name_in_prose(key, mark) : memory_copy(key, strlen(key));
	char *share = percent(function->share);
	char *more = memory_format("%s%s in %s", separator, share, name);

	text = append(text, more);
	free(more);
	free(share);
	free(name);
	return text;
}

/* ": +13.0 % in parse_line, backend_mem, line 212"; ": -74.0 % in main, +73.9 % in inlined". */
static char *append_reason(char *text, const struct diff_reason *reason, const char *mark)
{
	char *more;

	text = append_function(text, ": ", reason->function, mark);
	if (reason->opposite)
		text = append_function(text, ", ", reason->opposite, mark);
	if (reason->cause) {
		text = append(text, ", ");
		text = append(text, cause_shown(reason->cause));
	}
	if (reason->line) {
		more = memory_format(", line %u", reason->line->line);
		text = append(text, more);
		free(more);
	}
	return text;
}

char *diff_headline(const struct diff *diff, const char *mark)
{
	const struct diff_reason *reason = &diff->reason;
	const struct diff_change *whole = reason->whole;
	char *change, *text;

	if (!whole)
		return memory_copy("nothing that both have tells the time", 37);
	change = diff_change_text(NULL, whole);
	if (whole->change == 0)
		text = memory_format("%s unchanged", whole->key.name);
	else if (whole->method == DIFF_UNKNOWN)
		text = memory_format("%s %s, with unknown noise", whole->key.name, change);
	else if (!whole->real)
		text = memory_format("%s %s, which is no more than noise", whole->key.name, change);
	else
		text = memory_format("%s %s", whole->key.name, change);
	free(change);
	if (reason->function)
		return append_reason(text, reason, mark);
	if (reason->cause && whole->real) {
		text = append(text, ": ");
		text = append(text, cause_shown(reason->cause));
	}
	return text;
}

char *diff_gate_text(const struct gate_result *result)
{
	static const char *const verdicts[] = {
		[GATE_PASSED] = "passed",
		[GATE_FAILED] = "failed",
		[GATE_NOISE] = "passed, for this may be noise",
		[GATE_MISSING] = "failed: there is nothing to compare",
	};
	char *change, *evidence, *name, *text;

	if (!result->change)
		return memory_format(
			"%s %s %s", result->limit->below ? "below" : "above", result->limit->text,
			result->verdict == GATE_PASSED ? "passed: it happened on neither side"
						       : verdicts[result->verdict]);
	change = diff_change_text(NULL, result->change);
	evidence = diff_evidence(result->change);
	name = diff_name_text(result->change);
	text = memory_format("%s %s %s: %s%s%s %s (%s)", result->limit->below ? "below" : "above",
			     result->limit->text, verdicts[result->verdict], name,
			     *result->change->key.of ? " by " : "", result->change->key.of, change,
			     evidence);
	free(change);
	free(evidence);
	free(name);
	return text;
}

size_t diff_failures(const struct diff_report *report)
{
	size_t count = 0;

	for (size_t r = 0; r < report->result_count; r++)
		for (size_t g = 0; g < report->gate_count; g++)
			count += report->results[r].gates[g].verdict == GATE_FAILED ||
				 report->results[r].gates[g].verdict == GATE_MISSING;
	return count;
}
