/* SPDX-License-Identifier: Apache-2.0 */
/* plumb stat --json: a contract; keys may be added, and keep their names and meanings. */
#include <math.h>

#include "base/json_write.h"
#include "render/json.h"
#include "render/report.h"

/* The largest whole number that a double holds exactly, and beyond which there may be gaps. */
#define WHOLE_MAX 9007199254740992.0

static json_t *number(double value)
{
	if (!isfinite(value))
		return json_null();
	if (value == floor(value) && fabs(value) < WHOLE_MAX)
		return json_integer((json_int_t)value);
	return json_real(value);
}

/* A value is a real number, even if it happens to be whole. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *code(const struct plumb_event_config *event)
{
	return event->kind == PLUMB_EVENT_PMU ? json_sprintf("0x%04x", (unsigned)event->config)
					      : json_null();
}

static json_t *cpu(const struct report *report)
{
	json_t *object;

	/* Software events belong to no particular CPU. */
	if (!report->midr && !report->spec->event_count)
		return json_null();
	object = json_object();
	json_object_set_new(object, "name", render_string(report->spec->product.name));
	json_object_set_new(object, "midr",
			    report->midr || !report->counted_by
				    ? json_sprintf("0x%08x", report->midr)
				    : json_null());
	json_object_set_new(object, "slots", render_known(report->spec->product.slots));
	return object;
}

static json_t *engine(const struct report *report)
{
	json_t *object;

	if (!report->engine_path)
		return json_null();
	object = json_object();
	json_object_set_new(object, "path", render_string(report->engine_path));
	json_object_set_new(object, "version", render_string(report->engine_version));
	return object;
}

static json_t *model(const struct report *report)
{
	json_t *object;

	if (!report->core)
		return json_null();
	object = json_object();
	json_object_set_new(object, "core", render_string(report->core));
	json_object_set_new(object, "core_file",
			    report->core_file ? render_string(report->core_file) : json_null());
	json_object_set_new(object, "page_bytes", json_integer(report->page_bytes));
	json_object_set_new(object, "huge_pages", json_boolean(report->huge_pages));
	json_object_set_new(object, "page_fault_cost",
			    json_integer(report->conditions.page_fault_cost));
	json_object_set_new(object, "syscall_cost", json_integer(report->conditions.syscall_cost));
	json_object_set_new(object, "wrong_path_loads",
			    json_boolean(report->conditions.wrong_path_loads));
	json_object_set_new(object, "seed", json_integer((json_int_t)report->seed));
	return object;
}

/* What the kernel did at the stated costs; null: they were not stated. */
static json_t *kernel(const struct report *report)
{
	const struct machine_conditions *conditions = &report->conditions;
	const struct plumb_condition_counts *counts = &report->condition_counts;
	json_t *object;

	if (!conditions->page_fault_cost && !conditions->syscall_cost)
		return json_null();
	object = json_object();
	json_object_set_new(object, "page_faults",
			    conditions->page_fault_cost
				    ? json_integer((json_int_t)counts->page_faults)
				    : json_null());
	json_object_set_new(object, "system_calls",
			    conditions->syscall_cost
				    ? json_integer((json_int_t)counts->system_calls)
				    : json_null());
	json_object_set_new(object, "cycles", json_integer((json_int_t)counts->kernel_cycles));
	json_object_set_new(object, "percent", real(report->result->kernel));
	return object;
}

static json_t *wrong_path(const struct report *report)
{
	json_t *object;

	if (!report->conditions.wrong_path_loads)
		return json_null();
	object = json_object();
	json_object_set_new(object, "loads",
			    json_integer((json_int_t)report->condition_counts.wrong_loads));
	json_object_set_new(object, "l1d_misses",
			    json_integer((json_int_t)report->condition_counts.wrong_refills));
	return object;
}

static json_t *strings(const char *const *texts)
{
	json_t *array = json_array();

	for (; *texts; texts++)
		json_array_append_new(array, render_string(*texts));
	return array;
}

