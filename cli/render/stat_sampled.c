/* SPDX-License-Identifier: Apache-2.0 */
/* What a sampled run says of its estimates. */
#include <stdlib.h>

#include "render/figures.h"
#include "render/json.h"
#include "render/report.h"
#include "tool/memory.h"

bool report_has_ranges(const struct report *report)
{
	return report->result->parts > 1 || report->result->value_intervals;
}

struct plumb_value report_range(const struct report *report, size_t metric)
{
	struct plumb_value value = report->result->values[metric];

	if (report->result->value_intervals) {
		value.low = report->result->value_intervals[metric].low;
		value.high = report->result->value_intervals[metric].high;
	}
	return value;
}

struct plumb_value report_event_range(const struct report *report,
				      const struct plumb_event_count *event)
{
	struct plumb_value value = {event->count.count, event->low, event->high};

	if (report->result->event_intervals) {
		const struct plumb_interval *interval =
			&report->result->event_intervals[event - report->result->events];

		value.low = interval->low;
		value.high = interval->high;
	}
	return value;
}

/* Says what was modelled, and what the error is. */
static char *sampled_text(const struct report *report, const struct pen *pen)
{
	const struct report_sampled *s = report->sampled;
	char *modelled, *windows, *error, *from, *text, *percent;

	if (!(s->rest > 0))
		return memory_format("sampled: nothing, because %s",
				     s->left ? "the program has threads: all was modelled"
					     : "the program is short: all of it was modelled");
	modelled = figure_count(pen, figure_rounded(s->modelled));
	windows = figure_count(pen, (double)s->windows);
	percent = figure_percentage(100 * s->error);
	error = isnan(s->error)
			? memory_format("unknown error")
			: memory_format("cycles within %s %% at 95 %% confidence, %s %g %%%s",
					percent,
					s->error > s->error_asked ? "more than the" : "asked for",
					100 * s->error_asked,
					s->error > s->error_asked
						? " asked for; --sampled=off counts everything"
						: "");
	free(percent);
	percent = figure_percentage(100 * s->modelled / s->instructions);
	from = figure_count(pen, s->from);
	text = memory_format("sampled: %s%s%s%s windows, %s instructions (%s %%) in detail%s; %s",
			     s->from > 0 ? "after " : "", s->from > 0 ? from : "",
			     s->from > 0 ? " instructions, " : "", windows, modelled, percent,
			     s->left ? ", including everything after its second thread began" : "",
			     error);
	free(percent);
	free(from);
	free(modelled);
	free(windows);
	free(error);
	return text;
}

void report_sampled_text(struct output *out, const struct report *report)
{
	char *text;

	if (!report->sampled)
		return;
	text = sampled_text(report, pen_for(out));
	output_spaces(out, 2);
	output_wrapped(out, STYLE_PLAIN, 2, 2, text);
	free(text);
}

json_t *report_sampled_json(const struct report *report)
{
	const struct report_sampled *s = report->sampled;
	json_t *object = json_object();
	const bool known = s->rest > 0 && !isnan(s->error);

	json_object_set_new(object, "windows", json_integer((json_int_t)s->windows));
	json_object_set_new(object, "instructions_per_unit",
			    s->rest > 0 ? json_integer((json_int_t)s->unit) : json_null());
	json_object_set_new(object, "instructions", json_integer((json_int_t)s->instructions));
	json_object_set_new(object, "estimated_instructions", json_integer((json_int_t)s->rest));
	json_object_set_new(object, "modelled_instructions", json_integer((json_int_t)s->modelled));
	json_object_set_new(object, "bare_instructions", json_integer((json_int_t)s->bare));
	json_object_set_new(object, "threads", json_boolean(s->left));
	json_object_set_new(object, "confidence", json_real(0.95));
	json_object_set_new(object, "method",
			    s->rest > 0 ? render_string("differences of neighbouring windows")
					: json_null());
	json_object_set_new(object, "error_asked", json_real(s->error_asked));
	json_object_set_new(object, "error",
			    known ? json_real(s->error)
				  : (s->rest > 0 ? json_null() : json_real(0)));
	json_object_set_new(object, "reached",
			    json_boolean(!(s->rest > 0) || s->error <= s->error_asked));
	return object;
}
