/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a profile: their names, and their values of a sample as numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem_source.h"
#include "profile/profile.h"
#include "symbol/symbolizer.h"

/* Nanoseconds to a value of PLUMB_KEY_TIME, as perf has it. */
#define TIME_QUANTUM 100000000

/* PERF_MEM_OP_* in a sample's data source. */
#define DATA_LOAD  2
#define DATA_STORE 4

static const char *const names[PLUMB_PROFILE_KEYS] = {
	[PLUMB_KEY_SYMBOL] = "symbol",
	[PLUMB_KEY_DSO] = "dso",
	[PLUMB_KEY_COMM] = "comm",
	[PLUMB_KEY_PID] = "pid",
	[PLUMB_KEY_TID] = "tid",
	[PLUMB_KEY_CPU] = "cpu",
	[PLUMB_KEY_SRCLINE] = "srcline",
	[PLUMB_KEY_SRCFILE] = "srcfile",
	[PLUMB_KEY_IP] = "ip",
	[PLUMB_KEY_OP] = "op",
	[PLUMB_KEY_SUBCLASS] = "subclass",
	[PLUMB_KEY_EVENT] = "event",
	[PLUMB_KEY_DATA_SOURCE] = "data_source",
	[PLUMB_KEY_CACHE_LINE] = "cache_line",
	[PLUMB_KEY_PAGE] = "page",
	[PLUMB_KEY_OFFSET] = "offset",
	[PLUMB_KEY_INLINE] = "inline",
	[PLUMB_KEY_GROUP] = "group",
	[PLUMB_KEY_BRANCH_TARGET] = "branch_target",
	[PLUMB_KEY_SYMBOL_TO] = "symbol_to",
	[PLUMB_KEY_LATENCY] = "latency",
	[PLUMB_KEY_TIME] = "time",
	[PLUMB_KEY_ACCESS] = "access",
	[PLUMB_KEY_BYTES] = "bytes",
	[PLUMB_KEY_LATENCY_RANGE] = "latency_range",
	[PLUMB_KEY_DATA_SYMBOL] = "data_symbol",
	[PLUMB_KEY_DATA_DSO] = "data_dso",
	[PLUMB_KEY_DSO_TO] = "dso_to",
	[PLUMB_KEY_SRCLINE_TO] = "srcline_to",
	[PLUMB_KEY_MISPREDICT] = "mispredict",
	[PLUMB_KEY_CYCLES] = "cycles",
	[PLUMB_KEY_SNOOP] = "snoop",
	[PLUMB_KEY_TLB] = "tlb",
	[PLUMB_KEY_LOCKED] = "locked",
	[PLUMB_KEY_BLOCKED] = "blocked",
	[PLUMB_KEY_PHYSICAL_ADDRESS] = "physical_address",
	[PLUMB_KEY_DATA_PAGE_SIZE] = "data_page_size",
	[PLUMB_KEY_CODE_PAGE_SIZE] = "code_page_size",
	[PLUMB_KEY_SOCKET] = "socket",
	[PLUMB_KEY_CGROUP] = "cgroup",
	[PLUMB_KEY_CGROUP_ID] = "cgroup_id",
	[PLUMB_KEY_SYMBOL_SIZE] = "symbol_size",
	[PLUMB_KEY_DSO_SIZE] = "dso_size",
};

/* perf's names. */
static const struct {
	const char *name;
	enum plumb_profile_key key;
} aliases[] = {
	{"sym", PLUMB_KEY_SYMBOL},
	{"dcacheline", PLUMB_KEY_CACHE_LINE},
	{"mem", PLUMB_KEY_DATA_SOURCE},
	{"local_weight", PLUMB_KEY_LATENCY},
	{"weight", PLUMB_KEY_LATENCY},
	{"symbol_daddr", PLUMB_KEY_DATA_SYMBOL},
	{"dso_daddr", PLUMB_KEY_DATA_DSO},
	{"symbol_from", PLUMB_KEY_SYMBOL},
	{"dso_from", PLUMB_KEY_DSO},
	{"addr_from", PLUMB_KEY_IP},
	{"addr_to", PLUMB_KEY_BRANCH_TARGET},
	{"srcline_from", PLUMB_KEY_SRCLINE},
	{"phys_daddr", PLUMB_KEY_PHYSICAL_ADDRESS},
};

