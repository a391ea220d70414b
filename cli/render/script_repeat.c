/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns that lines have in common. An SPE record is a sample of several groups, and a thread runs
 * for a while: their text is kept and copied, which costs a fraction of what making it does.
 */
#include "render/script.h"
#include "tool/memory.h"

#define START_ROOM 96 /* longer text is not kept */
#define NAME_ROOM  104
#define PLACE_ROOM 216
#define NAMES      32 /* powers of two */
#define PLACES     1024

/* A thread's name and numbers, and the CPU. */
struct start {
	uint64_t on;
	uint32_t has, cpu;
	int32_t pid, tid;
	bool chain;
	char comm[24];
	unsigned length; /* 0: nothing is kept */
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
	uint32_t generation; /* of address spaces; 0: nothing is kept */
	unsigned length;
	char text[PLACE_ROOM];
};

struct script_repeats {
	struct start start;
	struct name names[NAMES];
	struct place places[PLACES];
	uint32_t generation;
};

struct script_repeats *script_repeats_new(void)
{
	struct script_repeats *repeats = memory_alloc(sizeof(*repeats));

	repeats->generation = 1;
	return repeats;
}

void script_repeats_forget_places(struct script_repeats *repeats)
{
	if (++repeats->generation)
		return;
	memset(repeats->places, 0, sizeof(repeats->places));
	repeats->generation = 1;
}

/* Where text that is going to be kept begins. */
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

void script_repeat_start(struct script_printer *printer, const struct script_sample *sample,
			 bool chain, script_print_columns *print)
{
	const struct plumb_record *record = sample->record;
	const uint32_t has = record->has & (PLUMB_RECORD_HAS_PID | PLUMB_RECORD_HAS_CPU);
	const uint64_t on = printer->fields->types[sample->type].on;
	const char *comm = script_comm(sample);
	struct start *s = &printer->repeats->start;
	struct mark begin;

	if (s->length && s->on == on && s->has == has && s->pid == record->pid &&
	    s->tid == record->tid && s->cpu == record->cpu && s->chain == chain &&
	    strcmp(s->comm, comm) == 0) {
		buffer_bytes(printer->out, s->text, s->length);
		return;
	}
	begin = mark(printer->out);
	print(printer, sample);
	s->length = 0;
	if (strlen(comm) >= sizeof(s->comm))
		return;
	memcpy(s->comm, comm, strlen(comm) + 1);
	s->on = on;
	s->has = has;
	s->pid = record->pid;
	s->tid = record->tid;
	s->cpu = record->cpu;
	s->chain = chain;
	s->length = keep(printer->out, begin, s->text, sizeof(s->text));
}

void script_repeat_name(struct script_printer *printer, const struct script_sample *sample,
			script_print_columns *print)
{
	struct name *name = &printer->repeats->names[slot_of((uintptr_t)sample->event / 8, NAMES)];
	struct mark begin;

	if (name->length && name->event == sample->event) {
		buffer_bytes(printer->out, name->text, name->length);
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
	struct place *place = &repeats->places[slot_of(ip, PLACES)];
	struct mark begin;

	if (place->generation == repeats->generation && place->ip == ip &&
	    place->task == sample->task && place->mode == sample->mode && place->on == on) {
		buffer_bytes(printer->out, place->text, place->length);
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
