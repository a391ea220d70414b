/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Annotation: what a recording says about each instruction of a function, and each line of its
 * source.
 *
 *	plumb_annotation_new(&options, recording, symbolizer, &annotation);
 *	while ((status = plumb_samples_next(samples, &item)) > 0)
 *		plumb_annotation_add(annotation, item);
 *	plumb_annotation_finish(annotation);
 *	plumb_annotation_code(annotation, 0, &code); // of the hottest function
 *
 * Each instruction has a weight, by which functions, lines and instructions are ranked; see enum
 * plumb_annotation_basis. Memory use is bounded, however long the recording is. One thread at a
 * time may use an annotation.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_ANNOTATE_H
#define PLUMB_ANNOTATE_H

#include <plumb/cost.h>
#include <plumb/samples.h>
#include <plumb/symbol.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_annotation;

/* What weights are. */
enum plumb_annotation_basis {
	PLUMB_BASIS_NONE, /* there are no samples */
	/* Exact profiles: the instruction's slots, used or lost because of it. */
	PLUMB_BASIS_SLOTS,
	/*
	 * SPE records: slots, estimated by what each operation holds up. To find out, the model's
	 * core executes the function as the records describe it. Operations that wait for others,
	 * or overlap with them, add little. If a filter left out operations, the weights are cycles
	 * from issue to completion instead.
	 */
	PLUMB_BASIS_LATENCY,
	/* Samples of an event: the sum of their periods. */
	PLUMB_BASIS_EVENT,
};

struct plumb_annotation_options {
	size_t size; /* sizeof(struct plumb_annotation_options) */
	/* Cycles that a misprediction costs, which SPE records do not show; 0: 10. */
	unsigned mispredict_cycles;
	/* Tells whether to add a sample; NULL: all. `location` is that of its instruction. */
	bool (*wants)(void *user, const struct plumb_samples_item *item,
		      const struct plumb_location *location);
	void *user;
	/* The core that SPE records come from, or the one most like it; NULL: the model's default.
	 */
	const struct plumb_cost_core *core;
	/* The caller adds SPE records of some operations only, chosen by what they did. The
	 * recording's own filter is known without this. */
	bool filtered;
	/* What lies between these addresses, as disassemblers show them, is a function by itself,
	 * whatever symbols say. `part_end` 0: there is none. */
	uint64_t part_start, part_end;
};

/*
 * Makes an empty annotation. `recording` and `symbolizer` must live as long as it. Returns 0,
 * NO_MEMORY, or ARGUMENT if `options` has no size or sets members that this version lacks.
 */
PLUMB_API int plumb_annotation_new(const struct plumb_annotation_options *options,
				   const struct plumb_recording *recording,
				   struct plumb_symbolizer *symbolizer,
				   struct plumb_annotation **annotation);
PLUMB_API void plumb_annotation_free(struct plumb_annotation *annotation); /* accepts NULL */

/*
 * Adds an item of the stream: counts samples, and gives other records to the symbolizer. SPE
 * records must come once each (plumb_samples_options.each_record_once). Returns 0 or NO_MEMORY.
 */
PLUMB_API int plumb_annotation_add(struct plumb_annotation *annotation,
				   const struct plumb_samples_item *item);

/* Ranks functions. Call it once, after the last sample. Returns 0 or NO_MEMORY. */
PLUMB_API int plumb_annotation_finish(struct plumb_annotation *annotation);

struct plumb_annotation_summary {
	enum plumb_annotation_basis basis;
	const char *event; /* whose periods the weights are; NULL: see the basis */
	double weight;     /* of all samples */
	uint64_t samples;  /* on the basis; 0 for an exact profile */
	uint64_t without;  /* more samples, whose function is unknown */
	uint64_t given_up; /* samples that the limit on memory cost */
	bool latencies;    /* some samples have them */
	/* Weights are slots by a replay, instead of latencies. They are in proportion to each
	 * other, but not to those of other samples of the same recording. */
	bool replayed;
	size_t function_count; /* with a symbol and a weight */
	/* The heaviest instruction without a function, as disassemblers show it; 0: there is none.
	 */
	uint64_t unknown_address;
	/* The code from unknown_start to unknown_stop, around it, weighs more than any function,
	 * and can be read. */
	bool unknown_leads;
	uint64_t unknown_start, unknown_stop;
	/* Of an exact profile of a sampled run: how many windows of it were modelled, from which
	 * all counts are estimated. 0: they were counted. */
	uint64_t windows;
};
/* Describes all samples together, after plumb_annotation_finish(). */
PLUMB_API void plumb_annotation_summary(const struct plumb_annotation *annotation,
					struct plumb_annotation_summary *summary);

