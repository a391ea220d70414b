/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_write.h"
#include "render/json.h"
#include "render/profile_sources.h"

static json_t *interval(const struct plumb_profile_estimate *estimate, double factor)
{
	return render_interval(factor * estimate->low, factor * estimate->high);
}

static json_t *tree_of(const struct profile_view *view, size_t event, size_t row)
{
	const struct plumb_profile_node *nodes;
	struct plumb_profile_event whole;
	json_t *tree = json_array();
	size_t count;

	plumb_profile_event(view->profile, event, &whole);
	nodes = plumb_profile_tree(view->profile, event, row, &count);
	for (size_t i = 0; i < count; i++) {
		json_t *node = json_object();

		json_put(node, "depth", json_integer(nodes[i].depth));
		json_put(node, "symbol", render_string(nodes[i].name));
		json_put(node, "period", json_integer((json_int_t)nodes[i].period));
		json_put(node, "own", json_integer((json_int_t)nodes[i].own));
		json_put(node, "share",
			 render_number(100 * (double)nodes[i].period / (double)whole.period));
		json_put(node, "interval", interval(&nodes[i].share, 100));
		json_put(node, "uncertain", json_boolean(nodes[i].uncertain));
		json_put(node, "own_share",
			 render_number(100 * (double)nodes[i].own / (double)whole.period));
		json_add(tree, node);
	}
	return tree;
}

/* Adds those latencies that were kept. */
static void add_latencies(json_t *object, const struct profile_view *view, size_t event, size_t row)
{
	static const char *const names[PLUMB_PROFILE_LATENCIES] = {"total_latency", "issue_latency",
								   "translation_latency"};
	struct plumb_profile_latency latency;

	for (unsigned kind = 0; kind < PLUMB_PROFILE_LATENCIES; kind++) {
		json_t *values;

		if (!plumb_profile_latency(view->profile, event, row, kind, &latency))
			continue;
		values = json_object();
		json_put(values, "samples", json_integer((json_int_t)latency.samples));
		json_put(values, "mean", json_real(latency.mean));
		json_put(values, "p50", json_real(latency.p50));
		json_put(values, "p90", json_real(latency.p90));
		json_put(values, "p99", json_real(latency.p99));
		json_put(values, "saturated", json_integer((json_int_t)latency.saturated));
		json_put(object, names[kind], values);
	}
}

/* Adds what takes time or room, and so is only there if a column shows it. */
static void add_column(json_t *object, const struct profile_view *view, size_t event, size_t row,
		       unsigned column)
{
	static const char *const names[][2] = {{"retiring", "retiring_interval"},
					       {"bad_speculation", "bad_speculation_interval"},
					       {"frontend_bound", "frontend_bound_interval"},
					       {"backend_bound", "backend_bound_interval"}};
	struct plumb_profile_estimate estimate;

	if (column == PROFILE_SOURCES) {
		json_put(object, "sources", sources_object(view, event, row));
	} else if (column == PROFILE_OPERATIONS || column == PROFILE_OPERATIONS_INTERVAL) {
		estimate = plumb_profile_operations(view->profile, event, row);
		json_put(object, "operations", render_number(estimate.value));
		json_put(object, "operations_interval", interval(&estimate, 1));
	} else if (profile_is_of_slots(column)) {
		estimate = profile_slots(view, event, row, column);
		json_put(object, names[column - PROFILE_RETIRING][0],
			 render_number(estimate.value));
		json_put(object, names[column - PROFILE_RETIRING][1], interval(&estimate, 1));
	}
}

