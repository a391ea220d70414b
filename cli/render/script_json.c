/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample as a JSON object on a line of its own. Values that a sample lacks are null. Addresses
 * are text, since they are wider than the numbers of many readers.
 */
#include "base/json_write.h"
#include "render/script.h"

static void put_bytes(void *user, const char *bytes, size_t size)
{
	buffer_bytes(user, bytes, size);
}

static void put_string(struct buffer *b, const char *text)
{
	buffer_char(b, '"');
	json_escape(text, strlen(text), put_bytes, b);
	buffer_char(b, '"');
}

/* An object being written: which keys the user wants, and whether it has one already. */
struct object {
	struct buffer *b;
	const struct script_fields *fields;
	enum event_type type;
	bool begun;
};

/* Begins a member that is part of `field`; false if that is not wanted. */
static bool key(struct object *o, enum field field, const char *name)
{
	if (o->fields->types[o->type].set && !script_prints(o->fields, o->type, field))
		return false;
	buffer_char(o->b, o->begun ? ',' : '{');
	if (o->begun)
		buffer_char(o->b, ' ');
	buffer_char(o->b, '"');
	buffer_text(o->b, name);
	buffer_bytes(o->b, "\": ", 3);
	o->begun = true;
	return true;
}

/* Whether there is room for a member that by default is only there if the sample has it. */
static bool is_wanted(const struct object *o, bool known)
{
	return known || o->fields->types[o->type].set;
}

static void put_text(struct object *o, enum field field, const char *name, const char *text)
{
	if (!key(o, field, name))
		return;
	if (text)
		put_string(o->b, text);
	else
		buffer_text(o->b, "null");
}

static void put_number(struct object *o, enum field field, const char *name, bool known,
		       int64_t number)
{
	if (!key(o, field, name))
		return;
	if (known)
		buffer_signed(o->b, number, 0);
	else
		buffer_text(o->b, "null");
}

static void put_unsigned(struct object *o, enum field field, const char *name, bool known,
			 uint64_t number)
{
	if (!key(o, field, name))
		return;
	if (known)
		buffer_decimal(o->b, number, 0);
	else
		buffer_text(o->b, "null");
}

static void put_truth(struct object *o, enum field field, const char *name, bool known, bool value)
{
	if (!key(o, field, name))
		return;
	if (known)
		buffer_text(o->b, value ? "true" : "false");
	else
		buffer_text(o->b, "null");
}

static void put_hex_string(struct buffer *b, uint64_t number)
{
	buffer_bytes(b, "\"0x", 3);
	buffer_hex(b, number, 0);
	buffer_char(b, '"');
}

static void put_address(struct object *o, enum field field, const char *name, bool known,
			uint64_t address)
{
	if (!key(o, field, name))
		return;
	if (known)
		put_hex_string(o->b, address);
	else
		buffer_text(o->b, "null");
}

/* ---- An SPE record --------------------------------------------------------------------------- */

static void put_events(struct object *o, const struct plumb_spe_record *spe, uint32_t midr)
{
	bool first = true;

	if (!key(o, FIELD_EVENT, "events"))
		return;
	buffer_char(o->b, '[');
	for (unsigned bit = 0; bit < 64; bit++) {
		const char *name = plumb_spe_event_name(midr, bit);

		if (!(spe->events >> bit & 1))
			continue;
		buffer_text(o->b, first ? "" : ", ");
		if (name)
			put_string(o->b, name);
		else
			buffer_format(o->b, "\"event-%u\"", bit);
		first = false;
	}
	buffer_char(o->b, ']');
}

static void put_groups(struct object *o, uint32_t groups)
{
	bool first = true;

	if (!key(o, FIELD_EVENT, "groups"))
		return;
	buffer_char(o->b, '[');
	for (unsigned group = 0; group < PLUMB_SPE_GROUPS; group++) {
		if (!(groups & PLUMB_SPE_GROUP_BIT(group)))
			continue;
		buffer_text(o->b, first ? "" : ", ");
		put_string(o->b, plumb_spe_group_name(group));
		first = false;
	}
	buffer_char(o->b, ']');
}

static void put_data_source(struct object *o, const struct plumb_spe_record *spe, uint32_t midr)
{
	bool known = spe->has & PLUMB_SPE_HAS_DATA_SOURCE;
	const char *name = known ? plumb_spe_data_source_name(midr, spe->data_source) : NULL;

	if (name)
		put_text(o, FIELD_DATA_SRC, "data_source", name);
	else
		put_address(o, FIELD_DATA_SRC, "data_source", known, spe->data_source);
}

