/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a profile: include/plumb/profile.h. */
#ifndef PROFILE_PROFILE_H
#define PROFILE_PROFILE_H

#include <plumb/profile.h>

#include "base/arena.h"
#include "profile/control_groups.h"
#include "profile/estimate.h"
#include "profile/groups.h"
#include "profile/instructions.h"
#include "profile/latency_counts.h"
#include "profile/profile_hot.h"
#include "profile/record_sums.h"
#include "recording/tasks.h"

#define NO_ROW UINT32_MAX

/* A hash table of the indexes of an array's elements; the array's owner compares them. */
struct index_table {
	uint32_t *slots; /* UINT32_MAX: free */
	size_t mask, count;
};

/* Make room for `count` elements, or for one more, given the hash of each. Return false if out of
 * memory. */
bool index_table_reserve_for(struct index_table *table,
			     uint64_t (*hash)(const void *owner, uint32_t i), const void *owner,
			     size_t count);
bool index_table_reserve(struct index_table *table, uint64_t (*hash)(const void *owner, uint32_t i),
			 const void *owner);
static inline uint64_t hash_words(const uint64_t *words, size_t count)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

/* Texts, each kept once, so that equal ones have equal addresses. */
struct text_table {
	struct arena arena;
	const char **at;
	size_t count, room;
	struct index_table index;
};
/* Returns the kept copy of `text`, or NULL if out of memory. */
const char *text_table_keep(struct text_table *table, const char *text);
void text_table_free(struct text_table *table);

/* A sample's values: above the line, and below it. */
struct pair {
	double above, below;
};

/* ---- Rows ------------------------------------------------------------------------------------ */

/*
 * What a tally of estimate.h needs of a row, without its size: sums over the row's samples of their
 * values above the line, and of the steps between neighbours.
 */
struct sums {
	uint64_t samples, period;
	double above[3]; /* sums of the first three powers */
	double steps_above, steps_both;
};

struct row {
	struct sums own;
	uint32_t nodes;  /* the first node of its call tree; NO_ROW: none */
	bool hidden;     /* none of its samples is shown */
	double *batches; /* with options.batches: see ROW_WITHIN; NULL: none */
	double *groups;  /* of its own samples, as groups_add() makes them; NULL: none */
};

/* What a row has of its callees, too. */
struct row_callees {
	struct sums sums;
	uint64_t mark; /* number of the last sample that was counted with callers */
	double *groups;
};

/* What a row has of branch stacks, with options.branches. */
struct row_branches {
	uint64_t stack;                         /* the last one with a branch of the row ... */
	uint32_t here, known_here, missed_here; /* ... which has so many of them */
	double squares;                         /* of the row's branches in each stack */
	double both;                            /* ... times all branches of the stack */
	uint64_t known, missed;                 /* with a known prediction; mispredicted */
	double known_squares, missed_squares, missed_both;
};

/*
 * PLUMB_KEY_ACCESS: what an instruction does to memory. The packet of a record of ldadd, cas or swp
 * says that it is an atomic load.
 */
enum { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC, ACCESSES };

/* A key's value takes two words; a row begins with the index of its event. */
#define WORDS_MAX (1 + 2 * PLUMB_PROFILE_KEYS_MAX)

/* Samples take turns in these, each with all events that it is a sample of. */
#define PROFILE_BATCHES 16
/*
 * The windows between the samples of a group: those that its leader ends; and those that a strobed
 * member ends, which are short and begin with a sample of the leader.
 */
enum window_kind { WINDOW_FAR, WINDOW_NEAR, WINDOW_KINDS };
/*
 * A row's batches: periods of each batch of samples; by kind, those of windows within the row's
 * function, and those of them after which the next sample was in the function, too; the sum of
 * windows that began elsewhere; and, in the row of a group's leader, that of windows that began in
 * the row and ended elsewhere, by event, as far as there is room.
 */
#define ROW_WITHIN(kind)  ((size_t)PROFILE_BATCHES * (1 + (kind)))
#define ROW_STAYED(kind)  ((size_t)PROFILE_BATCHES * (1 + WINDOW_KINDS + (kind)))
#define ROW_ENTERED(kind) (ROW_STAYED(WINDOW_KINDS) + (kind))
#define ROW_LEFT(kind)    (ROW_ENTERED(WINDOW_KINDS) + (size_t)LEFT_MAX * (kind))
#define LEFT_MAX          32
#define ROW_ROOM          ROW_LEFT(WINDOW_KINDS)