struct plumb_annotated_function {
	const struct plumb_symbol *symbol;
	struct plumb_symbol_file *file;
	double weight;
	double share; /* 0 to 1, of all samples' weight */
	/* 95 % confidence interval of the share, for windows of a sampled run and for slots by a
	 * replay. NaN: otherwise. */
	double low, high;
};
/* Describes the i-th function, the heaviest first. Returns false past the end. */
PLUMB_API bool plumb_annotation_function(const struct plumb_annotation *annotation, size_t i,
					 struct plumb_annotated_function *function);

/* ---- Code ------------------------------------------------------------------------------------ */

/* Why an instruction has its weight. */
struct plumb_annotated_cause {
	const char *name; /* of an exact profile's slots: "backend_mem"; of SPE records: the data's
			     source, "TLB walk", "mispredicted", "execution" */
	double weight;    /* slots, or cycles from issue to completion */
	double share;     /* 0 to 1, of the instruction's causes */
};
#define PLUMB_ANNOTATED_CAUSES 4

struct plumb_annotated_instruction {
	uint64_t address;         /* as plumb_location.address */
	uint64_t virtual_address; /* as disassemblers show it */
	uint32_t word;
	double weight;
	double share;        /* 0 to 1, of the function's weight */
	double low, high;    /* as plumb_annotated_line's */
	uint64_t samples;    /* 0 for an exact profile */
	uint64_t executions; /* of an exact profile; otherwise 0 */
	/* Means of the samples that have them, in cycles. NaN: none has. */
	double total_latency, issue_latency;
	/* Accesses to the L1D cache and those that missed, branches and those that were
	   mispredicted: all of them in an exact profile, otherwise those of the samples. */
	uint64_t accesses, misses, branches, mispredictions;
	struct plumb_annotated_cause causes[PLUMB_ANNOTATED_CAUSES]; /* the largest first */
	unsigned cause_count;
};

/* A line of source with instructions, and the inlined function that it is in. */
struct plumb_annotated_line {
	const char *function; /* NULL: unknown */
	const char *file;     /* NULL: unknown; relative to `folder` unless absolute */
	const char *folder;   /* NULL: unknown */
	unsigned line;        /* 0: unknown */
	double weight, share; /* the sums of its instructions' */
	/* 95 % confidence interval of the share. NaN: counted exactly, or too few samples or
	 * windows. */
	double low, high;
	uint64_t samples; /* the sum of its instructions' */
	uint32_t first;   /* its first instruction, an index of plumb_annotated_code.order */
	uint32_t count;
};

struct plumb_annotated_code {
	struct plumb_annotated_function function;
	struct plumb_annotated_instruction *instructions; /* in the order of addresses */
	uint32_t *words;                                  /* of all; NULL: the code is unknown */
	size_t count;
	/* Lines by function, file and number: the function's own first, then those of functions
	   inlined into it. `order` has the indexes of all instructions, line by line. */
	struct plumb_annotated_line *lines;
	size_t line_count;
	uint32_t *order;
};

/*
 * Reads the code of the i-th function with its source lines and what the samples say about each
 * instruction. If the code cannot be read, there are only instructions with samples. Returns 0,
 * NO_MEMORY, ARGUMENT if there is no i-th function, or LIMIT if it has more than 2^20 instructions.
 * Free it in any case.
 */
PLUMB_API int plumb_annotation_code(struct plumb_annotation *annotation, size_t i,
				    struct plumb_annotated_code *code);
PLUMB_API void plumb_annotated_code_free(struct plumb_annotated_code *code);

#ifdef __cplusplus
}
#endif

#endif
