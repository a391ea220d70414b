/* SPDX-License-Identifier: Apache-2.0 */
#include "script/fields.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/quote.h"

/* The longest name of a field or type that is looked up. */
#define NAME_MAX_BYTES 32

struct field_name {
	const char *name;
	bool supported;
};

/* Indexed by enum field, in the order of perf's list. */
static const struct field_name names[FIELD_COUNT] = {
	[FIELD_COMM] = {"comm", true},
	[FIELD_TID] = {"tid", true},
	[FIELD_PID] = {"pid", true},
	[FIELD_TIME] = {"time", true},
	[FIELD_CPU] = {"cpu", true},
	[FIELD_EVENT] = {"event", true},
	[FIELD_TRACE] = {"trace", false},
	[FIELD_IP] = {"ip", true},
	[FIELD_SYM] = {"sym", true},
	[FIELD_DSO] = {"dso", true},
	[FIELD_DSOFF] = {"dsoff", true},
	[FIELD_ADDR] = {"addr", true},
	[FIELD_SYMOFF] = {"symoff", true},
	[FIELD_SRCLINE] = {"srcline", true},
	[FIELD_PERIOD] = {"period", true},
	[FIELD_IREGS] = {"iregs", false},
	[FIELD_UREGS] = {"uregs", false},
	[FIELD_BRSTACK] = {"brstack", true},
	[FIELD_BRSTACKSYM] = {"brstacksym", false},
	[FIELD_DATA_SRC] = {"data_src", true},
	[FIELD_WEIGHT] = {"weight", true},
	[FIELD_BPF_OUTPUT] = {"bpf-output", false},
	[FIELD_CALLINDENT] = {"callindent", false},
	[FIELD_INSN] = {"insn", false},
	[FIELD_INSNLEN] = {"insnlen", false},
	[FIELD_BRSTACKINSN] = {"brstackinsn", false},
	[FIELD_BRSTACKOFF] = {"brstackoff", false},
	[FIELD_SYNTH] = {"synth", false},
	[FIELD_PHYS_ADDR] = {"phys_addr", true},
	[FIELD_METRIC] = {"metric", false},
	[FIELD_MISC] = {"misc", true},
	[FIELD_SRCCODE] = {"srccode", false},
	[FIELD_IPC] = {"ipc", false},
	[FIELD_TOD] = {"tod", false},
	[FIELD_DATA_PAGE_SIZE] = {"data_page_size", true},
	[FIELD_CODE_PAGE_SIZE] = {"code_page_size", true},
	[FIELD_INS_LAT] = {"ins_lat", true},
	[FIELD_BRSTACKINSNLEN] = {"brstackinsnlen", false},
	[FIELD_MACHINE_PID] = {"machine_pid", false},
	[FIELD_VCPU] = {"vcpu", false},
	[FIELD_CGROUP] = {"cgroup", false},
	[FIELD_RETIRE_LAT] = {"retire_lat", false},
	[FIELD_BRCNTR] = {"brcntr", false},
	[FIELD_DISASM] = {"disasm", false},
	[FIELD_BRSTACKDISASM] = {"brstackdisasm", false},
	[FIELD_FLAGS] = {"flags", true},
};

static const struct {
	const char *prefix; /* NULL: cannot be named */
	const char *title;
} types[TYPE_COUNT] = {
	[TYPE_HARDWARE] = {"hw", "hardware"},
	[TYPE_SOFTWARE] = {"sw", "software"},
	[TYPE_TRACEPOINT] = {"trace", "tracepoint"},
	[TYPE_HW_CACHE] = {NULL, "hardware cache"},
	[TYPE_RAW] = {"raw", "raw"},
	[TYPE_BREAKPOINT] = {"break", "breakpoint"},
	[TYPE_SYNTH] = {"synth", "synthesised"},
	[TYPE_OTHER] = {NULL, "other"},
};

const char *script_field_name(unsigned i, bool *supported)
{
	if (i >= FIELD_COUNT)
		return NULL;
	*supported = names[i].supported;
	return names[i].name;
}

void script_fields_init(struct script_fields *fields)
{
	const uint64_t usual = FIELD_BIT(FIELD_COMM) | FIELD_BIT(FIELD_TID) | FIELD_BIT(FIELD_CPU) |
			       FIELD_BIT(FIELD_TIME) | FIELD_BIT(FIELD_EVENT) |
			       FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYM) |
			       FIELD_BIT(FIELD_SYMOFF) | FIELD_BIT(FIELD_DSO) |
			       FIELD_BIT(FIELD_PERIOD);

	*fields = (struct script_fields){0};
	for (int type = 0; type < TYPE_COUNT; type++)
		fields->types[type].on = usual;
	fields->types[TYPE_TRACEPOINT].on = FIELD_BIT(FIELD_COMM) | FIELD_BIT(FIELD_TID) |
					    FIELD_BIT(FIELD_CPU) | FIELD_BIT(FIELD_TIME) |
					    FIELD_BIT(FIELD_EVENT) | FIELD_BIT(FIELD_TRACE);
	fields->types[TYPE_RAW].on |= FIELD_BIT(FIELD_ADDR) | FIELD_BIT(FIELD_DATA_SRC) |
				      FIELD_BIT(FIELD_WEIGHT) | FIELD_BIT(FIELD_PHYS_ADDR) |
				      FIELD_BIT(FIELD_DATA_PAGE_SIZE) |
				      FIELD_BIT(FIELD_CODE_PAGE_SIZE) | FIELD_BIT(FIELD_INS_LAT);
	fields->types[TYPE_SYNTH].on &= ~FIELD_BIT(FIELD_PERIOD);
}