struct node {
	uint32_t row, parent; /* NO_ROW: a root */
	uint32_t next;        /* of the row */
	uint64_t function[2]; /* as PLUMB_KEY_SYMBOL */
	struct sums sums;     /* of the paths through it */
	uint64_t own;
	uint64_t mark;  /* as that of row_callees */
	double *groups; /* of the paths that end at it; NULL: none */
};

/* An event with what is added up for it. */
struct profiled_event {
	struct plumb_profile_event public;
	double periods[3]; /* sums of the first three powers of the samples' periods */
	uint64_t members;  /* samples with a period */
	uint64_t pairs;
	double steps;   /* between the periods of neighbours, squared */
	double latency; /* sum of the total latencies */
	struct sampling sampling;
	uint64_t not_shown[2]; /* samples that options.shows refused; the sum of their periods */
	uint32_t groups_known; /* those whose windows are in public.windows: a bit for each */
	double *groups;        /* of all its samples; NULL: none */
	uint32_t *order;       /* of its rows, the largest first */
};

/* A recorded event whose samples are added to those of another one. */
struct counted_as {
	const struct plumb_recorded_event *recorded;
	size_t event; /* its index */
};

/* CPUs, threads or rings whose neighbours are known; the samples of others have none. */
#define LANES_MAX 65536

/* What was counted in the last window of a group, while it may still turn out to have stayed. */
struct last_window {
	enum window_kind kind;
	unsigned batch;
	size_t count;
	struct {
		uint32_t row;
		double period;
	} at[LEFT_MAX];
};

/* The samples of a CPU or a thread, of which neighbours are compared. */
struct lane {
	uint64_t key[2];
	bool begun;
	double period; /* of the last sample */
	uint32_t row;
	const void *function;        /* of the last sample, with options.batches */
	bool strobed;                /* it is by a member of the group */
	struct last_window *window;  /* that of a group's leader; NULL: none yet */
	bool open;                   /* its last sample is an SPE record ... */
	bool in_batches;             /* ... of a batch ... */
	struct record_values values; /* ... with these values */
	uint32_t *counted;           /* rows that counted it with their callers */
	size_t counted_count, counted_room;
	uint32_t *ends; /* nodes of call trees where its paths ended */
	size_t ends_count, ends_room;
	uint64_t mark; /* its number */
};

/* A place in code that was looked up before. */
struct place {
	const struct process *process; /* NULL: of no thread */
	uint64_t generation;
	enum plumb_cpu_mode mode;
	bool returns; /* it is that of the call before the address */
	struct plumb_location location;
	/* Without a symbol: the function that it is in, with bounds but without a name; NULL:
	 * unknown. */
	const struct plumb_symbol *bounds;
	const char *dso;             /* the file's short name; NULL: not made yet */
	const char *line, *filename; /* of the source; NULL: not looked up */
	bool unfolded;               /* the next two are set */
	uint8_t levels;              /* functions that are inlined there, one in the other */
	uint32_t inlined;            /* the innermost in plumb_profile.inlined; 0: none */
	bool decoded;                /* `operation` is set */
	struct word_operation operation;
};
#define PLACE_COUNT         16384
#define PLACE_INLINED_WORDS 4 /* of a function in plumb_profile.inlined: see profile_source.c */

/* What keys of code need: the values of each code once, two words a key. Its index plus 1 is its
 * number. */
struct code_table {
	uint64_t *values;
	uint32_t *hashes;
	size_t count, room, words;
	size_t most; /* codes; 0: a default */
	struct index_table index;
};

/*
 * What records have in common that have the same code, or the same row, if they themselves are
 * alike. Members that no key depends on are 0.
 */
struct origin {
	const void *owner; /* of the code: the process; of the row: the thread's name */
	uint64_t generation;
	int32_t pid, tid, cpu;
	uint32_t midr, event, space;
	uint32_t number; /* no two have the same; 0: none */
};
#define ORIGIN_WAYS ((size_t)4)
#define ORIGINS     (1024 * ORIGIN_WAYS)
#define ORIGINS_MAX UINT32_MAX

