/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "render/annotation.h"
#include "render/cause_names.h"
#include "render/json.h"
#include "tool/memory.h"

static json_t *number(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *address(uint64_t value)
{
	char *text = memory_format("0x%" PRIx64, value);
	json_t *made = json_string(text);

	free(text);
	return made;
}

static json_t *causes_of(const struct plumb_annotated_instruction *instruction)
{
	json_t *causes = json_array();

	for (unsigned i = 0; i < instruction->cause_count; i++) {
		json_t *cause = json_object();

		json_put(cause, "name", render_string(cause_shown(instruction->causes[i].name)));
		json_put(cause, "share", json_real(100 * instruction->causes[i].share));
		json_add(causes, cause);
	}
	return causes;
}

static void put_code(json_t *object, const struct annotated *function, size_t i)
{
	const struct plumb_annotated_instruction *instruction = &function->code->instructions[i];
	struct plumb_branch branch =
		plumb_branch_of(instruction->virtual_address, instruction->word);
	struct plumb_disassembly text;
	struct plumb_cost cost;
	char word[16];

	snprintf(word, sizeof(word), "%08" PRIx32, instruction->word);
	annotation_instruction(function->view, instruction, &text);
	json_put(object, "word", json_string(word));
	json_put(object, "text",
		 function->view->disassembler ? json_string(text.text) : json_null());
	json_put(object, "target", branch.has_target ? address(branch.target) : json_null());
	if (!function->view->core || !plumb_cost_of(function->view->core, instruction->word, &cost))
		return;
	json_put(object, "class", json_string(cost.name));
	json_put(object, "operations", json_integer(cost.operations));
	json_put(object, "cycles", json_integer(cost.latency));
	json_put(object, "ports", json_string(cost.ports));
}

static json_t *instruction_of(const struct annotated *function, size_t i)
{
	const struct plumb_annotated_instruction *instruction = &function->code->instructions[i];
	json_t *object = json_object();

	json_put(object, "address", address(instruction->virtual_address));
	if (function->code->words)
		put_code(object, function, i);
	json_put(object, "weight", json_real(instruction->weight));
	json_put(object, "share", json_real(100 * instruction->share));
	json_put(object, "interval",
		 render_interval(100 * instruction->low, 100 * instruction->high));
	json_put(object, "samples", json_integer((json_int_t)instruction->samples));
	json_put(object, "executions", json_integer((json_int_t)instruction->executions));
	json_put(object, "latency", number(instruction->total_latency));
	json_put(object, "issue_latency", number(instruction->issue_latency));
	json_put(object, "l1d_accesses", json_integer((json_int_t)instruction->accesses));
	json_put(object, "l1d_misses", json_integer((json_int_t)instruction->misses));
	json_put(object, "branches", json_integer((json_int_t)instruction->branches));
	json_put(object, "mispredictions", json_integer((json_int_t)instruction->mispredictions));
	json_put(object, "causes", causes_of(instruction));
	return object;
}

static json_t *line_of(const struct annotated *function, size_t rank)
{
	const struct plumb_annotated_line *line = &function->code->lines[function->ranking[rank]];
	json_t *object = json_object(), *instructions = json_array();
	char *path = line->file ? annotation_line_path(line) : NULL;

	json_put(object, "function", render_string(line->function));
	json_put(object, "file", render_string(path));
	json_put(object, "line", render_known(line->line));
	json_put(object, "weight", json_real(line->weight));
	json_put(object, "share", json_real(100 * line->share));
	json_put(object, "interval", render_interval(100 * line->low, 100 * line->high));
	json_put(object, "uncertain", json_boolean(annotation_line_is_uncertain(function, rank)));
	json_put(object, "samples", json_integer((json_int_t)line->samples));
	for (uint32_t i = line->first; i < line->first + line->count; i++)
		json_add(instructions, instruction_of(function, function->code->order[i]));
	json_put(object, "instructions", instructions);
	free(path);
	return object;
}

static json_t *loops_of(const struct annotated *function)
{
	json_t *loops = json_array();
	struct plumb_block block;
	struct plumb_loop loop;

	for (size_t i = 0; function->flow && plumb_flow_loop(function->flow, i, &loop); i++) {
		const struct plumb_trips *trips = function->trips ? &function->trips[i] : NULL;
		json_t *object = json_object();

		plumb_flow_block(function->flow, loop.header, &block);
		json_put(object, "header",
			 address(function->code->instructions[block.first].virtual_address));
		json_put(object, "depth", json_integer(loop.depth));
		json_put(object, "parent",
			 loop.parent == PLUMB_FLOW_NONE ? json_null() : json_integer(loop.parent));
		json_put(object, "iterations",
			 trips ? json_integer((json_int_t)trips->iterations) : json_null());
		json_put(object, "entries",
			 trips && trips->known ? json_integer((json_int_t)trips->entries)
					       : json_null());
		json_add(loops, object);
	}
	return loops;
}

/* Begins the object around the functions. */
static void begin(struct json_list *functions, const struct annotation_view *view)
{
	static const char *const bases[] = {
		[PLUMB_BASIS_NONE] = NULL,
		[PLUMB_BASIS_SLOTS] = "slots",
		[PLUMB_BASIS_LATENCY] = "latency",
		[PLUMB_BASIS_EVENT] = "event",
	};
	json_t *object = render_object();
	struct plumb_annotation_summary summary;

	plumb_annotation_summary(view->annotation, &summary);
	json_put(object, "recording", render_string(view->path));
	json_put(object, "modelled", json_boolean(view->modelled));
	json_put(object, "incomplete", json_boolean(view->incomplete));
	if (summary.windows)
		json_put(object, "windows", json_integer((json_int_t)summary.windows));
	json_put(object, "basis",
		 render_string(summary.replayed ? "estimated_slots" : bases[summary.basis]));
	json_put(object, "event", render_string(summary.event));
	json_put(object, "weight", json_real(summary.weight));
	json_put(object, "samples", json_integer((json_int_t)summary.samples));
	json_put(object, "core",
		 render_string(view->core ? plumb_cost_core_name(view->core) : NULL));
	json_put(object, "disassembler",
		 view->disassembler
			 ? json_sprintf("LLVM %s", plumb_disassembler_version(view->disassembler))
			 : json_null());
	render_json_open(functions, object, "functions");
}

void annotation_json_add(struct json_list *functions, const struct annotated *function)
{
	const struct plumb_annotated_code *code = function->code;
	json_t *object = json_object();
	struct json_list lines;

	if (!functions->any)
		begin(functions, function->view);
	json_put(object, "symbol", render_string(plumb_symbol_name(code->function.symbol)));
	json_put(object, "file", render_string(plumb_symbol_file_name(code->function.file)));
	json_put(object, "weight", json_real(code->function.weight));
	json_put(object, "share", json_real(100 * code->function.share));
	json_put(object, "interval",
		 render_interval(100 * code->function.low, 100 * code->function.high));
	json_put(object, "loops", loops_of(function));
	lines = render_json_nested(functions);
	render_json_open(&lines, object, "lines");
	for (size_t i = 0; i < code->line_count; i++)
		render_json_item(&lines, line_of(function, i));
	render_json_close(&lines);
}

void annotation_json_end(struct json_list *functions)
{
	if (functions->any)
		render_json_close(functions);
}