/* Adds where an estimate is, if it is one. */
static void set_interval(json_t *object, const struct plumb_interval *interval)
{
	if (!isfinite(interval->low) || !isfinite(interval->high))
		return;
	json_object_set_new(object, "interval", render_interval(interval->low, interval->high));
	json_object_set_new(object, "method", json_string("slices"));
}

static json_t *events(const struct report *report)
{
	const struct plumb_result *result = report->result;
	json_t *array = json_array();

	for (uint16_t i = 0; i < result->plan->event_count; i++) {
		const struct plumb_event_count *e = &result->events[i];
		const bool requested = report_requests(report, e);
		json_t *object = json_object();

		json_object_set_new(object, "name", render_string(report_event_name(report, e)));
		/* "cycles" for CPU_CYCLES. */
		json_object_set_new(object, "requested",
				    requested ? render_string(e->event->name) : json_null());
		json_object_set_new(object, "code", code(e->event));
		json_object_set_new(object, "count", number(e->count.count));
		json_object_set_new(object, "units",
				    json_string(report_is_clock(e) ? "ns" : "events"));
		if (report->result->parts > 1) {
			json_object_set_new(object, "low", number(e->low));
			json_object_set_new(object, "high", number(e->high));
		}
		if (isfinite(e->deviation))
			json_object_set_new(object, "deviation", real(e->deviation));
		if (report->sampled) {
			const struct plumb_value range = report_event_range(report, e);

			json_object_set_new(object, "interval",
					    result->event_intervals
						    ? render_interval(range.low, range.high)
						    : json_null());
		} else if (result->event_intervals) {
			set_interval(object, &result->event_intervals[i]);
		}
		json_object_set_new(object, "enabled_ns",
				    json_integer((json_int_t)e->count.enabled_ns));
		json_object_set_new(object, "running_ns",
				    json_integer((json_int_t)e->count.running_ns));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *name_of_metric(const struct plumb_spec *spec, uint16_t metric)
{
	return metric == PLUMB_NONE ? json_null() : render_string(spec->metrics[metric].name);
}

static json_t *metrics(const struct report *report)
{
	const struct plumb_selection *selection = report->result->plan->selection;
	const struct plumb_spec *spec = report->spec;
	json_t *array = json_array();

	for (size_t i = 0; i < selection->metric_count; i++) {
		const struct plumb_selected_metric *m = &selection->metrics[i];
		const struct plumb_value *value = &report->result->values[i];
		json_t *object = json_object();

		json_object_set_new(object, "name", name_of_metric(spec, m->metric));
		json_object_set_new(object, "title", render_string(spec->metrics[m->metric].title));
		json_object_set_new(object, "group",
				    m->group == PLUMB_NONE
					    ? json_null()
					    : render_string(spec->metric_groups[m->group].name));
		json_object_set_new(object, "stage", render_known(m->stage));
		json_object_set_new(object, "level", render_known(m->level));
		json_object_set_new(object, "parent", name_of_metric(spec, m->parent));
		json_object_set_new(object, "value", real(value->value));
		json_object_set_new(object, "units", render_string(spec->metrics[m->metric].units));
		json_object_set_new(object, "slots",
				    report->diagnosis ? real(report->diagnosis->slots[i])
						      : json_null());
		if (report->result->parts > 1) {
			json_object_set_new(object, "low", real(value->low));
			json_object_set_new(object, "high", real(value->high));
		}
		if (report->sampled) {
			const struct plumb_value range = report_range(report, i);

			json_object_set_new(object, "interval",
					    report->result->value_intervals
						    ? render_interval(range.low, range.high)
						    : json_null());
		} else if (report->result->value_intervals) {
			set_interval(object, &report->result->value_intervals[i]);
		}
		json_array_append_new(array, object);
	}
	return array;
}

static void set_advice(json_t *object, const struct plumb_advice *advice)
{
	json_object_set_new(object, "brief", render_string(advice ? advice->brief : NULL));
	json_object_set_new(object, "means", render_string(advice ? advice->means : NULL));
	json_object_set_new(object, "helps", render_string(advice ? advice->hint : NULL));
}

static json_t *runner_up(const struct plumb_spec *spec, const struct plumb_runner_up *runner_up)
{
	json_t *object = json_object();

	json_object_set_new(object, "root", name_of_metric(spec, runner_up->root.metric));
	json_object_set_new(object, "end", name_of_metric(spec, runner_up->end.metric));
	json_object_set_new(object, "value", real(runner_up->root.value));
	set_advice(object, runner_up->advice);
	return object;
}

static json_t *ties(const struct report *report)
{
	struct report_tie all[PLUMB_LIMIT_SETS];
	const size_t count = report_ties(report->limit_cycles, all);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		json_t *object = json_object(), *limits = json_array();

		for (unsigned bit = 0; report_limit(bit); bit++)
			if (all[i].limits >> bit & 1)
				json_array_append_new(limits, render_string(report_limit(bit)));
		json_object_set_new(object, "limits", limits);
		json_object_set_new(
			object, "percent",
			real(report_ties_have_shares(report->limit_cycles) ? all[i].percent : NAN));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *waits(const struct plumb_diagnosis *d)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < d->wait_count; i++) {
		json_t *object = json_object();

		json_object_set_new(object, "node", render_string(d->waits[i].advice->metric));
		json_object_set_new(object, "brief", render_string(d->waits[i].advice->brief));
		json_object_set_new(object, "percent", real(d->waits[i].share));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *diagnosis(const struct report *report)
{
	static const char *const verdicts[] = {
		[PLUMB_VERDICT_LOSS] = "loss",
		[PLUMB_VERDICT_WORK] = "work",
		[PLUMB_VERDICT_SPREAD] = "spread",
	};
	const struct plumb_diagnosis *d = report->diagnosis;
	const struct plumb_spec *spec = report->spec;
	json_t *object, *path, *groups, *samples, *runners_up;

	if (d->verdict == PLUMB_VERDICT_UNKNOWN)
		return json_null();
	path = json_array();
	groups = json_array();
	samples = json_array();
	runners_up = json_array();
	for (unsigned i = 0; i < d->path_length; i++)
		json_array_append_new(path, name_of_metric(spec, d->path[i].metric));
	if (d->sharing)
		json_array_append_new(path, json_string(PLUMB_STEP_SHARING));
	for (size_t i = 0; i < d->next_group_count; i++)
		json_array_append_new(groups,
				      render_string(spec->metric_groups[d->next_groups[i]].name));
	for (size_t i = 0; i < d->sample_event_count; i++)
		json_array_append_new(samples,
				      render_string(spec->events[d->sample_events[i]].name));
	for (unsigned i = 0; i < d->runner_up_count; i++)
		json_array_append_new(runners_up, runner_up(spec, &d->runners_up[i]));
	object = json_object();
	json_object_set_new(object, "path", path);
	json_object_set_new(object, "next_groups", groups);
	json_object_set_new(object, "sample_events", samples);
	json_object_set_new(object, "verdict", json_string(verdicts[d->verdict]));
	set_advice(object, d->advice);
	json_object_set_new(object, "last_level_hits", real(d->last_level_hits));
	json_object_set_new(object, "waits_for_lines", json_boolean(!isnan(d->moving)));
	json_object_set_new(object, "moving", real(d->moving));
	json_object_set_new(object, "waits", waits(d));
	json_object_set_new(object, "runners_up", runners_up);
	json_object_set_new(object, "ties", report->core ? ties(report) : json_null());
	if (report->result->parts > 1) {
		json_object_set_new(object, "parts", json_integer(report->result->parts));
		json_object_set_new(object, "agreeing", json_integer(report->agreeing));
	}
	if (report->sampled && report->sampled->redraws) {
		json_object_set_new(object, "redraws", json_integer(report->sampled->redraws));
		json_object_set_new(object, "same", json_integer(report->sampled->same));
	}
	return object;
}

static json_t *contradictions(const struct report *report)
{
	static const char *const causes[] = {
		[CONTRADICTION_TURNS] = "multiplexing",
		[CONTRADICTION_TIMES] = "times",
		[CONTRADICTION_APART] = "apart",
		[CONTRADICTION_TOGETHER] = "together",
	};
	struct report_contradiction all[CONTRADICTIONS_MAX];
	const size_t count = report_contradictions(report, all);
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct contradiction *found = &all[i].found;
		json_t *object = json_object(), *range = json_array();

		json_array_append_new(range, number(found->low));
		json_array_append_new(range, number(found->high));
		json_object_set_new(object, "metric", name_of_metric(report->spec, found->metric));
		json_object_set_new(object, "value", real(found->value));
		json_object_set_new(object, "possible", range);
		json_object_set_new(object, "cause", json_string(causes[found->cause]));
		json_object_set_new(object, "text",
				    json_sprintf("%s: %s", all[i].what, all[i].why));
		json_array_append_new(array, object);
		report_contradiction_free(&all[i]);
	}
	return array;
}

static json_t *what_if(const struct report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->what_if_count; i++) {
		const struct report_what_if *part = &report->what_if[i];
		json_t *object = json_object();

		json_object_set_new(object, "name", render_string(part->name));
		json_object_set_new(object, "text", render_string(part->text));
		json_object_set_new(object, "speedup", real(report_speedup(report, part)));
		json_object_set_new(object, "cycles", number(part->cycles));
		json_object_set_new(object, "saved_cycles", number(report->cycles - part->cycles));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *known_id(int id)
{
	return id < 0 ? json_null() : json_integer(id);
}

static json_t *units(const struct report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->unit_count; i++) {
		const struct plumb_count_unit *unit = &report->units[i].given;
		const struct report one = report_of_unit(report, &report->units[i]);
		json_t *object = json_object();

		json_object_set_new(object, "name",
				    unit->name ? render_string(unit->name) : json_null());
		json_object_set_new(object, "cgroup",
				    unit->cgroup ? render_string(unit->cgroup) : json_null());
		json_object_set_new(object, "cpu", known_id(unit->cpu));
		json_object_set_new(object, "socket", known_id(unit->socket));
		json_object_set_new(object, "die", known_id(unit->die));
		json_object_set_new(object, "core", known_id(unit->core));
		json_object_set_new(object, "node", known_id(unit->node));
		json_object_set_new(object, "tid", known_id(unit->tid));
		json_object_set_new(object, "combines", json_integer(unit->cpus));
		json_object_set_new(object, "events", events(&one));
		json_object_set_new(object, "metrics", metrics(&one));
		json_object_set_new(object, "diagnosis", diagnosis(&one));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *numbers(const double *values, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, number(values[i]));
	return array;
}

/* What each run counted, in the order of "events" and of "metrics". */
static json_t *repeats(const struct report *report)
{
	const struct plumb_plan *plan = report->result->plan;
	json_t *array = json_array();

	for (unsigned i = 0; i < report->runs; i++) {
		const struct report_repeat *repeat = &report->repeats[i];
		json_t *object = json_object();

		json_object_set_new(object, "elapsed_seconds", real(repeat->seconds));
		json_object_set_new(object, "events", numbers(repeat->counts, plan->event_count));
		json_object_set_new(object, "metrics",
				    numbers(repeat->values, plan->selection->metric_count));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *phases(const struct report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->phase_count; i++) {
		const struct report_phase *phase = &report->phases[i];
		const struct report one = report_of_phase(report, phase);
		json_t *object = json_object();

		json_object_set_new(object, "name",
				    render_string(report_phase_name(phase->number)));
		json_object_set_new(object, "intervals",
				    json_integer((json_int_t)phase->intervals));
		json_object_set_new(object, "elapsed_seconds", real(phase->seconds));
		json_object_set_new(object, "sampled", report_sampled_json(&one));
		json_object_set_new(object, "events", events(&one));
		json_object_set_new(object, "metrics", metrics(&one));
		json_object_set_new(object, "diagnosis", diagnosis(&one));
		json_array_append_new(array, object);
	}
	return array;
}

/* What was counted on the cores of other types, in the same run. */
static json_t *types(const struct report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->type_count; i++) {
		const struct report *type = &report->types[i];
		json_t *object = json_object();

		json_object_set_new(object, "pmu", render_string(type->pmu));
		json_object_set_new(object, "cpu", cpu(type));
		json_object_set_new(object, "events", events(type));
		json_object_set_new(object, "metrics", metrics(type));
		json_object_set_new(object, "diagnosis", diagnosis(type));
		json_object_set_new(object, "contradictions", contradictions(type));
		if (type->runs > 1 && type->repeats)
			json_object_set_new(object, "repeats", repeats(type));
		if (type->unit_count)
			json_object_set_new(object, "units", units(type));
		json_object_set_new(object, "warnings", strings(type->warnings));
		json_array_append_new(array, object);
	}
	return array;
}

void report_json(struct output *out, const struct report *report)
{
	json_t *object = render_object();

	json_object_set_new(object, "source", render_string(report->source));
	json_object_set_new(object, "model", model(report));
	json_object_set_new(object, "engine", engine(report));
	if (!isnan(report->time))
		json_object_set_new(object, "time", real(report->time));
	json_object_set_new(object, "cpu", cpu(report));
	if (report->target)
		json_object_set_new(object, "target", render_string(report->target));
	if (report->counted_by) {
		json_object_set_new(object, "counted_by", render_string(report->counted_by));
		json_object_set_new(object, "files", strings((const char *const *)report->files));
	}
	json_object_set_new(object, "command", strings((const char *const *)report->command));
	json_object_set_new(object, "exit_status",
			    report->ended && !report->counted_by ? json_integer(report->exit_status)
								 : json_null());
	json_object_set_new(object, "elapsed_seconds", real(report->seconds));
	if (report->ended && !report->counted_by)
		json_object_set_new(object, "host_seconds", real(report->host_seconds));
	if (report->sampled)
		json_object_set_new(object, "sampled", report_sampled_json(report));
	if (report->sampled && report->intervals && !report->ended)
		json_object_set_new(object, "phase",
				    render_string(report_phase_name(report->phase)));
	if (report->sampled && report->intervals && report->ended)
		json_object_set_new(object, "phases", phases(report));
	if (report->runs > 1)
		json_object_set_new(object, "runs", json_integer(report->runs));
	json_object_set_new(object, "events", events(report));
	json_object_set_new(object, "metrics", metrics(report));
	json_object_set_new(object, "diagnosis", diagnosis(report));
	json_object_set_new(object, "contradictions", contradictions(report));
	if (report->runs > 1 && report->repeats)
		json_object_set_new(object, "repeats", repeats(report));
	if (report->unit_count)
		json_object_set_new(object, "units", units(report));
	if (report->pmu) {
		json_object_set_new(object, "pmu", render_string(report->pmu));
		json_object_set_new(object, "core_types", types(report));
	}
	if (report->ended && report->core) {
		json_object_set_new(object, "kernel", kernel(report));
		json_object_set_new(object, "wrong_path", wrong_path(report));
	}
	if (report->ended && report->what_if_count)
		json_object_set_new(object, "what_if", what_if(report));
	json_object_set_new(object, "warnings", strings(report->warnings));
	if (!report->intervals) {
		render_json(out, object);
		return;
	}
	/* One of many: one object per line. */
	json_object_set_new(object, "summary", json_boolean(report->ended));
	json_print(object, out->stream, JSON_COMPACT);
	fputc('\n', out->stream);
	json_decref(object);
}