static void put_latencies(struct object *o, const struct plumb_spe_record *spe)
{
	static const char *const names[] = {"total_latency", "issue_latency",
					    "translation_latency"};

	for (unsigned i = 0; i < 3; i++)
		put_unsigned(o, FIELD_WEIGHT, names[i], spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY << i,
			     spe->counters[i]);
}

static void put_record(struct object *o, const struct plumb_spe_record *spe, uint32_t midr)
{
	struct plumb_spe_operation operation = {.kind = PLUMB_SPE_KIND_UNKNOWN};
	const uint64_t *at = spe->addresses;
	uint32_t has = spe->has;

	if (has & PLUMB_SPE_HAS_OPERATION)
		operation = plumb_spe_operation(spe->op_class, spe->operation);
	put_address(o, FIELD_IP, "pc", has & PLUMB_SPE_HAS_PC, plumb_spe_code_address(at[0]));
	put_number(o, FIELD_IP, "el", has & PLUMB_SPE_HAS_PC, plumb_spe_exception_level(at[0]));
	put_text(o, FIELD_EVENT, "op",
		 has & PLUMB_SPE_HAS_OPERATION ? plumb_spe_kind_name(operation.kind) : NULL);
	put_text(o, FIELD_EVENT, "subclass",
		 has & PLUMB_SPE_HAS_OPERATION ? plumb_spe_subclass_name(operation.subclass)
					       : NULL);
	put_truth(o, FIELD_EVENT, "conditional", operation.kind == PLUMB_SPE_KIND_BRANCH,
		  operation.flags & PLUMB_SPE_OP_CONDITIONAL);
	put_events(o, spe, midr);
	put_latencies(o, spe);
	put_address(o, FIELD_ADDR, "virtual_address", has & PLUMB_SPE_HAS_DATA_VIRTUAL,
		    plumb_spe_virtual_address(at[PLUMB_SPE_DATA_VIRTUAL]));
	put_address(o, FIELD_PHYS_ADDR, "physical_address", has & PLUMB_SPE_HAS_DATA_PHYSICAL,
		    plumb_spe_physical_address(at[PLUMB_SPE_DATA_PHYSICAL]));
	put_data_source(o, spe, midr);
	put_address(o, FIELD_ADDR, "branch_target", has & PLUMB_SPE_HAS_BRANCH_TARGET,
		    plumb_spe_code_address(at[PLUMB_SPE_BRANCH_TARGET]));
	put_address(o, FIELD_ADDR, "previous_branch_target", has & PLUMB_SPE_HAS_PREVIOUS_TARGET,
		    plumb_spe_code_address(at[PLUMB_SPE_PREVIOUS_TARGET]));
	put_unsigned(o, FIELD_TIME, "timestamp", has & PLUMB_SPE_HAS_TIMESTAMP, spe->timestamp);
	/* Either register has the thread's number, as the kernel is at EL1 or EL2. */
	put_unsigned(o, FIELD_TID, "context",
		     has & (PLUMB_SPE_HAS_CONTEXT_EL1 | PLUMB_SPE_HAS_CONTEXT_EL2),
		     has & PLUMB_SPE_HAS_CONTEXT_EL2 ? spe->contexts[1] : spe->contexts[0]);
}

/* ---- Branches -------------------------------------------------------------------------------- */

static void put_bool(struct buffer *b, const char *name, bool value)
{
	buffer_text(b, ", \"");
	buffer_text(b, name);
	buffer_text(b, value ? "\": true" : "\": false");
}

static void put_word(struct buffer *b, const char *name, const char *word)
{
	buffer_text(b, ", \"");
	buffer_text(b, name);
	buffer_text(b, "\": ");
	if (*word && strcmp(word, "-") != 0)
		put_string(b, word);
	else
		buffer_text(b, "null");
}

static void put_branch(struct buffer *b, const struct plumb_branch_entry *entry)
{
	buffer_text(b, "{\"from\": ");
	put_hex_string(b, entry->from);
	buffer_text(b, ", \"to\": ");
	put_hex_string(b, entry->to);
	put_bool(b, "predicted", entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_PREDICTED));
	put_bool(b, "mispredicted", entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_MISPREDICTED));
	put_bool(b, "not_taken", entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_NOT_TAKEN));
	put_bool(b, "transaction", entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_TRANSACTION));
	put_bool(b, "abort", entry->flags & PLUMB_ENTRY_BIT(PLUMB_ENTRY_ABORT));
	buffer_text(b, ", \"cycles\": ");
	buffer_decimal(b, script_branch_cycles(entry->flags), 0);
	put_word(b, "type", script_branch_type(entry->flags));
	put_word(b, "speculation", script_branch_speculation(entry->flags));
	buffer_char(b, '}');
}

