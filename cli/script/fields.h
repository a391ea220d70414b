/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fields of a sample are printed: perf script's -F, with perf 6.1's names, grammar and
 * defaults. Events are of a few types, and each type has fields of its own.
 */
#ifndef CLI_SCRIPT_FIELDS_H
#define CLI_SCRIPT_FIELDS_H

#include <plumb/recording.h>

enum field {
	FIELD_COMM,
	FIELD_TID,
	FIELD_PID,
	FIELD_TIME,
	FIELD_CPU,
	FIELD_EVENT,
	FIELD_TRACE,
	FIELD_IP,
	FIELD_SYM,
	FIELD_DSO,
	FIELD_ADDR,
	FIELD_SYMOFF,
	FIELD_SRCLINE,
	FIELD_PERIOD,
	FIELD_IREGS,
	FIELD_UREGS,
	FIELD_BRSTACK,
	FIELD_BRSTACKSYM,
	FIELD_DATA_SRC,
	FIELD_WEIGHT,
	FIELD_BPF_OUTPUT,
	FIELD_CALLINDENT,
	FIELD_INSN,
	FIELD_INSNLEN,
	FIELD_BRSTACKINSN,
	FIELD_BRSTACKOFF,
	FIELD_SYNTH,
	FIELD_PHYS_ADDR,
	FIELD_METRIC,
	FIELD_MISC,
	FIELD_SRCCODE,
	FIELD_IPC,
	FIELD_TOD,
	FIELD_DATA_PAGE_SIZE,
	FIELD_CODE_PAGE_SIZE,
	FIELD_INS_LAT,
	FIELD_BRSTACKINSNLEN,
	FIELD_MACHINE_PID,
	FIELD_VCPU,
	FIELD_FLAGS, /* of all types at once */
	FIELD_COUNT
};
#define FIELD_BIT(field) (UINT64_C(1) << (field))

/* Types of events: PERF_TYPE_*, and two more. */
enum event_type {
	TYPE_HARDWARE,
	TYPE_SOFTWARE,
	TYPE_TRACEPOINT,
	TYPE_HW_CACHE,
	TYPE_RAW,
	TYPE_BREAKPOINT,
	TYPE_SYNTH,
	TYPE_OTHER, /* of any other PMU: SPE's own */
	TYPE_COUNT
};

struct script_fields {
	struct type_fields {
		uint64_t on;    /* bits of FIELD_BIT() */
		uint64_t asked; /* for by the user, by name */
		bool set;       /* by the user in some way */
	} types[TYPE_COUNT];
	bool flags;
};

/* perf's defaults. */
void script_fields_init(struct script_fields *fields);

/*
 * Takes in one -F: "tid,ip,sym", "hw:tid,ip", "+addr,-sym". Returns 0, or NOT_FOUND (a field or
 * type), UNSUPPORTED (one of perf's that Plumb does not print), ARGUMENT, with a finding.
 */
int script_fields_parse(struct script_fields *fields, const char *text,
			struct plumb_diagnostics *found);

/* The type of an event. */
enum event_type script_event_type(const struct plumb_event_attr *attr);

/*
 * Looks whether the samples of `event` have what is to be printed of them. A field that is only on
 * by default is left out then; for one that was asked for PLUMB_ERR_INVALID comes back, with a
 * finding. `aux`: the recording has AUX data, of which samples are made that may have more.
 */
int script_fields_check(struct script_fields *fields, const struct plumb_recorded_event *event,
			const char *name, bool aux, struct plumb_diagnostics *found);

/* Whether a field is printed of events of a type. */
static inline bool script_prints(const struct script_fields *fields, enum event_type type,
				 enum field field)
{
	return fields->types[type].on & FIELD_BIT(field);
}

/* The i-th field's name; NULL past the end. `*supported`: Plumb prints it. */
const char *script_field_name(unsigned i, bool *supported);

#endif
