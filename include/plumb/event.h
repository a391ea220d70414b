/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the language of perf's -e into lists of events, which can be counted (plumb/count.h) and
 * recorded (plumb/source.h).
 *
 *	LIST  := ITEM {',' ITEM}
 *	ITEM  := EVENT | [NAME] '{' EVENT {',' EVENT} '}' [':' MODIFIERS]
 *	EVENT := WORD [':' MODIFIERS] | WORD '/' [TERM {',' TERM}] '/' [[':'] MODIFIERS]
 *	TERM  := KEY | KEY '=' VALUE | KEY '=' "'" VALUE "'"
 *
 * WORD is an event or a metric of the CPU's specification, a code ("r1b", "0x1b"), one of perf's
 * generic, cache and software events ("cycles", "L1-dcache-load-misses", "task-clock"), perf's
 * TYPE:CONFIG ("4:0x1b"), or, before a '/', a PMU: "cpu", "armv8_pmuv3_0", "arm_spe_0", "spe",
 * "arm_cmn_0".
 * Case, and blanks around names, are ignored.
 *
 * Generic and cache events stand for events of the CPU. The mapping is that of Linux's driver of
 * Arm PMUs (drivers/perf/arm_pmuv3.c); plumb_event_name() lists it.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_EVENT_H
#define PLUMB_EVENT_H

#include <plumb/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

enum plumb_event_kind {
	PLUMB_EVENT_PMU,      /* an event of the core's PMU; config is its code */
	PLUMB_EVENT_SOFTWARE, /* a software event of the kernel; config is PERF_COUNT_SW_... */
	PLUMB_EVENT_SPE,      /* the core's SPE unit */
	PLUMB_EVENT_METRIC,   /* a metric; config is its index in plumb_spec.metrics */
	PLUMB_EVENT_OTHER,    /* an event of a PMU that belongs to no core; see its driver */
};

/* How an SPE unit samples: the fields of Linux's arm_spe PMU, as in perf-arm-spe(1). */
struct plumb_event_spe {
	bool ts_enable, pa_enable, pct_enable, jitter;
	bool load_filter, store_filter, branch_filter; /* none: all operations */
	bool simd_filter, float_filter;
	/* Whether that type's condition must be met, not just one of the filters'. */
	bool load_filter_mask, store_filter_mask, branch_filter_mask;
	bool simd_filter_mask, float_filter_mask;
	bool discard;              /* write no records: only the PMU's events of the unit count */
	uint16_t min_latency;      /* cycles, 0 to 4095 */
	uint64_t event_filter;     /* all of these events must have happened */
	uint64_t inv_event_filter; /* and none of these */
	uint64_t inv_data_src_filter; /* bit N: drop records with data source N */
	/* Keep only these data sources: names or numbers with '+' between them, as in a filter
	 * (plumb/spe_filter.h), for the core that samples; NULL: all. */
	const char *data_source;
};

/* An event, and how to count or sample it. */
struct plumb_event_config {
	enum plumb_event_kind kind;
	const char *name;   /* as written, with its modifiers; or the value of name= */
	bool named;         /* by name= */
	const char *pmu;    /* the name before a '/', in lower case, or NULL */
	uint64_t config;    /* see enum plumb_event_kind */
	uint64_t config1;   /* for the PMU's driver; a core's: 1: count in 64 bits ("long") */
	uint64_t period;    /* events or operations between samples; 0: see frequency */
	unsigned frequency; /* samples per second; if period is 0 too, the source's default */
	unsigned leader;    /* index of its group's first event; its own if it is in no group */
	bool exclude_user, exclude_kernel, exclude_hv; /* u, k, h */
	bool host, guest;  /* H, G: only these; neither: the source's default */
	bool exclude_idle; /* I */
	bool pinned;       /* D: always on a counter, or an error; group leaders only */
	bool exclusive;    /* e: nothing else on the PMU meanwhile; group leaders only */
	bool weak;         /* W: split the group up if it does not fit the counters */
	bool sample_read;  /* S: only the leader samples, and it reads the group's counts */
	uint8_t precise;   /* p: 0 to 3 */
	struct plumb_event_spe spe;
	/*
	 * For a member of a group with S that counts the same as its leader: it samples, too, each
	 * time this many counts after the leader. 0: it does not.
	 */
	uint64_t strobe;
	uint64_t config2; /* for the driver of another PMU than a core's */
};

