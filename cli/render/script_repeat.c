/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns that lines have in common. An SPE record is a sample of several groups, and a thread runs
 * for a while: their text is kept and copied, which costs a fraction of formatting it.
 */
#include "render/script.h"
#include "tool/memory.h"

#define START_ROOM 96 /* longer text is not kept */
#define NAME_ROOM  104
#define PLACE_ROOM 216
#define STARTS     64 /* powers of two */
#define NAMES      32
#define PLACES     1024

/* A thread's name and numbers, and the CPU; then what depends on the time. */
struct start {
	uint64_t on, time;
	const struct plumb_task *task;
	uint32_t has, cpu;
	uint32_t generation; /* of threads' names */
	int32_t pid, tid;
	bool chain;
	unsigned length; /* 0: nothing is kept */
	unsigned timed;  /* with the time; 0: that is not kept */
	char text[START_ROOM];
};

struct name {
	const struct plumb_recorded_event *event;
	unsigned length;
	char text[NAME_ROOM];
};

/* An address of code, with its symbol and file. */
struct place {
	uint64_t ip, on;
	const struct plumb_task *task;
	uint32_t mode;
	uint32_t generation; /* 0: nothing is kept */
	unsigned length;
	char text[PLACE_ROOM];
};

struct script_repeats {
	struct start starts[STARTS];
	struct name names[NAMES];
	/* A place is kept when its address comes again: most of those that come once never do. */
	uint64_t seen[PLACES];
	struct place places[PLACES];
	uint32_t generation; /* of address spaces and threads' names */
};

struct script_repeats *script_repeats_new(void)
{
	struct script_repeats *repeats = memory_alloc(sizeof(*repeats));

	repeats->generation = 1;
	return repeats;
}

void script_repeats_forget(struct script_repeats *repeats)
{
	if (++repeats->generation)
		return;
	memset(repeats, 0, sizeof(*repeats));
	repeats->generation = 1;
}

/* The beginning of text that will be kept. */
struct mark {
	size_t used;
	unsigned flushes;
};

static struct mark mark(struct buffer *b)
{
	buffer_reserve(b, 1024);
	return (struct mark){b->used, b->flushes};
}

/* Copies what was put since `begin` to `text`. Returns its length, or 0 if there is no room. */
static unsigned keep(const struct buffer *b, struct mark begin, char *text, size_t room)
{
	const size_t length = b->used - begin.used;

	if (b->flushes != begin.flushes || length > room)
		return 0;
	memcpy(text, b->bytes + begin.used, length);
	return (unsigned)length;
}

static size_t slot_of(uint64_t key, size_t slots)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) & (slots - 1);
}

/* How much is copied at once: cheaper than copying exactly what is kept. */
#define COPIED 64
_Static_assert(COPIED <= START_ROOM && COPIED <= NAME_ROOM && COPIED <= PLACE_ROOM, "within text");

/* Puts kept text again, which may be in the buffer itself. */
static inline void put_kept(struct buffer *b, const char *text, unsigned length)
{
	if (length > COPIED || b->used + COPIED > BUFFER_SIZE) {
		buffer_bytes(b, text, length);
		return;
	}
	memmove(b->bytes + b->used, text, COPIED);
	b->used += length;
}

static void print_timed(struct script_printer *printer, const struct script_sample *sample,
			struct start *s, script_print_columns *print)
{
	struct mark begin;

	if (s->length == 0) {
		print(printer, sample);
		return;
	}
	begin = mark(printer->out);
	print(printer, sample);
	s->time = sample->record->time;
	s->timed = keep(printer->out, begin, s->text + s->length, sizeof(s->text) - s->length);
	s->timed += s->timed ? s->length : 0;
}