/*
 * Decides which functions have rows of PLUMB_KEY_INLINE. Returns the name of the row, which lives
 * as long as the profile; NULL for an inlined function that has none: its code then belongs to what
 * it is inlined into. A symbol always has a row.
 */
struct profile_naming {
	const char *(*function)(void *user, const char *name, bool inlined);
	void *user;
};

struct plumb_profile {
	struct plumb_profile_options options;
	const struct profile_naming *naming; /* set before samples are added; NULL: all */
	uint8_t keys[PLUMB_PROFILE_KEYS_MAX];
	size_t words; /* of a row */
	const struct plumb_recording *recording;
	struct plumb_symbolizer *symbolizer;
	struct text_table texts;
	const char *unknown; /* the name of no file */
	/* The file whose short name was asked for last. */
	const struct plumb_symbol_file *last_file;
	const char *last_dso;
	uint32_t exact_type; /* the PMU of exact events; 0: none */
	struct grouping grouping;

	struct control_groups control_groups;

	struct profiled_event *events;
	size_t event_count;
	struct counted_as *counted_as;
	size_t counted_as_count;
	struct row *rows;
	uint64_t *values;              /* `words` of each row */
	uint32_t *hashes;              /* of the values of each row */
	struct record_sums *records;   /* of each row */
	struct row_callees *callees;   /* likewise, with options.children; NULL: without */
	struct row_branches *branches; /* likewise, with options.branches */
	size_t row_count, row_room;
	size_t rows_cleared; /* those behind row_count up to here are empty */
	struct index_table by_values;
	bool unindexed; /* it is to be made anew first */
	struct node *nodes;
	size_t node_count, node_room;
	struct index_table by_path;
	struct latencies latencies;
	bool wide_counters;   /* some latency is above COUNTER_MAX */
	uint64_t last_offset; /* of the sample that was added last */
	unsigned batch;       /* its number */
	bool within; /* the one before it, in its thread or CPU, was in the same function */
	enum window_kind kind; /* of the window between these two ... */
	bool torn;             /* ... which are not those of one window */
	size_t leader;         /* the lane of the leader of its group */
	uint32_t left; /* the row of the one before it, if that was in another; NO_ROW: none */
	struct plumb_profile_node *tree; /* of the last plumb_profile_tree() */
	/* Of the last plumb_profile_topdown_tree(), and for plumb_profile_topdown_of(). */
	struct plumb_profile_topdown_node *slots_tree;
	struct topdown *slots;

	struct lane *lanes;
	size_t lane_count, lane_room;
	struct index_table by_lane;

	struct place *places;
	struct origin *origins; /* NULL: not used yet */
	uint32_t origin_count;
	struct hot hot;
	struct code_table codes;
	struct code_table inlined; /* see profile_source.c */
	bool unfolds;              /* functions that are inlined have rows, and are in call trees */
	struct code_reader *code;  /* NULL: not used yet */
	struct tallies tallies;    /* of records that were added in batches */
	uint64_t generation;       /* of the address spaces */
	uint64_t tasks_generation; /* of those and of the threads' names */
	uint64_t numbers_generation;                   /* of the rows' and codes' numbers */
	uint64_t mark;                                 /* number of samples */
	const char *comm;                              /* of the last sample */
	const struct plumb_recorded_event *last_event; /* for options.takes */
	bool last_taken;
	bool finished;
};

/* profile_samples.c: adds an item of the stream. Returns 0 or NO_MEMORY. */
int profile_add_item(struct plumb_profile *profile, const struct plumb_samples_item *item);

/* profile.c: looks up a place, for `place`. */
void place_look_up(struct plumb_profile *profile, const struct plumb_task *task,
		   struct plumb_frame frame, struct place *place);
/* Likewise one that may have been looked up before. It is valid until the next call. */
struct place *place_find(struct plumb_profile *profile, const struct plumb_task *task,
			 struct plumb_frame frame);

/* Likewise finds or makes an event; NULL: out of memory. */
struct profiled_event *profiled_event_find(struct plumb_profile *profile,
					   const struct plumb_samples_item *item);