/* A term between slashes. */
struct plumb_event_term {
	const char *key, *value; /* value: NULL if there is none */
};

/* ---- reading ---------------------------------------------------------------------------------
 */

/* If only `size` is set, accepts software events, for counting. */
struct plumb_event_options {
	size_t size; /* sizeof(struct plumb_event_options) */
	const struct plumb_spec
		*spec;      /* of the CPU; must outlive the list. NULL: there is no PMU */
	bool sampling;      /* allow SPE but no metrics; otherwise metrics, and SPE with discard */
	bool all_user;      /* as if each event had :u */
	bool all_kernel;    /* as if each event had :k */
	uint64_t period;    /* default of events without period= and freq= */
	unsigned frequency; /* likewise; does not apply to SPE */
	/* Tells whether the CPU's PMU has this event of the specification; NULL: it has all. */
	bool (*counts)(const void *user, uint16_t code);
	const void *user;
	/*
	 * Finds the event of a PMU that belongs to no core, and sets config, config1 and config2.
	 * Returns 0, 1 if there is no PMU called config->pmu, or an error with a finding. NULL:
	 * there are no such PMUs.
	 */
	int (*other)(const void *user, const struct plumb_event_term *terms, size_t count,
		     struct plumb_event_config *config, struct plumb_diagnostics *diagnostics);
};

/* The maximum number of events in a list, and of bytes in a text. */
#define PLUMB_EVENTS_MAX     256
#define PLUMB_EVENT_TEXT_MAX 16384

/* A growing list of events. Not thread-safe while it grows. */
struct plumb_event_list;

/*
 * Makes an empty list. Returns 0, ARGUMENT (all_user and all_kernel; period and frequency) or
 * NO_MEMORY. Free with plumb_event_list_free(), which accepts NULL.
 */
PLUMB_API int plumb_event_list_new(const struct plumb_event_options *options,
				   struct plumb_event_list **list);
PLUMB_API void plumb_event_list_free(struct plumb_event_list *list);

/*
 * Parses `text`, a LIST, and adds its events. Returns 0 or an error. After an error the list is
 * unchanged, and a finding names the word; its hint says what is allowed or was probably meant.
 *	SYNTAX       the text is not a LIST, or has unknown modifiers
 *	NOT_FOUND    there is no such event, term or PMU
 *	INVALID      a term's value is out of range, or the event cannot be counted or sampled
 *	UNSUPPORTED  Plumb does not support this part of perf's language, such as tracepoints
 *	MACHINE      the event requires a PMU, and options.spec is NULL
 *	LIMIT, NO_MEMORY
 */
PLUMB_API int plumb_event_list_add(struct plumb_event_list *list, const char *text,
				   struct plumb_diagnostics *diagnostics);

/* Return the number of events, and the i-th, which lives as long as the list; NULL past the end. */
PLUMB_API size_t plumb_event_list_count(const struct plumb_event_list *list);
PLUMB_API const struct plumb_event_config *plumb_event_list_get(const struct plumb_event_list *list,
								size_t i);

/* ---- names -----------------------------------------------------------------------------------
 */

/* One of perf's names for events. Static storage; may grow. */
struct plumb_event_name {
	enum plumb_event_kind kind;
	const char *name;
	const char *alias;  /* perf's other name for it, or NULL */
	const char *title;  /* what a software event counts; NULL for others */
	uint16_t config;    /* the code, or PERF_COUNT_SW_... */
	uint16_t otherwise; /* the code to use on CPUs without `config`; may be the same */
};

/*
 * plumb_event_name() returns the i-th name, or NULL past the end: generic events first, then cache
 * events, then software events. plumb_event_name_code() returns the code that a PMU event's name
 * stands for on the CPU of `options`: `config`, or `otherwise` if the PMU lacks that; -1 if it
 * lacks both, or there is no PMU.
 */
PLUMB_API const struct plumb_event_name *plumb_event_name(size_t i);
PLUMB_API int plumb_event_name_code(const struct plumb_event_name *name,
				    const struct plumb_event_options *options);

#ifdef __cplusplus
}
#endif

#endif