static void put_branches(struct object *o, const struct script_sample *sample)
{
	const struct plumb_sample *s = &sample->record->sample;
	const bool known = sample->event->attr.sample_type & PLUMB_SAMPLE_BRANCH_STACK;

	if (!is_wanted(o, known) || !key(o, FIELD_BRSTACK, "branches"))
		return;
	if (!known) {
		buffer_text(o->b, "null");
		return;
	}
	buffer_char(o->b, '[');
	for (size_t i = 0; i < s->branch_count; i++) {
		buffer_text(o->b, i ? ", " : "");
		put_branch(o->b, &s->branches[i]);
	}
	buffer_char(o->b, ']');
}

/* ---- Any sample ------------------------------------------------------------------------------ */

struct chain {
	struct buffer *b;
	bool begun;
};

/* A function of a call chain, with its line if it was looked for. */
static void put_frame(void *user, const struct script_frame *frame)
{
	const struct plumb_symbol *symbol = frame->location->symbol;
	struct chain *chain = user;
	struct buffer *b = chain->b;

	buffer_text(b, chain->begun ? ", {\"ip\": " : "{\"ip\": ");
	chain->begun = true;
	put_hex_string(b, frame->ip);
	buffer_text(b, ", \"symbol\": ");
	if (frame->inlined || symbol)
		put_string(b, frame->inlined ? frame->inlined : plumb_symbol_name(symbol));
	else
		buffer_text(b, "null");
	buffer_text(b, frame->inlined ? ", \"inlined\": true" : ", \"inlined\": false");
	buffer_text(b, ", \"source_file\": ");
	if (frame->source && frame->source->file)
		put_string(b, frame->source->file);
	else
		buffer_text(b, "null");
	buffer_text(b, ", \"source_line\": ");
	if (frame->source && frame->source->line)
		buffer_decimal(b, frame->source->line, 0);
	else
		buffer_text(b, "null");
	buffer_char(b, '}');
}

static void put_frames(struct object *o, struct script_printer *printer,
		       const struct script_sample *sample)
{
	struct chain chain = {o->b, false};

	if (!printer->inlined || !key(o, FIELD_IP, "frames"))
		return;
	buffer_char(o->b, '[');
	script_each_frame(printer, sample, put_frame, &chain);
	buffer_char(o->b, ']');
}

static void put_callchain(struct object *o, const struct script_printer *printer,
			  const struct script_sample *sample)
{
	struct plumb_frame frames[PLUMB_CALLCHAIN_MAX];
	size_t count;

	if (!key(o, FIELD_IP, "callchain"))
		return;
	count = plumb_symbolizer_callchain(printer->symbols, sample->task, sample->record, frames);
	buffer_char(o->b, '[');
	for (size_t i = 0; i < count; i++) {
		buffer_text(o->b, i ? ", " : "");
		put_hex_string(o->b, frames[i].ip);
	}
	buffer_char(o->b, ']');
}

static void put_symbol(struct object *o, struct script_printer *printer,
		       struct script_sample *sample)
{
	const struct plumb_location *location = script_locate(printer, sample);
	const struct plumb_symbol *symbol = location->symbol;

	put_text(o, FIELD_SYM, "symbol", symbol ? plumb_symbol_name(symbol) : NULL);
	put_unsigned(o, FIELD_SYMOFF, "symbol_offset", symbol,
		     symbol ? location->address - plumb_symbol_start(symbol) : 0);
	put_text(o, FIELD_DSO, "dso",
		 location->file ? plumb_symbol_file_name(location->file) : NULL);
	if (script_prints(o->fields, o->type, FIELD_DSOFF))
		put_address(o, FIELD_DSOFF, "dso_offset",
			    location->file && !plumb_symbol_file_is_kernel(location->file),
			    location->address);
	if (script_prints(o->fields, o->type, FIELD_SRCLINE)) {
		struct plumb_source_frame frame = {0};

		plumb_symbolizer_source(printer->symbols, location, &frame, 1);
		put_text(o, FIELD_SRCLINE, "source_file", frame.file);
		put_unsigned(o, FIELD_SRCLINE, "source_line", frame.line, frame.line);
	}
}