void script_repeat_start(struct script_printer *printer, const struct script_sample *sample,
			 bool chain, script_print_columns *print, script_print_columns *time)
{
	const struct plumb_record *record = sample->record;
	const uint32_t has =
		record->has & (PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_CPU | PLUMB_RECORD_HAS_TIME);
	const uint64_t on = printer->fields->types[sample->type].on;
	const uint32_t generation = printer->repeats->generation;
	struct start *s = &printer->repeats->starts[slot_of(
		(uint64_t)(uint32_t)record->tid << 32 | record->cpu, STARTS)];
	struct mark begin;

	if (s->length && s->on == on && s->has == has && s->pid == record->pid &&
	    s->tid == record->tid && s->cpu == record->cpu && s->chain == chain &&
	    s->task == sample->task && s->generation == generation) {
		if (time && s->timed && s->time == record->time) {
			put_kept(printer->out, s->text, s->timed);
			return;
		}
		put_kept(printer->out, s->text, s->length);
		if (time)
			print_timed(printer, sample, s, time);
		return;
	}
	begin = mark(printer->out);
	print(printer, sample);
	s->timed = 0;
	s->on = on;
	s->has = has;
	s->pid = record->pid;
	s->tid = record->tid;
	s->cpu = record->cpu;
	s->chain = chain;
	s->task = sample->task;
	s->generation = generation;
	s->length = keep(printer->out, begin, s->text, sizeof(s->text));
	if (time)
		print_timed(printer, sample, s, time);
}

void script_repeat_name(struct script_printer *printer, const struct script_sample *sample,
			script_print_columns *print)
{
	struct name *name = &printer->repeats->names[slot_of((uintptr_t)sample->event / 8, NAMES)];
	struct mark begin;

	if (name->length && name->event == sample->event) {
		put_kept(printer->out, name->text, name->length);
		return;
	}
	begin = mark(printer->out);
	print(printer, sample);
	name->event = sample->event;
	name->length = keep(printer->out, begin, name->text, sizeof(name->text));
}

void script_repeat_place(struct script_printer *printer, struct script_sample *sample,
			 script_print_place *print)
{
	const uint64_t ip = sample->record->sample.ip;
	const uint64_t on = printer->fields->types[sample->type].on;
	struct script_repeats *repeats = printer->repeats;
	const size_t slot = slot_of(ip, PLACES);
	struct place *place = &repeats->places[slot];
	struct mark begin;

	if (repeats->seen[slot] != ip) {
		repeats->seen[slot] = ip;
		print(printer, sample);
		return;
	}
	if (place->generation == repeats->generation && place->ip == ip &&
	    place->task == sample->task && place->mode == sample->mode && place->on == on) {
		put_kept(printer->out, place->text, place->length);
		return;
	}
	begin = mark(printer->out);
	print(printer, sample);
	place->length = keep(printer->out, begin, place->text, sizeof(place->text));
	place->generation = place->length ? repeats->generation : 0;
	place->ip = ip;
	place->on = on;
	place->task = sample->task;
	place->mode = sample->mode;
}

/* A sample's line, around the event's name, and the room that all lines of a record fit into. */
#define LINE_ROOM  ((size_t)1 << 10)
#define LINES_ROOM (PLUMB_SPE_GROUPS * LINE_ROOM)

void script_repeat_line(struct script_printer *printer, struct script_sample *sample,
			script_print_place *before, script_print_columns *name,
			script_print_place *after)
{
	uint32_t alike = plumb_samples_take_alike(printer->samples);
	struct buffer *b = printer->out;
	size_t begin, name_begin, name_end, end;
	unsigned flushes;

	buffer_reserve(b, LINES_ROOM);
	begin = b->used;
	flushes = b->flushes;
	before(printer, sample);
	name_begin = b->used;
	script_repeat_name(printer, sample, name);
	name_end = b->used;
	after(printer, sample);
	end = b->used;
	for (; alike; alike &= alike - 1) {
		sample->event =
			plumb_samples_group_event(printer->samples, (unsigned)__builtin_ctz(alike));
		if (b->flushes == flushes && end - begin < LINE_ROOM) {
			put_kept(b, b->bytes + begin, (unsigned)(name_begin - begin));
			script_repeat_name(printer, sample, name);
			put_kept(b, b->bytes + name_end, (unsigned)(end - name_end));
		} else {
			before(printer, sample);
			script_repeat_name(printer, sample, name);
			after(printer, sample);
		}
	}
}