/* profile_samples.c: finds or makes a lane; NULL: out of memory. */
struct lane *lane_find(struct plumb_profile *profile, const uint64_t key[2]);
static inline uint64_t lane_of_ring(uint32_t ring)
{
	return (uint64_t)ring << 2;
}
/* Likewise finds or makes a row. Returns 0 or NO_MEMORY; LIMIT: it is new, and there are
 * options.rows_max. */
struct frame_values;
int row_find(struct plumb_profile *profile, const struct frame_values *frame, uint32_t *row);

/* profile_batch.c: makes the next sample of a lane one without a neighbour before it. */
void lane_end(struct plumb_profile *profile, struct lane *lane);
/* Likewise ends all lanes of SPE records, and adds tallies to the sums of records. */
void batches_flush(struct plumb_profile *profile);
/* Sets a row's own sums from those of records, after all were added. */
void batches_settle(struct plumb_profile *profile, size_t row);

/* profile_topdown.c: what an event of exact recordings says of a slot; doc/samples.md lists them.
 */
enum slots { SLOTS_NONE, SLOTS_RETIRING, SLOTS_BAD_SPECULATION, SLOTS_FRONTEND, SLOTS_BACKEND };
/* Tells which slots an event counts. Slots after a flush are lost to the speculation before it. */
enum slots slots_of(const struct plumb_profile_event *event);

/* profile.c: returns how often the event happened since the sample before. */
uint64_t profile_period(const struct plumb_samples_item *item);

/* Returns how SPE sampled, or NULL if that is unknown; and whether the unit left out operations. */
const struct plumb_event_attr *profile_spe_attr(const struct plumb_recording *recording);
bool profile_spe_is_filtered(const struct plumb_event_attr *attr);

/*
 * Returns room for how many rows to take if there is none for more than `room`. Many are moved
 * rarely. But each of their arrays may be in huge pages, which take time to clear, so there is not
 * room for all of them from the beginning.
 */
static inline size_t rows_room(size_t room)
{
	return room < 4096 ? 2 * room : 4 * room;
}
/* Returns room for fewer rows, after there was no memory for `room`; 0: there is none for more than
 * the `used` ones. */
static inline size_t rows_less_room(size_t room, size_t used)
{
	return room - used < 64 ? 0 : room - (room - used) / 2;
}

/* profile_rows.c: finds or makes a row with these values. Returns 0, NO_MEMORY or LIMIT. */
int rows_find(struct plumb_profile *profile, const uint64_t *values, uint32_t *row);
/* Likewise with the values' hash, which rows_expect() may have fetched the row by. */
int rows_find_hashed(struct plumb_profile *profile, const uint64_t *values, uint32_t hash,
		     uint32_t *row);
static inline uint32_t rows_hash(const struct plumb_profile *profile, const uint64_t *values)
{
	return (uint32_t)hash_words(values, profile->words);
}
static inline void rows_expect(const struct plumb_profile *profile, uint32_t hash)
{
	if (profile->by_values.slots)
		__builtin_prefetch(&profile->by_values.slots[hash & profile->by_values.mask]);
}
static inline const uint64_t *row_values(const struct plumb_profile *profile, uint32_t row)
{
	return profile->values + (size_t)row * profile->words;
}
/* Once what rows_expect() fetches is there, fetches what values of this hash are compared with. */
static inline void rows_expect_values(const struct plumb_profile *profile, uint32_t hash)
{
	const struct index_table *table = &profile->by_values;
	const uint32_t row = table->slots ? table->slots[hash & table->mask] : UINT32_MAX;

	if (row == UINT32_MAX)
		return;
	__builtin_prefetch(&profile->hashes[row]);
	__builtin_prefetch(row_values(profile, row));
	__builtin_prefetch(row_values(profile, row) + profile->words - 1);
}
/* Likewise makes a row, for which the limit has room, without values. Returns false if out of
 * memory.
 */
bool rows_append(struct plumb_profile *profile, uint32_t *row);
/* Returns a row's size, by which rows are given up. */
uint64_t rows_size(const struct plumb_profile *profile, size_t i);
/* Adds what a row has that is given up to its event: its own period. `largest` becomes the largest
 * size by event. */
void rows_count_given_up(struct plumb_profile *profile, size_t event, uint64_t own, uint64_t size,
			 uint64_t *largest);