/* ---- Parsing --------------------------------------------------------------------------------- */

enum change {
	CHANGE_NONE,
	CHANGE_SET,
	CHANGE_ADD,
	CHANGE_REMOVE,
};

static void list_fields(struct plumb_diagnostics *diagnostics)
{
	char text[512];
	size_t at = 0;

	for (unsigned i = 0; i < FIELD_COUNT && at < sizeof(text); i++) {
		if (names[i].supported)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", at ? ", " : "",
					       names[i].name);
	}
	plumb_diagnostics_hint(diagnostics, "use %s", text);
}

/*
 * Finds a field by its name, or adds a finding. A field that is only removed need not be supported.
 */
static int find_field(const char *name, size_t length, bool removed,
		      struct plumb_diagnostics *diagnostics)
{
	char quoted[QUOTE_ROOM], text[NAME_MAX_BYTES] = "";
	struct near near;

	for (int i = 0; i < FIELD_COUNT; i++) {
		if (strlen(names[i].name) != length || memcmp(names[i].name, name, length) != 0)
			continue;
		if (names[i].supported || removed)
			return i;
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "unsupported-field", NULL,
				      "field '%s' of perf script is not supported", names[i].name);
		list_fields(diagnostics);
		return PLUMB_ERR_UNSUPPORTED;
	}
	quote_bytes(quoted, name, length);
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "unknown-field", NULL, "unknown field '%s'",
			      quoted);
	if (length < sizeof(text))
		memcpy(text, name, length);
	near = near_to(text);
	for (int i = 0; i < FIELD_COUNT && length < sizeof(text); i++)
		near_offer(&near, names[i].name, names[i].name);
	if (near.best)
		plumb_diagnostics_hint(diagnostics, "did you mean %s?", near.best);
	else
		list_fields(diagnostics);
	return PLUMB_ERR_NOT_FOUND;
}

static int find_type(const char *prefix, size_t length, struct plumb_diagnostics *diagnostics)
{
	char quoted[QUOTE_ROOM];

	for (int type = 0; type < TYPE_COUNT; type++) {
		const char *name = types[type].prefix;

		if (name && strlen(name) == length && memcmp(name, prefix, length) == 0)
			return type;
	}
	quote_bytes(quoted, prefix, length);
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "unknown-type", NULL,
			      "unknown type of events '%s'", quoted);
	plumb_diagnostics_hint(diagnostics, "use hw, sw, trace, raw, break or synth");
	return PLUMB_ERR_NOT_FOUND;
}

/* Returns which types cannot have a field. */
static bool is_invalid(int type, int field)
{
	return (field == FIELD_TRACE && type != TYPE_TRACEPOINT) ||
	       (field == FIELD_BPF_OUTPUT && type != TYPE_SOFTWARE && type != TYPE_TRACEPOINT);
}

static void change_field(struct type_fields *fields, int field, enum change change)
{
	if (change == CHANGE_REMOVE) {
		fields->on &= ~FIELD_BIT(field);
		fields->asked &= ~FIELD_BIT(field);
	} else {
		fields->on |= FIELD_BIT(field);
		fields->asked |= FIELD_BIT(field);
		/* The offset is printed with the file. */
		if (field == FIELD_DSOFF)
			fields->on |= FIELD_BIT(FIELD_DSO);
	}
	fields->set = true;
}

/* Reads one word; `only` is the type it is for, -1 for all. */
static int take_word(struct script_fields *fields, const char *word, size_t length, int only,
		     enum change *change, struct plumb_diagnostics *diagnostics)
{
	enum change asked = CHANGE_SET;
	int field;

	if (length && (*word == '+' || *word == '-')) {
		asked = *word == '+' ? CHANGE_ADD : CHANGE_REMOVE;
		word++;
		length--;
	}
	if (*change != CHANGE_NONE && (*change == CHANGE_SET) != (asked == CHANGE_SET)) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "mixed-fields", NULL,
				      "fields with + or - cannot be combined with fields without");
		plumb_diagnostics_hint(diagnostics, "use + or - for all fields, or for none");
		return PLUMB_ERR_ARGUMENT;
	}
	*change = asked;
	field = find_field(word, length, asked == CHANGE_REMOVE, diagnostics);
	if (field < 0)
		return field;
	if (field == FIELD_FLAGS) {
		fields->flags = asked != CHANGE_REMOVE;
		return 0;
	}
	for (int type = 0; type < TYPE_COUNT; type++) {
		if ((only < 0 || type == only) && !is_invalid(type, field))
			change_field(&fields->types[type], field, asked);
	}
	return 0;
}

