/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons as JSON. */
#include <math.h>

#include "render/cause_names.h"
#include "render/diff.h"
#include "render/json.h"

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return text && *text ? render_string(text) : json_null();
}

/* Where a side has the code of a function. */
static json_t *place_object(const struct diff_place *place, const char *name)
{
	const struct diff_function *symbol = NULL;
	json_t *symbols = json_array(), *inlined = json_array();

	while ((symbol = diff_side_next_symbol(place->side, name, symbol)))
		json_array_append_new(symbols, render_string(symbol->name));
	for (size_t i = 0; i < place->inlined_count; i++)
		json_array_append_new(inlined, render_string(place->inlined[i].into));
	return json_pack("{s:o, s:o}", "symbols", symbols, "inlined_into", inlined);
}

/* Returns the change as a part of the whole before; NaN if that was 0. */
static double share_of(const struct diff_change *change)
{
	return change->share == 0 && change->change != 0 ? (double)NAN : change->share;
}

static json_t *change_object(const struct diff_change *change)
{
	static const char *const methods[] = {
		[DIFF_EXACT] = "exact",
		[DIFF_RANKS] = "ranks",
		[DIFF_INTERVALS] = "intervals",
		[DIFF_UNKNOWN] = "unknown",
	};
	static const char *const matches[] = {
		[DIFF_RENAMED] = "renamed",
		[DIFF_INLINED_AFTER] = "inlined_after",
		[DIFF_INLINED_BEFORE] = "inlined_before",
	};
	json_t *object = json_object();

	json_object_set_new(object, "name", render_string(change->key.name));
	if (change->key.view == DIFF_FUNCTIONS || change->key.view == DIFF_LINES)
		json_object_set_new(object, "by", text_or_null(change->key.of));
	if (change->key.view == DIFF_LINES) {
		json_object_set_new(object, "function", text_or_null(change->key.in));
		json_object_set_new(object, "file", text_or_null(change->file));
		json_object_set_new(object, "line", render_known(change->line));
	}
	if (change->was) {
		json_object_set_new(object, "was", render_string(change->was));
		json_object_set_new(object, "match", json_string(matches[change->match]));
	}
	if (change->placed)
		json_object_set_new(object, "places",
				    json_pack("{s:o, s:o}", "before",
					      place_object(&change->places[0], change->key.name),
					      "after",
					      place_object(&change->places[1], change->key.name)));
	json_object_set_new(object, "units", render_string(change->unit));
	json_object_set_new(object, "before", number(change->before));
	json_object_set_new(object, "after", number(change->after));
	if (!isnan(change->unseen[0]))
		json_object_set_new(object, "before_at_most", number(change->unseen[0]));
	if (!isnan(change->unseen[1]))
		json_object_set_new(object, "after_at_most", number(change->unseen[1]));
	json_object_set_new(object, "change", number(change->change));
	json_object_set_new(object, "relative", number(change->relative));
	if (change->key.view == DIFF_FUNCTIONS || change->key.view == DIFF_LINES)
		json_object_set_new(object, "share", number(share_of(change)));
	json_object_set_new(object, "method", json_string(methods[change->method]));
	json_object_set_new(object, "p", number(change->p));
	json_object_set_new(object, "adjusted_p", number(change->adjusted));
	json_object_set_new(object, "effect", number(change->effect));
	json_object_set_new(object, "interval",
			    render_interval(change->difference.low, change->difference.high));
	json_object_set_new(object, "more_than_noise",
			    change->method == DIFF_UNKNOWN ? json_null()
							   : json_boolean(change->real));
	return object;
}

static json_t *reason_object(const struct diff *diff)
{
	const struct diff_reason *reason = &diff->reason;
	char *headline = diff_headline(diff, "…");
	json_t *object = json_object();

	json_object_set_new(object, "text", render_string(headline));
	json_object_set_new(object, "of",
			    text_or_null(reason->whole ? reason->whole->key.name : NULL));
	json_object_set_new(object, "function",
			    text_or_null(reason->function ? reason->function->key.name : NULL));
	json_object_set_new(object, "share",
			    number(reason->function ? reason->function->share : NAN));
	json_object_set_new(object, "opposite",
			    text_or_null(reason->opposite ? reason->opposite->key.name : NULL));
	json_object_set_new(object, "opposite_share",
			    number(reason->opposite ? reason->opposite->share : NAN));
	json_object_set_new(object, "cause", text_or_null(cause_shown(reason->cause)));
	json_object_set_new(object, "file", text_or_null(reason->line ? reason->line->file : NULL));
	json_object_set_new(object, "line", render_known(reason->line ? reason->line->line : 0));
	free(headline);
	return object;
}

static json_t *gate_array(const struct diff_report *report, size_t r)
{
	static const char *const verdicts[] = {
		[GATE_PASSED] = "passed",
		[GATE_FAILED] = "failed",
		[GATE_NOISE] = "noise",
		[GATE_MISSING] = "missing",
	};
	json_t *array = json_array();

	for (size_t g = 0; g < report->gate_count; g++) {
		const struct gate_result *result = &report->results[r].gates[g];
		json_t *object = json_object();

		json_object_set_new(object, "limit", render_string(result->limit->text));
		json_object_set_new(object, "direction",
				    json_string(result->limit->below ? "below" : "above"));
		json_object_set_new(object, "verdict", json_string(verdicts[result->verdict]));
		json_object_set_new(object, "worst",
				    result->change ? change_object(result->change) : json_null());
		json_array_append_new(array, object);
	}
	return array;
}

/* Null: unknown, or the side's runs have several. */
static json_t *seed_of(const struct diff_side *side)
{
	return side->seeded && !side->seeds ? json_integer((json_int_t)side->seed) : json_null();
}

static json_t *result_object(const struct diff_report *report, size_t r)
{
	const struct diff *diff = report->results[r].diff;
	/* Unlike the tables, the arrays below leave nothing out. */
	struct diff_report whole = *report;
	json_t *object = json_object(), *texts = json_array();
	char **notes;

	whole.all = true;
	whole.limit = 0;
	notes = diff_notes(&whole, diff);
	json_object_set_new(object, "before", render_string(diff->before->label));
	json_object_set_new(object, "after", render_string(diff->after->label));
	json_object_set_new(object, "seeds",
			    json_pack("{s:o, s:o}", "before", seed_of(diff->before), "after",
				      seed_of(diff->after)));
	json_object_set_new(object, "explanation", reason_object(diff));
	json_object_set_new(object, "gates", gate_array(report, r));
	for (size_t i = 0; notes[i]; i++)
		json_array_append_new(texts, render_string(notes[i]));
	json_object_set_new(object, "notes", texts);
	diff_notes_free(notes);
	for (enum diff_view view = 0; view < DIFF_VIEWS; view++) {
		json_t *array = json_array();

		for (size_t i = 0; i < diff->change_count; i++)
			if (diff->changes[i].key.view == view)
				json_array_append_new(array, change_object(&diff->changes[i]));
		json_object_set_new(object, diff_view_name(view), array);
	}
	return object;
}

void diff_json(struct output *out, const struct diff_report *report)
{
	json_t *object = render_object(), *array = json_array();

	for (size_t r = 0; r < report->result_count; r++)
		json_array_append_new(array, result_object(report, r));
	json_object_set_new(object, "comparisons", array);
	render_json(out, object);
}