/* Likewise notes that rows up to these sizes were given up, and that no sample has neighbours. */
void rows_note_given_up(struct plumb_profile *profile, const uint64_t *largest);
/* Empties a row without callees and branches, but for its values. */
void rows_empty(struct plumb_profile *profile, size_t i);
void rows_move(struct plumb_profile *profile, size_t to, size_t from);
/* Goes on with the first `count` rows, whose values may be others than before, and which may have
 * other numbers. */
void rows_replace(struct plumb_profile *profile, size_t count);
/* Returns the number that would be at `rank` if they were in order. */
uint64_t number_at_rank(const uint64_t *numbers, size_t count, size_t rank);
/* Finds or makes the row of the samples of an event that are not shown. Returns what rows_find()
 * does. */
int rows_find_hidden(struct plumb_profile *profile, size_t event, uint32_t *row);
/* Removes the newest rows, which have no samples, so that `count` are left. */
void rows_truncate(struct plumb_profile *profile, size_t count);
/* Gives up the smaller half of the rows. */
int rows_give_up(struct plumb_profile *profile);

/* profile_codes.c: finds or makes the number of a code with these values. Returns 0 or NO_MEMORY;
 * LIMIT: there are too many codes. */
int codes_find(struct code_table *codes, const uint64_t *values, uint32_t *code);
/* Likewise, with the hash of the values. */
int codes_find_hashed(struct code_table *codes, const uint64_t *values, uint32_t hash,
		      uint32_t *code);
static inline uint32_t codes_hash(const struct code_table *codes, const uint64_t *values)
{
	return (uint32_t)hash_words(values, codes->words);
}
/* Fetches where codes of this hash are found; and, once that is there, what they are compared with.
 */
static inline void codes_expect_slot(const struct code_table *codes, uint32_t hash)
{
	if (codes->index.slots)
		__builtin_prefetch(&codes->index.slots[hash & codes->index.mask]);
}
void codes_expect(const struct code_table *codes, uint32_t hash);
/* Makes room for `count` codes at once, rather than again and again. Returns false if out of
 * memory.
 */
bool codes_reserve(struct code_table *codes, size_t count);
void codes_forget(struct code_table *codes);
void codes_free(struct code_table *codes);

bool tallies_grow(struct tallies *tallies, size_t row);
/* tallies.c: makes room for a row. Returns false if out of memory. */
static inline bool tallies_reserve(struct tallies *tallies, size_t row)
{
	return row < tallies->room || tallies_grow(tallies, row);
}
/* Returns the number of a row's records; and forgets them. */
static inline uint32_t tallies_samples(const struct tallies *tallies, size_t row)
{
	return row < tallies->room ? tallies->rows[row].samples : 0;
}
void tallies_forget(struct tallies *tallies, size_t row);
/* Adds all of them to the profile's rows, and empties them. */
void tallies_flush(struct tallies *tallies, struct plumb_profile *profile);
void tallies_free(struct tallies *tallies);

/* profile_keys.c: writes the two words of a key's value. Returns false if out of memory. */
struct frame_values {
	const struct plumb_samples_item *item;
	const struct profiled_event *event;
	struct place *place;
	const struct plumb_branch_entry *branch; /* of its stack; NULL: the sample itself */
	unsigned level; /* of the place's functions, the innermost first; place->levels: its symbol
			 */
};
/* profile_code.c: sets `place->operation` from its code. Returns false if out of memory. */
bool place_decode(struct plumb_profile *profile, struct place *place);
bool key_value(struct plumb_profile *profile, unsigned key, const struct frame_values *frame,
	       uint64_t value[2]);
/* Returns a path's last part. */
const char *path_base(const char *path);
/* Likewise the name of a place's file as perf prints it: without its folder; of generated code, the
 * process's. NULL: out of memory. */
const char *place_dso(struct plumb_profile *profile, struct place *place);
/* Likewise writes the value of PLUMB_KEY_SYMBOL. */
bool place_symbol(struct plumb_profile *profile, struct place *place, uint64_t value[2]);
/* profile_source.c: finds the functions that are inlined at a place. Returns false if out of
 * memory. */
bool place_unfold(struct plumb_profile *profile, struct place *place);
/* Likewise writes a function of the place: as PLUMB_KEY_SYMBOL or, of inlined ones and if `text`
 * says so, its name. */
