/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as text: the language of perf's -e, read into lists that can be counted (plumb/count.h)
 * and recorded (plumb/source.h).
 *
 *	LIST  := ITEM {',' ITEM}
 *	ITEM  := EVENT | [NAME] '{' EVENT {',' EVENT} '}' [':' MODIFIERS]
 *	EVENT := WORD [':' MODIFIERS] | WORD '/' [TERM {',' TERM}] '/' [[':'] MODIFIERS]
 *	TERM  := KEY | KEY '=' VALUE | KEY '=' "'" VALUE "'"
 *
 * WORD is an event or a metric of the CPU's specification, a code ("r1b", "0x1b"), one of perf's
 * generic, cache and software events ("cycles", "L1-dcache-load-misses", "task-clock"), perf's
 * TYPE:CONFIG ("4:0x1b"), or, before a '/', a PMU: "cpu", "armv8_pmuv3_0", "arm_spe_0", "spe".
 * Names are the same in either case; blanks around them do not matter.
 *
 * Generic and cache events stand for the CPU's own, as Linux's driver of Arm PMUs maps them
 * (drivers/perf/arm_pmuv3.c); plumb_event_name() lists which.
 */
#ifndef PLUMB_EVENT_H
#define PLUMB_EVENT_H

#include <plumb/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

enum plumb_event_kind {
	PLUMB_EVENT_PMU,      /* an event of the core's PMU; config is its code */
	PLUMB_EVENT_SOFTWARE, /* an event of the kernel's; config is PERF_COUNT_SW_... */
	PLUMB_EVENT_SPE,      /* the core's SPE unit */
	PLUMB_EVENT_METRIC,   /* a metric; config is its index in plumb_spec.metrics */
};

/* How an SPE unit samples: the fields of Linux's arm_spe PMU, as perf-arm-spe(1) has them. */
struct plumb_event_spe {
	bool ts_enable, pa_enable, pct_enable, jitter;
	bool load_filter, store_filter, branch_filter; /* none: all operations */
	bool simd_filter, float_filter;
	bool discard;
	uint16_t min_latency;      /* cycles, 0 to 4095 */
	uint64_t event_filter;     /* all of these events must have happened */
	uint64_t inv_event_filter; /* and none of these */
};

/* An event, and how it is to be counted or sampled. */
struct plumb_event_config {
	enum plumb_event_kind kind;
	const char *name;   /* as it was written, with its modifiers; or what name= says */
	const char *pmu;    /* that was named before a '/', or NULL */
	uint64_t config;    /* see enum plumb_event_kind */
	uint64_t config1;   /* of a PMU's driver; 1: count in 64 bits ("long") */
	uint64_t period;    /* events or operations between samples; 0: see frequency */
	unsigned frequency; /* samples a second; 0 too: the source's default */
	unsigned leader;    /* index of its group's first event; its own if it is in no group */
	bool exclude_user, exclude_kernel, exclude_hv; /* u, k, h */
	bool host, guest;  /* H, G: only these; neither: as the source does by default */
	bool exclude_idle; /* I */
	bool pinned;       /* D: always on a counter, or an error; of a group's leader */
	bool exclusive;    /* e: nothing else on the PMU meanwhile; of a group's leader */
	bool weak;         /* W: a group that does not fit is split up */
	bool sample_read;  /* S: the leader alone samples, and reads its group */
	uint8_t precise;   /* p: 0 to 3 */
	struct plumb_event_spe spe;
};

/* ---- reading ---------------------------------------------------------------------------------
 */

/* Zero, but for size, reads events of the kernel's software to be counted. */
struct plumb_event_options {
	size_t size; /* sizeof(struct plumb_event_options) */
	const struct plumb_spec
		*spec;      /* of the CPU; must outlive the list. NULL: there is no PMU */
	bool sampling;      /* SPE is allowed, metrics are not; else it is the other way round */
	bool all_user;      /* as if each had :u */
	bool all_kernel;    /* as if each had :k */
	uint64_t period;    /* of those that say neither period= nor freq= */
	unsigned frequency; /* likewise; not of SPE, which has none */
	/* Whether the CPU's PMU has this event of the specification; NULL: all of them. */
	bool (*counts)(const void *user, uint16_t code);
	const void *user;
};

/* At most this many events are in a list, each of whose texts is at most this long. */
#define PLUMB_EVENTS_MAX     256
#define PLUMB_EVENT_TEXT_MAX 16384

/* A growing list of events. Not thread-safe while it grows. */
struct plumb_event_list;

/*
 * Makes an empty list. Returns 0, ARGUMENT (all_user and all_kernel; period and frequency) or
 * NO_MEMORY. Free with plumb_event_list_free(), which takes NULL too.
 */
PLUMB_API int plumb_event_list_new(const struct plumb_event_options *options,
				   struct plumb_event_list **list);
PLUMB_API void plumb_event_list_free(struct plumb_event_list *list);

/*
 * Adds the events of a LIST. Returns 0, or, with the list as it was and a finding that names the
 * word and, as its hint, what is allowed or was probably meant:
 *	SYNTAX       it is no LIST, or has modifiers that do not exist
 *	NOT_FOUND    there is no such event, term or PMU
 *	INVALID      a term's value is out of range, or the event cannot be counted or sampled
 *	UNSUPPORTED  it is something of perf's that Plumb has not: a tracepoint, a breakpoint
 *	MACHINE      it takes a PMU, and options.spec is NULL
 *	LIMIT, NO_MEMORY
 */
PLUMB_API int plumb_event_list_add(struct plumb_event_list *list, const char *text,
				   struct plumb_diagnostics *diagnostics);

/* How many events there are, and the i-th (NULL past the end), which lives as long as the list. */
PLUMB_API size_t plumb_event_list_count(const struct plumb_event_list *list);
PLUMB_API const struct plumb_event_config *plumb_event_list_get(const struct plumb_event_list *list,
								size_t i);

/* ---- names -----------------------------------------------------------------------------------
 */

/* One of perf's own names. Static storage. */
struct plumb_event_name {
	enum plumb_event_kind kind;
	const char *name;
	const char *alias;  /* perf's other name for it, or NULL */
	const char *title;  /* what it counts, if it is a software event; else NULL */
	uint16_t config;    /* the code, or PERF_COUNT_SW_... */
	uint16_t otherwise; /* the code on CPUs without that event, or the same again */
};

/*
 * The i-th, or NULL past the end: generic events first, then cache events, then software events.
 * plumb_event_name_code() is the code that a PMU event's name stands for on the CPU of `options`:
 * the first of its two that the PMU has; -1: it has neither, or there is no PMU.
 */
PLUMB_API const struct plumb_event_name *plumb_event_name(size_t i);
PLUMB_API int plumb_event_name_code(const struct plumb_event_name *name,
				    const struct plumb_event_options *options);

#ifdef __cplusplus
}
#endif

#endif