const char *plumb_profile_key_name(unsigned key)
{
	return key < PLUMB_PROFILE_KEYS ? names[key] : NULL;
}

int plumb_profile_key_by_name(const char *name)
{
	for (int i = 0; i < PLUMB_PROFILE_KEYS; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++)
		if (strcmp(aliases[i].name, name) == 0)
			return (int)aliases[i].key;
	return PLUMB_ERR_NOT_FOUND;
}

/* ---- Values -----------------------------------------------------------------------------------
 */

/* The second word of a number is not 0. */
static void set_number(uint64_t value[2], uint64_t number)
{
	value[0] = number;
	value[1] = 1;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Returns whether `name` is "perf-PID.map", the name of a process's generated code. */
static bool is_generated(const char *name, long *pid)
{
	char *end;

	if (strncmp(name, "perf-", 5) != 0 || name[5] < '0' || name[5] > '9')
		return false;
	*pid = strtol(name + 5, &end, 10);
	return strcmp(end, ".map") == 0;
}

const char *place_dso(struct plumb_profile *profile, struct place *place)
{
	const struct plumb_symbol_file *file = place->location.file;
	const char *name;
	char text[32], module[256];
	long pid;

	if (!file)
		return profile->unknown;
	if (place->dso)
		return place->dso;
	if (file == profile->last_file) {
		place->dso = profile->last_dso;
		return place->dso;
	}
	name = path_base(plumb_symbol_file_name(file));
	if (plumb_symbol_file_is_kernel(file) && plumb_symbol_file_name(file)[0] == '/') {
		/* A module that is listed with a build-id has its path as its name. */
		kernel_module_name(plumb_symbol_file_name(file), module, sizeof(module));
		name = module;
	} else if (is_generated(name, &pid)) {
		snprintf(text, sizeof(text), "[JIT] tid %ld", pid);
		name = text;
	}
	place->dso = text_table_keep(&profile->texts, name);
	profile->last_file = file;
	profile->last_dso = place->dso;
	return place->dso;
}

/* Of code without a symbol: where its function, or else itself, is as objdump takes it, and the
 * file's name plus 1. */
static void set_symbol(const struct plumb_profile *profile, uint64_t value[2],
		       const struct place *place, const char *dso)
{
	struct plumb_location start = place->location;

	if (start.symbol) {
		value[0] = (uintptr_t)start.symbol;
		value[1] = (uintptr_t)dso;
		return;
	}
	if (place->bounds)
		start.address = plumb_symbol_start(place->bounds);
	if (!plumb_symbolizer_link_address(profile->symbolizer, &start, &value[0]))
		value[0] = start.address;
	value[1] = (uintptr_t)dso | 1;
}

bool place_symbol(struct plumb_profile *profile, struct place *place, uint64_t value[2])
{
	const char *dso = place_dso(profile, place);

	if (dso)
		set_symbol(profile, value, place, dso);
	return dso;
}

/* Returns whether the sample has the virtual address of data. */
static bool data_address(const struct plumb_samples_item *item, uint64_t *address)
{
	if (item->spe) {
		*address = plumb_spe_virtual_address(item->spe->addresses[PLUMB_SPE_DATA_VIRTUAL]);
		return item->spe->has & PLUMB_SPE_HAS_DATA_VIRTUAL;
	}
	*address = item->record->sample.address;
	return item->record->event->attr.sample_type & PLUMB_SAMPLE_ADDR;
}

static void set_task(const struct plumb_samples_item *item, unsigned key, uint64_t value[2])
{
	const int32_t number = !item->task            ? -1
			       : key == PLUMB_KEY_PID ? item->task->pid
						      : item->task->tid;

	if (number >= 0)
		set_number(value, (uint64_t)number);
}

static bool set_comm(struct plumb_profile *profile, const struct plumb_task *task,
		     uint64_t value[2])
{
	if (!task)
		return true;
	if (!profile->comm || strcmp(profile->comm, task->comm) != 0)
		profile->comm = text_table_keep(&profile->texts, task->comm);
	set_text(value, profile->comm);
	return profile->comm;
}

/* What only SPE records have; the core decides what some numbers mean. */
static void set_spe(const struct plumb_samples_item *item, unsigned key, uint64_t value[2])
{
	const struct plumb_spe_record *spe = item->spe;
	const uint64_t core = (uint64_t)item->midr << 1 | 1;
	struct plumb_spe_operation op;

	if (key == PLUMB_KEY_DATA_SOURCE) {
		if (spe->has & PLUMB_SPE_HAS_DATA_SOURCE) {
			value[0] = spe->data_source;
			value[1] = core;
		}
		return;
	}
	op = plumb_spe_operation(spe->op_class, spe->operation);
	if (key == PLUMB_KEY_EVENT && spe->has & PLUMB_SPE_HAS_EVENTS) {
		value[0] = spe->events;
		value[1] = core;
	} else if (key == PLUMB_KEY_OP && spe->has & PLUMB_SPE_HAS_OPERATION) {
		set_number(value, op.kind);
	} else if (key == PLUMB_KEY_ACCESS && spe->has & PLUMB_SPE_HAS_OPERATION &&
		   spe->op_class == PLUMB_SPE_LOAD_STORE) {
		set_number(value, op.flags & PLUMB_SPE_OP_ATOMIC    ? ACCESS_ATOMIC
				  : op.kind == PLUMB_SPE_KIND_STORE ? ACCESS_STORE
								    : ACCESS_LOAD);
	} else if (key == PLUMB_KEY_SUBCLASS && spe->has & PLUMB_SPE_HAS_OPERATION &&
		   op.subclass != PLUMB_SPE_SUB_NONE) {
		set_number(value, op.subclass);
	} else if (key == PLUMB_KEY_GROUP && item->groups) {
		set_number(value, item->groups);
	}
}

/* Returns whether it is known where a branch led. */
static bool target_address(const struct frame_values *frame, uint64_t *to)
{
	const struct plumb_spe_record *spe = frame->item->spe;

	if (frame->branch)
		*to = frame->branch->to;
	else if (spe && spe->has & PLUMB_SPE_HAS_BRANCH_TARGET)
		*to = plumb_spe_code_address(spe->addresses[PLUMB_SPE_BRANCH_TARGET]);
	else
		return false;
	return true;
}

/* Sets the function that a branch led to, its file, or the line there. */
static bool set_target(struct plumb_profile *profile, unsigned key,
		       const struct frame_values *frame, uint64_t value[2])
{
	const enum plumb_cpu_mode mode = plumb_record_mode(frame->item->record);
	struct place own = *frame->place, *place;
	const char *dso;
	bool fine;
	uint64_t to;

	if (!target_address(frame, &to))
		return true;
	place = place_find(profile, frame->item->task,
			   (struct plumb_frame){.ip = to, .mode = plumb_symbolizer_mode(mode, to)});
	dso = place_dso(profile, place);
	fine = dso;
	if (dso && key == PLUMB_KEY_SYMBOL_TO)
		set_symbol(profile, value, place, dso);
	else if (dso && key == PLUMB_KEY_DSO_TO)
		set_text(value, dso);
	else if (dso)
		fine = place_source(profile, place, 0, false, value);
	/* It may have taken the place of the sample's own. */
	if (place == frame->place)
		*frame->place = own;
	return fine;
}

/* Sets whether a branch was mispredicted, or the cycles since the one before it. */
static void set_branch(const struct frame_values *frame, unsigned key, uint64_t value[2])
{
	const struct plumb_spe_record *spe = frame->item->spe;
	const uint64_t flags = frame->branch ? frame->branch->flags : 0;

	if (key == PLUMB_KEY_CYCLES) {
		if (flags >> PLUMB_ENTRY_CYCLES & UINT16_MAX)
			set_number(value, flags >> PLUMB_ENTRY_CYCLES & UINT16_MAX);
	} else if (flags & (PLUMB_ENTRY_BIT(PLUMB_ENTRY_MISPREDICTED) |
			    PLUMB_ENTRY_BIT(PLUMB_ENTRY_PREDICTED))) {
		set_number(value, flags >> PLUMB_ENTRY_MISPREDICTED & 1);
	} else if (spe && spe->has & PLUMB_SPE_HAS_EVENTS && spe->has & PLUMB_SPE_HAS_OPERATION &&
		   spe->op_class == PLUMB_SPE_BRANCH) {
		set_number(value, spe->events >> PLUMB_SPE_EV_MISPREDICTED & 1);
	}
}

/* Sets a field of perf's data source. */
static void set_field(const struct frame_values *frame, unsigned key, uint64_t value[2])
{
	const struct plumb_record *record = frame->item->record;
	const uint64_t source = record->sample.data_source;

	if (!(record->event->attr.sample_type & PLUMB_SAMPLE_DATA_SRC))
		return;
	switch (key) {
	case PLUMB_KEY_SNOOP:
		set_number(value, mem_only(source, MEM_SNOOP) | mem_only(source, MEM_SNOOPX));
		break;
	case PLUMB_KEY_TLB:
		set_number(value, mem_only(source, MEM_TLB));
		break;
	case PLUMB_KEY_LOCKED:
		set_number(value, mem_only(source, MEM_LOCK));
		break;
	default:
		set_number(value, mem_only(source, MEM_BLOCK));
	}
}

static void set_page_size(const struct plumb_record *record, unsigned key, uint64_t value[2])
{
	const bool code = key == PLUMB_KEY_CODE_PAGE_SIZE;
	const uint64_t size = code ? record->sample.code_page_size : record->sample.data_page_size;

	if (size && record->event->attr.sample_type &
			    (code ? PLUMB_SAMPLE_CODE_PAGE_SIZE : PLUMB_SAMPLE_DATA_PAGE_SIZE))
		set_number(value, size);
}

static void set_socket(const struct plumb_profile *profile, const struct plumb_record *record,
		       uint64_t value[2])
{
	const struct plumb_recording_info *info = plumb_recording_info(profile->recording);

	if (record->has & PLUMB_RECORD_HAS_CPU && record->cpu < info->cpu_count &&
	    info->cpus[record->cpu].socket != UINT32_MAX)
		set_number(value, info->cpus[record->cpu].socket);
}

static bool set_control_group(struct plumb_profile *profile, const struct plumb_record *record,
			      uint64_t value[2])
{
	const struct numbered *group;

	if (!(record->event->attr.sample_type & PLUMB_SAMPLE_CGROUP) || !record->sample.cgroup)
		return true;
	group = numbered_find(&profile->control_groups.names, record->sample.cgroup);
	set_text(value, group ? (const char *)(uintptr_t)group->values[0]
			      : text_table_keep(&profile->texts, "unknown"));
	return value[0];
}

/* The second word is the device plus 1. */
static void set_namespace(const struct plumb_profile *profile, const struct plumb_task *task,
			  uint64_t value[2])
{
	const struct numbered *thread =
		task ? numbered_find(&profile->control_groups.namespaces, (uint32_t)task->tid)
		     : NULL;

	if (thread && (thread->values[0] || thread->values[1]) && thread->values[0] < UINT32_MAX) {
		value[0] = thread->values[1];
		value[1] = thread->values[0] + 1;
	}
}

static void set_size(const struct plumb_location *location, unsigned key, uint64_t value[2])
{
	if (key == PLUMB_KEY_SYMBOL_SIZE && location->symbol)
		set_number(value, plumb_symbol_end(location->symbol) -
					  plumb_symbol_start(location->symbol));
	else if (key == PLUMB_KEY_DSO_SIZE && location->file &&
		 !plumb_symbol_file_is_kernel(location->file))
		set_number(value, location->map_end - location->map_start);
}

/* Returns whether the sample has the physical address of data. */
static bool physical_address(const struct plumb_samples_item *item, uint64_t *address)
{
	if (item->spe) {
		*address =
			plumb_spe_physical_address(item->spe->addresses[PLUMB_SPE_DATA_PHYSICAL]);
		return item->spe->has & PLUMB_SPE_HAS_DATA_PHYSICAL;
	}
	*address = item->record->sample.physical_address;
	return item->record->event->attr.sample_type & PLUMB_SAMPLE_PHYS_ADDR;
}

/* Sets the variable that the data is in, or its file. Other memory has neither. */
static bool set_data(struct plumb_profile *profile, unsigned key,
		     const struct plumb_samples_item *item, uint64_t value[2])
{
	struct place place = {0};
	uint64_t address;
	const char *dso;

	if (!data_address(item, &address) ||
	    !symbolizer_object(profile->symbolizer, item->task, address, &place.location))
		return true;
	dso = place_dso(profile, &place);
	if (dso && key == PLUMB_KEY_DATA_SYMBOL)
		set_symbol(profile, value, &place, dso);
	else
		set_text(value, dso);
	return dso;
}

/* Sets the latency of an SPE record, or the weight of another sample. */
static void set_latency(const struct plumb_samples_item *item, uint64_t value[2])
{
	const struct plumb_record *record = item->record;

	if (item->spe && item->spe->has & PLUMB_SPE_HAS_TOTAL_LATENCY)
		set_number(value, item->spe->counters[PLUMB_SPE_TOTAL_LATENCY]);
	else if (!item->spe && record->event->attr.sample_type &
				       (PLUMB_SAMPLE_WEIGHT | PLUMB_SAMPLE_WEIGHT_STRUCT))
		set_number(value, record->sample.weight);
}

/* Sets what the kernel says that a sample's instruction did to memory. */
static void set_access(const struct plumb_record *record, uint64_t value[2])
{
	const bool known = record->event->attr.sample_type & PLUMB_SAMPLE_DATA_SRC;
	const bool loads = known && record->sample.data_source & DATA_LOAD;
	const bool stores = known && record->sample.data_source & DATA_STORE;

	if (loads || stores)
		set_number(value, !stores ? ACCESS_LOAD : !loads ? ACCESS_STORE : ACCESS_ATOMIC);
}

/* Sets what the instruction of an exact sample is, by its code. */
static bool set_operation(struct plumb_profile *profile, unsigned key, struct place *place,
			  uint64_t value[2])
{
	static const uint8_t kinds[] = {
		[WORD_OTHER] = PLUMB_SPE_KIND_OTHER,
		[WORD_LOAD] = PLUMB_SPE_KIND_LOAD,
		[WORD_STORE] = PLUMB_SPE_KIND_STORE,
		[WORD_BRANCH] = PLUMB_SPE_KIND_BRANCH,
	};

	if (!place_decode(profile, place))
		return false;
	if (place->operation.kind == WORD_UNKNOWN)
		return true;
	if (key == PLUMB_KEY_OP)
		set_number(value, kinds[place->operation.kind]);
	else
		set_text(value, place->operation.subclass);
	return true;
}

/* The raw data of an exact sample with an address is the number of bytes. */
static void set_bytes(const struct frame_values *frame, uint64_t value[2])
{
	const struct plumb_sample *sample = &frame->item->record->sample;
	uint32_t bytes;

	if (!frame->event->public.exact ||
	    !(frame->item->record->event->attr.sample_type & PLUMB_SAMPLE_RAW) ||
	    sample->raw_size < sizeof(bytes))
		return;
	memcpy(&bytes, sample->raw, sizeof(bytes));
	set_number(value, bytes);
}

/* Of the keys of addresses of code. */
static bool set_code(struct plumb_profile *profile, unsigned key, struct place *place,
		     unsigned level, uint64_t value[2])
{
	const char *dso = place_dso(profile, place);

	if (!dso)
		return false;
	switch (key) {
	case PLUMB_KEY_SYMBOL:
		return place_symbol(profile, place, value);
	case PLUMB_KEY_DSO:
		set_text(value, dso);
		return true;
	case PLUMB_KEY_IP:
		set_number(value, place->location.ip);
		return true;
	case PLUMB_KEY_INLINE:
		return place_function(profile, place, level, true, value);
	default:
		return place_source(profile, place, level, key == PLUMB_KEY_SRCFILE, value);
	}
}

bool key_value(struct plumb_profile *profile, unsigned key, const struct frame_values *frame,
	       uint64_t value[2])
{
	const struct plumb_record *record = frame->item->record;
	uint64_t address;

	set_text(value, NULL);
	switch (key) {
	case PLUMB_KEY_COMM:
		return set_comm(profile, frame->item->task, value);
	case PLUMB_KEY_PID:
	case PLUMB_KEY_TID:
		set_task(frame->item, key, value);
		return true;
	case PLUMB_KEY_CPU:
		if (record->has & PLUMB_RECORD_HAS_CPU && record->cpu != UINT32_MAX)
			set_number(value, record->cpu);
		return true;
	case PLUMB_KEY_CACHE_LINE:
	case PLUMB_KEY_PAGE:
		if (data_address(frame->item, &address))
			set_number(value, address & (key == PLUMB_KEY_PAGE ? ~UINT64_C(4095)
									   : ~UINT64_C(63)));
		return true;
	case PLUMB_KEY_OFFSET:
		if (data_address(frame->item, &address))
			set_number(value, address & 63);
		return true;
	case PLUMB_KEY_SYMBOL_TO:
	case PLUMB_KEY_DSO_TO:
	case PLUMB_KEY_SRCLINE_TO:
		return set_target(profile, key, frame, value);
	case PLUMB_KEY_MISPREDICT:
	case PLUMB_KEY_CYCLES:
		set_branch(frame, key, value);
		return true;
	case PLUMB_KEY_SNOOP:
	case PLUMB_KEY_TLB:
	case PLUMB_KEY_LOCKED:
	case PLUMB_KEY_BLOCKED:
		set_field(frame, key, value);
		return true;
	case PLUMB_KEY_PHYSICAL_ADDRESS:
		if (physical_address(frame->item, &address))
			set_number(value, address);
		return true;
	case PLUMB_KEY_DATA_SYMBOL:
	case PLUMB_KEY_DATA_DSO:
		return set_data(profile, key, frame->item, value);
	case PLUMB_KEY_LATENCY:
		set_latency(frame->item, value);
		return true;
	case PLUMB_KEY_LATENCY_RANGE:
		set_latency(frame->item, value);
		if (value[1] && value[0])
			value[0] = 64 - (uint64_t)__builtin_clzll(value[0]);
		return true;
	case PLUMB_KEY_TIME:
		if (record->has & PLUMB_RECORD_HAS_TIME)
			set_number(value, record->time / TIME_QUANTUM);
		return true;
	case PLUMB_KEY_BRANCH_TARGET:
		if (target_address(frame, &address))
			set_number(value, address);
		return true;
	case PLUMB_KEY_GROUP:
	case PLUMB_KEY_OP:
	case PLUMB_KEY_SUBCLASS:
	case PLUMB_KEY_EVENT:
	case PLUMB_KEY_DATA_SOURCE:
	case PLUMB_KEY_ACCESS:
		if (frame->item->spe)
			set_spe(frame->item, key, value);
		else if (key == PLUMB_KEY_EVENT)
			set_text(value, frame->event->public.name);
		else if (key == PLUMB_KEY_ACCESS)
			set_access(record, value);
		else if (frame->event->public.exact &&
			 (key == PLUMB_KEY_OP || key == PLUMB_KEY_SUBCLASS))
			return set_operation(profile, key, frame->place, value);
		return true;
	case PLUMB_KEY_BYTES:
		set_bytes(frame, value);
		return true;
	case PLUMB_KEY_DATA_PAGE_SIZE:
	case PLUMB_KEY_CODE_PAGE_SIZE:
		set_page_size(record, key, value);
		return true;
	case PLUMB_KEY_SOCKET:
		set_socket(profile, record, value);
		return true;
	case PLUMB_KEY_CGROUP:
		return set_control_group(profile, record, value);
	case PLUMB_KEY_CGROUP_ID:
		set_namespace(profile, frame->item->task, value);
		return true;
	case PLUMB_KEY_SYMBOL_SIZE:
	case PLUMB_KEY_DSO_SIZE:
		set_size(&frame->place->location, key, value);
		return true;
	default:
		return set_code(profile, key, frame->place, frame->level, value);
	}
}