/* Members that a PMU event may have been recorded with. */
static void put_recorded(struct object *o, const struct script_sample *sample)
{
	const struct plumb_sample *s = &sample->record->sample;
	const uint64_t has = sample->spe ? 0 : sample->event->attr.sample_type;
	const struct {
		enum field field;
		const char *name;
		uint64_t bits, value;
	} members[] = {
		{FIELD_WEIGHT, "weight", PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_WEIGHT_STRUCT,
		 s->weight},
		{FIELD_INS_LAT, "instruction_latency", PLUMB_SAMPLE_WEIGHT_STRUCT, s->weight2},
		{FIELD_DATA_PAGE_SIZE, "data_page_size", PLUMB_SAMPLE_DATA_PAGE_SIZE,
		 s->data_page_size},
		{FIELD_CODE_PAGE_SIZE, "code_page_size", PLUMB_SAMPLE_CODE_PAGE_SIZE,
		 s->code_page_size},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		const bool known = has & members[i].bits;

		/* An SPE record has latencies of its own instead. */
		if (sample->spe && members[i].field == FIELD_WEIGHT)
			continue;
		if (is_wanted(o, known))
			put_unsigned(o, members[i].field, members[i].name, known, members[i].value);
	}
	if (!sample->spe && is_wanted(o, has & PLUMB_SAMPLE_DATA_SRC))
		put_address(o, FIELD_DATA_SRC, "data_source", has & PLUMB_SAMPLE_DATA_SRC,
			    s->data_source);
}

/* Members from perf's text: its letters for the record, and its words for the branch. */
static void put_words(struct object *o, const struct script_sample *sample)
{
	char text[SCRIPT_WORDS_ROOM];

	if (script_prints(o->fields, o->type, FIELD_MISC)) {
		script_misc(sample, text);
		put_text(o, FIELD_MISC, "misc", text);
	}
	if (o->fields->flags) {
		script_flags(sample->record->sample.trace_flags, text);
		buffer_text(o->b, o->begun ? ", \"flags\": " : "{\"flags\": ");
		o->begun = true;
		put_string(o->b, text);
	}
}

void script_print_json(struct script_printer *printer, struct script_sample *sample)
{
	struct object o = {.b = printer->out, .fields = printer->fields, .type = sample->type};
	const struct plumb_record *record = sample->record;
	const struct plumb_sample *s = &record->sample;
	bool pid = record->has & PLUMB_RECORD_HAS_PID;
	char room[EVENT_NAME_ROOM];

	put_text(&o, FIELD_EVENT, "event", script_event_name(sample->event, room));
	if (sample->spe) {
		put_record(&o, sample->spe, sample->midr);
		put_groups(&o, sample->groups);
		if (printer->fields->types[sample->type].set)
			put_unsigned(&o, FIELD_PERIOD, "period", true, script_period(sample));
	} else {
		uint64_t has = sample->event->attr.sample_type;

		put_address(&o, FIELD_IP, "pc", has & PLUMB_SAMPLE_IP, s->ip);
		put_unsigned(&o, FIELD_PERIOD, "period", true, script_period(sample));
		put_address(&o, FIELD_ADDR, "virtual_address", has & PLUMB_SAMPLE_ADDR, s->address);
		put_address(&o, FIELD_PHYS_ADDR, "physical_address", has & PLUMB_SAMPLE_PHYS_ADDR,
			    s->physical_address);
		if (has & PLUMB_SAMPLE_CALLCHAIN) {
			put_callchain(&o, printer, sample);
			put_frames(&o, printer, sample);
		}
	}
	put_recorded(&o, sample);
	put_branches(&o, sample);
	put_words(&o, sample);
	put_unsigned(&o, FIELD_TIME, "time", record->has & PLUMB_RECORD_HAS_TIME, record->time);
	put_text(&o, FIELD_COMM, "comm",
		 pid && record->pid >= 0 && sample->task ? sample->task->comm : NULL);
	put_number(&o, FIELD_PID, "pid", pid && record->pid >= 0, record->pid);
	put_number(&o, FIELD_TID, "tid", pid && record->tid >= 0, record->tid);
	put_number(&o, FIELD_CPU, "cpu",
		   record->has & PLUMB_RECORD_HAS_CPU && record->cpu != UINT32_MAX, record->cpu);
	put_symbol(&o, printer, sample);
	buffer_text(printer->out, o.begun ? "}\n" : "{}\n");
}
