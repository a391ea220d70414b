/* SPDX-License-Identifier: Apache-2.0 */
#include "render/calibration.h"

#include <string.h>

#include "render/json.h"
#include "render/table.h"

void render_calibration(struct output *out, const struct calibration *calibration)
{
	static const struct table_column columns[] = {
		{"FIGURE", .style = STYLE_NAME},
		{"VALUE", .right = true},
		{"INTERVAL", .right = true},
		{"WHAT IT IS, OR WHY IT IS UNKNOWN", .wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 4};

	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibrated_figure *figure = &calibration->figures[i];

		if (!figure->asked)
			continue;
		table_cell(&table, figure->name);
		if (figure->known) {
			table_cell_format(&table, "%u", figure->value);
			if (figure->low == figure->high)
				table_cell(&table, "exact");
			else
				table_cell_format(&table, "%u to %u", figure->low, figure->high);
			table_cell(&table, figure->what);
		} else {
			table_cell(&table, NULL);
			table_cell(&table, NULL);
			table_cell_format(&table, "%s: %s", figure->what,
					  *figure->why ? figure->why : "not measured");
		}
	}
	table_print(&table, out, 0);
	table_free(&table);
}

void render_figures_measured(struct output *out, const struct calibration *calibration, bool json)
{
	static const struct table_column columns[] = {
		{"FIGURE", .style = STYLE_NAME},
		{"WHAT IT IS", .wraps = true},
	};
	struct table table = {.columns = columns, .column_count = 2};
	json_t *object = render_object(), *array = json_array();

	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibrated_figure *figure = &calibration->figures[i];

		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:b}", "name", figure->name, "what",
						figure->what, "default", figure->asked));
		table_cell(&table, figure->name);
		table_cell_format(&table, "%s%s", figure->what,
				  figure->asked ? "" : " (with --all)");
	}
	json_object_set_new(object, "figures", array);
	if (json) {
		render_json(out, object);
	} else {
		json_decref(object);
		table_print(&table, out, 0);
	}
	table_free(&table);
}

/* ---- the core file ------------------------------------------------------------------------- */

static json_t *figure_object(const struct calibrated_figure *figure)
{
	return json_pack("{s:i, s:s, s:[i, i]}", "value", (int)figure->value, "source", "measured",
			 "interval", (int)figure->low, (int)figure->high);
}

/* Returns the middle of a name of three parts after `prefix`, of `*length` bytes; or NULL. */
static const char *middle(const char *name, const char *prefix, size_t *length)
{
	const char *text = strncmp(name, prefix, strlen(prefix)) ? NULL : name + strlen(prefix);

	*length = text ? strcspn(text, ".") : 0;
	return text;
}

static void add_figure(json_t *core, json_t *queues, json_t *classes,
		       const struct calibrated_figure *figure)
{
	size_t length;
	const char *name = middle(figure->name, "queues.", &length), *dot;

	if (name) {
		json_array_append_new(queues, json_pack("{s:s%, s:o}", "name", name, length,
							"entries", figure_object(figure)));
		return;
	}
	name = middle(figure->name, "classes.", &length);
	if (name) {
		json_t *class =
			json_pack("{s:i, s:s, s:[i, i]}", "latency", (int)figure->value, "source",
				  "measured", "interval", (int)figure->low, (int)figure->high);

		json_object_setn_new(classes, name, length, class);
		return;
	}
	dot = strchr(figure->name, '.');
	if (dot) {
		length = (size_t)(dot - figure->name);
		if (!json_object_getn(core, figure->name, length))
			json_object_setn_new(core, figure->name, length, json_object());
		json_object_set_new(json_object_getn(core, figure->name, length), dot + 1,
				    figure_object(figure));
	} else {
		json_object_set_new(core, figure->name, figure_object(figure));
	}
}

static json_t *unknown_figures(const struct calibration *calibration)
{
	json_t *array = json_array();

	for (size_t i = 0; i < calibration->count; i++) {
		const struct calibrated_figure *figure = &calibration->figures[i];

		if (figure->asked && !figure->known)
			json_array_append_new(
				array, json_pack("{s:s, s:s}", "name", figure->name, "why",
						 *figure->why ? figure->why : "not measured"));
	}
	return array;
}

void render_core_file(struct output *out, const struct calibration *calibration, const char *origin,
		      bool unknown)
{
	json_t *object = render_object(), *core = json_object();
	json_t *queues = json_array(), *classes = json_object();

	for (size_t i = 0; i < calibration->count; i++)
		if (calibration->figures[i].asked && calibration->figures[i].known)
			add_figure(core, queues, classes, &calibration->figures[i]);
	json_object_set_new(object, "name", json_string("measured"));
	json_object_set_new(object, "like", json_string(calibration->like));
	json_object_set_new(object, "sources",
			    json_pack("{s:o}", "measured", render_string(origin)));
	json_object_set_new(object, "core", core);
	json_object_set_new(object, "queues", queues);
	json_object_set_new(object, "classes", classes);
	if (unknown)
		json_object_set_new(object, "unknown", unknown_figures(calibration));
	render_json(out, object);
}