int script_fields_parse(struct script_fields *fields, const char *text,
			struct plumb_diagnostics *diagnostics)
{
	const char *colon = strchr(text, ':'), *word = colon ? colon + 1 : text;
	enum change change = CHANGE_NONE;
	int only = -1;

	if (colon) {
		only = find_type(text, (size_t)(colon - text), diagnostics);
		if (only < 0)
			return only;
	} else if (*text == '\0') {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-fields", NULL,
				      "no field is left to print");
		list_fields(diagnostics);
		return PLUMB_ERR_ARGUMENT;
	}
	/* A list replaces the fields; with + and - it changes them. */
	for (int type = 0; type < TYPE_COUNT && !strpbrk(word, "+-"); type++) {
		if (only < 0 || type == only)
			fields->types[type] = (struct type_fields){.set = true};
	}
	while (*word) {
		size_t length = strcspn(word, ",");
		int status =
			length ? take_word(fields, word, length, only, &change, diagnostics) : 0;

		if (status < 0)
			return status;
		word += length + (word[length] == ',');
	}
	return 0;
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* What a sample must have for a field. */
static const struct {
	uint8_t field;
	bool of_aux;   /* samples from AUX data may have it even if their event does not say so */
	uint64_t bits; /* one of PERF_SAMPLE_* */
	const char *name;
} needs[] = {
	{FIELD_IP, false, PLUMB_SAMPLE_IP, "IP"},
	{FIELD_ADDR, true, PLUMB_SAMPLE_ADDR, "ADDR"},
	{FIELD_DATA_SRC, true, PLUMB_SAMPLE_DATA_SRC, "DATA_SRC"},
	{FIELD_WEIGHT, true, (PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_WEIGHT_STRUCT), "WEIGHT"},
	{FIELD_PID, false, PLUMB_SAMPLE_TID, "TID"},
	{FIELD_TID, false, PLUMB_SAMPLE_TID, "TID"},
	{FIELD_TIME, false, PLUMB_SAMPLE_TIME, "TIME"},
	{FIELD_CPU, true, PLUMB_SAMPLE_CPU, "CPU"},
	{FIELD_PHYS_ADDR, true, PLUMB_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
	{FIELD_DATA_PAGE_SIZE, false, PLUMB_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE"},
	{FIELD_CODE_PAGE_SIZE, false, PLUMB_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE"},
	{FIELD_INS_LAT, false, PLUMB_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
};

static int refuse(struct plumb_diagnostics *diagnostics, const char *field, const char *event,
		  const char *what)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "field-missing", NULL,
			      "cannot print '%s': samples of '%s' have no %s", field, event, what);
	plumb_diagnostics_hint(diagnostics, "remove the field, or record what it requires");
	return PLUMB_ERR_INVALID;
}

/* A field that requires another. */
static int refuse_alone(struct plumb_diagnostics *diagnostics, const char *field, const char *other)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "field-alone", NULL,
			      "cannot print '%s' without '%s'", field, other);
	plumb_diagnostics_hint(diagnostics, "add %s to the fields", other);
	return PLUMB_ERR_INVALID;
}

static int check_symbols(const struct type_fields *fields, uint64_t sample_type, const char *name,
			 struct plumb_diagnostics *diagnostics)
{
	bool address = sample_type & (PLUMB_SAMPLE_IP | PLUMB_SAMPLE_ADDR);

	if (fields->on & FIELD_BIT(FIELD_SYM) && !address)
		return refuse(diagnostics, "sym", name, "address");
	if (fields->on & FIELD_BIT(FIELD_SYMOFF) && !(fields->on & FIELD_BIT(FIELD_SYM)))
		return refuse_alone(diagnostics, "symoff", "sym");
	if (fields->on & FIELD_BIT(FIELD_SRCLINE) && !(fields->on & FIELD_BIT(FIELD_IP)))
		return refuse_alone(diagnostics, "srcline", "ip");
	if (fields->on & FIELD_BIT(FIELD_DSO) && !address)
		return refuse(diagnostics, "dso", name, "address");
	return 0;
}

int script_fields_check(struct script_fields *fields, const struct plumb_recorded_event *event,
			const char *name, bool aux, struct plumb_diagnostics *diagnostics)
{
	struct type_fields *type = &fields->types[script_event_type(&event->attr)];
	uint64_t sample_type = event->attr.sample_type;

	if (type->on == 0)
		return 0;
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		uint64_t bit = FIELD_BIT(needs[i].field);

		if (!(type->on & bit) || sample_type & needs[i].bits)
			continue;
		if (!(type->asked & bit))
			type->on &= ~bit;
		else if (!(needs[i].of_aux && aux))
			return refuse(diagnostics, names[needs[i].field].name, name, needs[i].name);
	}
	return check_symbols(type, sample_type, name, diagnostics);
}