static json_t *row_of(const struct profile_view *view, const struct plumb_profile_event *event,
		      size_t e, size_t i)
{
	struct plumb_profile_row row;
	json_t *object = json_object();
	char room[PLUMB_PROFILE_TEXT];

	plumb_profile_row(view->profile, e, i, &row);
	for (size_t k = 0; k < view->key_count; k++)
		json_put(object, plumb_profile_key_name(view->keys[k]),
			 render_string(plumb_profile_text(view->profile, e, i, k, room)));
	json_put(object, "share", render_number(100 * row.share.value));
	json_put(object, "interval", interval(&row.share, 100));
	if (view->children) {
		json_put(object, "children", render_number(100 * row.children.value));
		json_put(object, "children_interval", interval(&row.children, 100));
		json_put(object, "children_samples",
			 json_integer((json_int_t)row.children_samples));
		json_put(object, "children_period", json_integer((json_int_t)row.children_period));
	}
	json_put(object, "uncertain", json_boolean(profile_is_uncertain(view, e, i)));
	for (size_t c = 0; c < view->column_count; c++)
		add_column(object, view, e, i, view->columns[c]);
	json_put(object, "samples", json_integer((json_int_t)row.samples));
	json_put(object, "period", json_integer((json_int_t)row.period));
	/* All keys, whatever this recording's records have. */
	if (event->spe || event->latencies || event->l1d_accesses || event->branches) {
		json_put(object, "latency", render_number(row.latency.value));
		json_put(object, "latency_interval", interval(&row.latency, 1));
		json_put(object, "latency_share", render_number(100 * row.latency_share));
		json_put(object, "saturated", json_integer((json_int_t)row.saturated));
		add_latencies(object, view, e, i);
		json_put(object, "l1d_misses", render_number(100 * row.l1d_misses.value));
		json_put(object, "l1d_interval", interval(&row.l1d_misses, 100));
		json_put(object, "mispredictions", render_number(100 * row.mispredictions.value));
		json_put(object, "misprediction_interval", interval(&row.mispredictions, 100));
	}
	if (view->trees)
		json_put(object, "tree", tree_of(view, e, i));
	return object;
}

/* Prints an event row by row: there may be many. */
static void print_event(struct json_list list, const struct profile_view *view,
			const struct plumb_profile_event *event, size_t e)
{
	const size_t count = profile_rows_shown(view, e);
	const uint64_t filtered_out = event->spe ? view->filtered_out : 0;
	const uint64_t left_out = event->left_out + filtered_out;
	const uint64_t left_out_period = event->left_out_period + filtered_out;
	json_t *object = json_object();
	uint64_t period;
	const uint64_t not_shown = plumb_profile_not_shown(view->profile, e, &period);

	json_put(object, "name", render_string(event->name));
	json_put(object, "exact", json_boolean(event->exact && !event->windows));
	if (event->windows)
		json_put(object, "windows", json_integer((json_int_t)event->windows));
	json_put(object, "spe", json_boolean(event->spe));
	json_put(object, "samples", json_integer((json_int_t)event->samples));
	if (event->stacks)
		json_put(object, "stacks", json_integer((json_int_t)event->stacks));
	if (event->spe) {
		json_put(object, "filtered", json_boolean(event->filtered));
		json_put(object, "not_retired", json_integer((json_int_t)event->not_retired));
		json_put(object, "saturated", json_integer((json_int_t)event->saturated));
	}
	if (not_shown) {
		json_put(object, "matching",
			 json_integer((json_int_t)(event->samples - not_shown)));
		json_put(object, "matching_period",
			 json_integer((json_int_t)(event->period - period)));
	}
	json_put(object, "left_out", json_integer((json_int_t)left_out));
	json_put(object, "left_out_period", json_integer((json_int_t)left_out_period));
	json_put(object, "period", json_integer((json_int_t)event->period));
	json_put(object, "row_count", json_integer((json_int_t)event->row_count));
	json_put(object, "given_up", json_integer((json_int_t)event->given_up));
	json_put(object, "given_up_most", json_integer((json_int_t)event->given_up_most));
	json_put(object, "cut_off", json_integer((json_int_t)event->cut_off));
	render_json_open(&list, object, "rows");
	for (size_t i = 0; i < count; i++)
		if (profile_is_wanted(view, e, i))
			render_json_item(&list, row_of(view, event, e, i));
	render_json_close(&list);
}

void profile_json(struct output *out, const struct profile_view *view)
{
	json_t *object = render_object(), *keys = json_array();
	struct json_list events = {.out = out};
	struct plumb_profile_event event;

	for (size_t k = 0; k < view->key_count; k++)
		json_add_text(keys, plumb_profile_key_name(view->keys[k]));
	json_put(object, "recording", render_string(view->path));
	json_put(object, "modelled", json_boolean(view->modelled));
	json_put(object, "incomplete", json_boolean(view->incomplete));
	json_put(object, "keys", keys);
	render_json_open(&events, object, "events");
	for (size_t e = 0; plumb_profile_event(view->profile, e, &event); e++)
		if ((!view->only_sampled || !event.exact) &&
		    (!view->prints || view->prints(view, &event)))
			print_event(render_json_nested(&events), view, &event, e);
	render_json_close(&events);
}