bool place_function(struct plumb_profile *profile, struct place *place, unsigned level, bool text,
		    uint64_t value[2]);
/* Likewise its line of source, or the file's name: of a caller, that of the call. */
bool place_source(struct plumb_profile *profile, struct place *place, unsigned level, bool file,
		  uint64_t value[2]);
static inline void set_text(uint64_t value[2], const char *text)
{
	value[0] = (uintptr_t)text;
	value[1] = 0;
}
/* profile_key_text.c: returns the text of a value, which may be in `room`; NULL: it has none. */
const char *key_text(const struct plumb_profile *profile, unsigned key, const uint64_t value[2],
		     char room[PLUMB_PROFILE_TEXT]);
/* Compares the texts of two values as strcmp() does; what has no text is first. */
int key_compare(const struct plumb_profile *profile, unsigned key, const uint64_t a[2],
		const uint64_t b[2]);

/* profile_branches.c: tells whether a sample has a branch stack; SPE records have none. */
bool branches_are_in(const struct plumb_samples_item *item);
/* Likewise adds its branches. Returns 0 or NO_MEMORY. */
int branches_add(struct plumb_profile *profile, const struct plumb_samples_item *item);
/* Likewise estimate a row's share of all branches, and how many of its branches were mispredicted.
 */
struct plumb_profile_estimate branches_share(const struct profiled_event *event,
					     const struct row_branches *row, uint64_t count);
struct plumb_profile_estimate branches_missed(const struct profiled_event *event,
					      const struct row_branches *row);

/*
 * profile_paths.c: adds the path of `count` functions, two words each, from the root on, to a row's
 * call tree. `*end` is the node where it ends, or NO_ROW. Returns 0 or NO_MEMORY.
 */
int paths_add(struct plumb_profile *profile, struct profiled_event *event, uint32_t row,
	      const uint64_t (*functions)[2], size_t count, uint64_t period, uint32_t *end);
/*
 * Adds the steps from the lane's last sample to this one, for the nodes on their paths. Those of
 * this one end at `ends`, and have its mark.
 */
void paths_step(struct plumb_profile *profile, const struct lane *lane, const uint32_t *ends,
		size_t count, double period);
/* Removes the trees of rows whose new index is NO_ROW, and tells the others their new indexes. */
int paths_renumber(struct plumb_profile *profile, const uint32_t *rows);

/* A node of a tree that is to be put in order. */
struct tree_place {
	uint32_t index, parent; /* NO_ROW: a root */
	uint64_t period;
	const char *name;
	unsigned depth; /* set by tree_arrange() */
	struct plumb_profile_estimate share;
	bool uncertain; /* set by tree_compare() */
};
/* Likewise puts each node before those below it, larger siblings first. Returns false if out of
 * memory. */
bool tree_arrange(struct tree_place *places, size_t count);
/*
 * Likewise adds to what each node of an arranged tree has by group of windows what the nodes below
 * it have. `groups` has `stride` sums per node. Returns false if out of memory.
 */
bool tree_add_up(const struct tree_place *places, size_t count, double **groups, size_t stride);
/* Likewise finds nodes whose shares' intervals overlap that of a sibling beside them. Returns false
 * if out of memory. */
bool tree_compare(struct tree_place *places, size_t count);
/* Likewise returns the name of a node's function; NULL: out of memory. */
const char *tree_name(struct plumb_profile *profile, const uint64_t function[2]);

/* profile_topdown.c: frees what it keeps in the profile. */
void topdown_forget(struct plumb_profile *profile);

/* profile_results.c: estimates which share of an event's periods the sums are of; `groups` are by
 * group of windows, NULL: none. */
struct plumb_profile_estimate profile_share(const struct plumb_profile *profile,
					    const struct profiled_event *event,
					    const struct sums *sums, const double *groups);
/* profile_order.c: sorts rows as they are shown; in threads, if there are many. */
void rows_sort(struct plumb_profile *profile, uint32_t *rows, size_t count);
/* Likewise compares two rows' texts, so that the order of equal rows does not depend on
 * addresses. */
int compare_row_texts(const struct plumb_profile *profile, uint32_t a, uint32_t b);

static inline uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

#endif
