/* SPDX-License-Identifier: Apache-2.0 */
/* Finds addresses by a recording's records. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>

#include "recording/access.h"
#include "recording/tasks.h"
#include "symbol/debug_info.h"
#include "symbol/files.h"
#include "symbol/jitdump.h"
#include "symbol/maps.h"
#include "symbol/symbolizer.h"

/* An address alone shows whose it is: the upper half belongs to the kernel. */
#define KERNEL_HALF (UINT64_C(1) << 63)

static const char kernel_name[] = "[kernel.kallsyms]";

struct plumb_symbolizer {
	struct files files;
	struct tasks
		*tasks; /* the recording's, which follows its records, or the symbolizer's own */
	bool shares_tasks;
	const struct plumb_recording *recording; /* or NULL */
	enum symbol_machine machine;
	struct map_space *modules;        /* and BPF programs */
	struct plumb_symbol_file *dumps;  /* of generated code, as a list */
	struct plumb_symbol_file *kernel; /* NULL: no record told of it */
	uint64_t kernel_start, kernel_end;
};

static enum symbol_machine machine_of(const char *arch)
{
	if (strcmp(arch, "aarch64") == 0)
		return MACHINE_AARCH64;
	return strcmp(arch, "x86_64") == 0 ? MACHINE_X86_64 : MACHINE_OTHER;
}

enum symbol_machine symbolizer_machine(const struct plumb_symbolizer *symbolizer)
{
	return symbolizer->machine;
}

struct files *symbolizer_files(struct plumb_symbolizer *symbolizer)
{
	return &symbolizer->files;
}

static const struct space_owner space_owner = {maps_share, maps_release};

int plumb_symbolizer_new(const struct plumb_symbol_paths *paths,
			 struct plumb_symbolizer **symbolizer)
{
	struct plumb_symbolizer *made = calloc(1, sizeof(*made));
	struct utsname here;
	int status;

	*symbolizer = NULL;
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	if (uname(&here) == 0)
		made->machine = machine_of(here.machine);
	status = files_init(&made->files, paths);
	made->tasks = tasks_new();
	if (status == 0 && !made->tasks)
		status = PLUMB_ERR_NO_MEMORY;
	if (status < 0) {
		plumb_symbolizer_free(made);
		return status;
	}
	tasks_own_spaces(made->tasks, &space_owner);
	*symbolizer = made;
	return 0;
}

void plumb_symbolizer_free(struct plumb_symbolizer *symbolizer)
{
	if (!symbolizer)
		return;
	if (symbolizer->tasks)
		tasks_disown_spaces(symbolizer->tasks);
	tasks_release(symbolizer->tasks);
	maps_release(symbolizer->modules);
	files_free(&symbolizer->files, debug_info_free);
	free(symbolizer);
}

void plumb_symbolizer_origin(struct plumb_symbolizer *symbolizer,
			     const struct plumb_recording *recording)
{
	const char *arch = plumb_recording_info(recording)->arch;
	struct utsname here;

	symbolizer->recording = recording;
	if (tasks_own_spaces(recording_tasks(recording), &space_owner)) {
		tasks_release(symbolizer->tasks);
		symbolizer->tasks = tasks_share(recording_tasks(recording));
		symbolizer->shares_tasks = true;
	}
	if (arch)
		symbolizer->machine = machine_of(arch);
	if (plumb_recording_info(recording)->osrelease)
		symbolizer->files.release = arena_strdup(
			&symbolizer->files.strings, plumb_recording_info(recording)->osrelease);
	if (!recording_written(recording, &symbolizer->files.recorded))
		symbolizer->files.recorded = (struct timespec){0};
	symbolizer->files.foreign = arch && uname(&here) == 0 && strcmp(arch, here.machine) != 0;
}

/* ---- What records say ------------------------------------------------------------------------ */

/*
 * Returns the file of a mapping. Its build-id comes from the record, otherwise from the recording's
 * list.
 */
static struct plumb_symbol_file *mapped_file(struct plumb_symbolizer *symbolizer, const char *name,
					     enum file_kind kind, const uint8_t *build_id,
					     size_t size)
{
	if (!build_id)
		size = 0;
	if (size == 0 && symbolizer->recording)
		build_id = recording_build_id(symbolizer->recording, name, &size);
	return files_get(&symbolizer->files, name, kind, build_id, build_id ? size : 0);
}

static int add_kernel_map(struct plumb_symbolizer *symbolizer, const struct plumb_record *record)
{
	const char *path = record->mmap.path;
	struct map map = {.start = record->mmap.address,
			  .end = record->mmap.address + record->mmap.length,
			  .identity = true};
	char name[256];
	const char *shown = name;
	size_t listed;

	/* "[kernel.kallsyms]_text": the symbol shows where the kernel was loaded. */
	if (strncmp(path, kernel_name, sizeof(kernel_name) - 2) == 0) {
		symbolizer->kernel = mapped_file(symbolizer, kernel_name, FILE_KERNEL,
						 record->mmap.build_id, record->mmap.build_id_size);
		if (symbolizer->kernel && path[sizeof(kernel_name) - 1]) {
			symbolizer->kernel->reference = arena_strdup(
				&symbolizer->files.strings, path + sizeof(kernel_name) - 1);
			symbolizer->kernel->reference_address = record->mmap.page_offset;
		}
		symbolizer->kernel_start = map.start;
		symbolizer->kernel_end = map.end <= map.start ? UINT64_MAX : map.end;
		return symbolizer->kernel ? 0 : PLUMB_ERR_NO_MEMORY;
	}
	if (path[0] != '/' && path[0] != '[')
		return 0;
	kernel_module_name(path, name, sizeof(name));
	/* perf names a module by its path if the recording lists that path with a build-id. */
	if (symbolizer->recording && recording_build_id(symbolizer->recording, path, &listed))
		shown = path;
	map.file = mapped_file(symbolizer, shown, FILE_MODULE, record->mmap.build_id,
			       record->mmap.build_id_size);
	if (!map.file)
		return PLUMB_ERR_NO_MEMORY;
	if (path[0] == '/' && !map.file->module_path)
		map.file->module_path = arena_strdup(&symbolizer->files.strings, path);
	map.file->bias = map.start;
	return maps_insert(&symbolizer->modules, &map);
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Memory that is no file's. */
static bool is_anonymous(const struct plumb_record *record)
{
	const char *path = record->mmap.path;

	return begins(path, "//anon") || begins(path, "/dev/zero") ||
	       begins(path, "/anon_hugepage") || begins(path, "[stack") || begins(path, "/SYSV") ||
	       strcmp(path, "[heap]") == 0 || (record->mmap.flags & MAP_HUGETLB);
}

static bool is_executable(const struct plumb_record *record)
{
	if (record->type == PLUMB_RECORD_MMAP)
		return !(record->misc & PLUMB_MISC_MMAP_DATA);
	return record->mmap.protection & PROT_EXEC;
}

/*
 * Returns the process of which a mapping has the name of the perf map, "/tmp/perf-PID.map": it may
 * have another number in the recording. 0: it has another name.
 */
static int32_t perf_map_pid(const char *path)
{
	static const char folder[] = "/tmp/perf-";
	long pid;
	char *end;

	if (!begins(path, folder) || !isdigit((unsigned char)path[sizeof(folder) - 1]))
		return 0;
	errno = 0;
	pid = strtol(path + sizeof(folder) - 1, &end, 10);
	return errno || pid > INT32_MAX || strcmp(end, ".map") != 0 ? 0 : (int32_t)pid;
}

/* Returns the file that stands for all code that a process made itself. */
static struct plumb_symbol_file *generated(struct plumb_symbolizer *symbolizer, int32_t pid)
{
	struct plumb_symbol_file *file;
	char name[64];

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)pid);
	file = files_get(&symbolizer->files, name, FILE_PERF_MAP, NULL, 0);
	if (file && !file->pid)
		file->pid = pid;
	return file;
}

/* Sets what is known of the clock of the recording's times. */
static struct jitdump_clock recorded_clock(const struct plumb_symbolizer *symbolizer)
{
	struct jitdump_clock clock = {0};
	const struct plumb_recorded_event *event;

	if (!symbolizer->recording)
		return clock;
	event = plumb_recording_event(symbolizer->recording, 0);
	clock.monotonic = event && event->attr.flags & PLUMB_ATTR_BIT(PLUMB_ATTR_USE_CLOCKID) &&
			  event->attr.clockid == CLOCK_MONOTONIC;
	clock.conversion = recording_time_conv(symbolizer->recording);
	return clock;
}

/* Notes when any code is replaced next. */
static void note_next_change(struct plumb_symbolizer *symbolizer)
{
	uint64_t next = UINT64_MAX;

	for (const struct plumb_symbol_file *dump = symbolizer->dumps; dump; dump = dump->next_dump)
		if (jitdump_next_change(dump->jitdump) < next)
			next = jitdump_next_change(dump->jitdump);
	symbolizer->tasks->code_changes = next;
}

/* Replaces generated code up to a time. */
static void advance(struct plumb_symbolizer *symbolizer, uint64_t time)
{
	for (const struct plumb_symbol_file *dump = symbolizer->dumps; dump; dump = dump->next_dump)
		jitdump_advance(dump->jitdump, time);
	note_next_change(symbolizer);
}

/* A run-time system maps its jitdump in order to have it named in the recording. */
static int add_jitdump(struct plumb_symbolizer *symbolizer, const struct task *task,
		       const struct plumb_record *record)
{
	const char *path = record->mmap.path;
	const struct jitdump_clock clock = recorded_clock(symbolizer);
	struct plumb_symbol_file *made = generated(symbolizer, task->public.pid);
	struct plumb_symbol_file *dump = files_get(&symbolizer->files, path, FILE_JITDUMP, NULL, 0);
	int status = 0;

	if (!made || !dump)
		return PLUMB_ERR_NO_MEMORY;
	if (!dump->loaded) {
		dump->loaded = true;
		status = jitdump_load(&symbolizer->files, dump, &clock);
		files_note(&symbolizer->files, status);
		if (dump->jitdump) {
			dump->next_dump = symbolizer->dumps;
			symbolizer->dumps = dump;
		}
	} else if (dump->jitdump && record->has & PLUMB_RECORD_HAS_TIME) {
		jitdump_return(dump->jitdump, record->time); /* if the recording is read again */
	}
	if (dump->jitdump)
		made->dump = dump;
	note_next_change(symbolizer);
	return status;
}

/* The code that a process made is gone once it executes another program. */
static int forget_jitdump(struct plumb_symbolizer *symbolizer, int32_t pid)
{
	struct plumb_symbol_file *made;

	if (!symbolizer->dumps)
		return 0;
	made = generated(symbolizer, pid);
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->dump = NULL;
	return 0;
}

static int add_map(struct plumb_symbolizer *symbolizer, const struct plumb_record *record)
{
	struct map map = {.start = record->mmap.address,
			  .end = record->mmap.address + record->mmap.length,
			  .page_offset = record->mmap.page_offset};
	struct task *task = tasks_get(symbolizer->tasks, record->mmap.pid, record->mmap.tid);
	const char *path = record->mmap.path;
	const int32_t made_by = perf_map_pid(path);
	enum file_kind kind = FILE_USER;

	if (!task)
		return PLUMB_ERR_NO_MEMORY;
	if (strcmp(path, "[vdso]") == 0) {
		kind = FILE_VDSO;
		map.page_offset = 0;
	} else if (made_by || is_anonymous(record)) {
		kind = is_executable(record) ? FILE_PERF_MAP : FILE_NOTHING;
		map.identity = true;
	}
	if (jitdump_is_named(path) && add_jitdump(symbolizer, task, record) < 0)
		return PLUMB_ERR_NO_MEMORY;
	map.file = kind == FILE_PERF_MAP
			   ? generated(symbolizer, task->public.pid)
			   : mapped_file(symbolizer, path, kind, record->mmap.build_id,
					 record->mmap.build_id_size);
	if (!map.file)
		return PLUMB_ERR_NO_MEMORY;
	if (kind == FILE_PERF_MAP && made_by)
		map.file->pid = made_by;
	return maps_insert(&task->process->space, &map);
}

static int add_ksymbol(struct plumb_symbolizer *symbolizer, const struct plumb_record *record)
{
	struct map map = {.start = record->ksymbol.address,
			  .end = record->ksymbol.address + record->ksymbol.length,
			  .identity = true};
	struct plumb_symbol symbol = {
		.start = map.start, .end = map.end, .name = record->ksymbol.name};
	struct symbol_table *symbols;

	if (record->ksymbol.flags & PLUMB_KSYMBOL_UNREGISTER || map.end <= map.start)
		return 0;
	map.file = files_get(&symbolizer->files, record->ksymbol.name, FILE_KSYMBOL, NULL, 0);
	if (!map.file)
		return PLUMB_ERR_NO_MEMORY;
	symbols = &map.file->symbols;
	if (symbols->count && symbol_table_find(symbols, map.start))
		symbols->count = 0; /* registered anew */
	if (symbol_table_add(symbols, &symbol) < 0 || symbol_table_finish(symbols, false) < 0)
		return PLUMB_ERR_NO_MEMORY;
	return maps_insert(&symbolizer->modules, &map);
}

int plumb_symbolizer_add(struct plumb_symbolizer *symbolizer, const struct plumb_record *record)
{
	const enum plumb_cpu_mode mode = plumb_record_mode(record);

	if (!symbolizer->shares_tasks && tasks_follow(symbolizer->tasks, record) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (record->has & PLUMB_RECORD_HAS_TIME && record->time >= symbolizer->tasks->code_changes)
		advance(symbolizer, record->time);
	switch (record->type) {
	case PLUMB_RECORD_MMAP:
	case PLUMB_RECORD_MMAP2:
		if (mode == PLUMB_MODE_KERNEL)
			return add_kernel_map(symbolizer, record);
		return mode == PLUMB_MODE_GUEST_KERNEL ? 0 : add_map(symbolizer, record);
	case PLUMB_RECORD_KSYMBOL:
		return add_ksymbol(symbolizer, record);
	case PLUMB_RECORD_COMM:
		return record->misc & PLUMB_MISC_COMM_EXEC
			       ? forget_jitdump(symbolizer, record->comm.pid)
			       : 0;
	default:
		return 0;
	}
}

int plumb_symbolizer_status(const struct plumb_symbolizer *symbolizer)
{
	return symbolizer->files.status;
}

const char *plumb_symbolizer_warning(const struct plumb_symbolizer *symbolizer, size_t index)
{
	return index < symbolizer->files.warning_count ? symbolizer->files.warnings[index] : NULL;
}

size_t plumb_symbolizer_gone(const struct plumb_symbolizer *symbolizer, const char **first)
{
	const struct files *files = &symbolizer->files;
	size_t count = 0;

	*first = NULL;
	for (size_t i = 0; i < FILE_BUCKETS; i++) {
		for (const struct plumb_symbol_file *file = files->buckets[i]; file;
		     file = file->next) {
			if (!file->gone)
				continue;
			count++;
			if (!*first || strcmp(file->name, *first) < 0)
				*first = file->name;
		}
	}
	return count;
}

/* ---- What is asked --------------------------------------------------------------------------- */

const struct plumb_task *plumb_symbolizer_task(struct plumb_symbolizer *symbolizer, int32_t pid,
					       int32_t tid)
{
	const struct task *task = tasks_get(symbolizer->tasks, pid, tid);

	return task ? &task->public : NULL;
}

/* Its symbols may reach farther than the record says, or less far. */
static void load_kernel(struct plumb_symbolizer *symbolizer)
{
	struct plumb_symbol_file *kernel = symbolizer->kernel;
	const struct symbol_table *symbols = &kernel->symbols;
	size_t last;

	if (kernel->loaded)
		return;
	file_load(&symbolizer->files, kernel);
	last = symbols->count;
	if (last == 0)
		return;
	/* Those of modules come last. */
	while (last > 1 && maps_find(symbolizer->modules, symbols->at[last - 1].start))
		last--;
	symbolizer->kernel_start = symbols->at[0].start;
	symbolizer->kernel_end = symbols->at[last - 1].end;
}

static bool in_kernel(struct plumb_symbolizer *symbolizer, uint64_t ip, struct map *found)
{
	const struct map *module = maps_find(symbolizer->modules, ip);

	if (module) {
		*found = *module;
		return true;
	}
	if (!symbolizer->kernel || ip < symbolizer->kernel_start || ip >= symbolizer->kernel_end)
		return false;
	load_kernel(symbolizer);
	*found = (struct map){.start = symbolizer->kernel_start,
			      .end = symbolizer->kernel_end,
			      .file = symbolizer->kernel,
			      .identity = true};
	return true;
}

static bool find_map(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		     enum plumb_cpu_mode mode, uint64_t ip, struct map *found)
{
	const struct map *map;

	if (mode == PLUMB_MODE_KERNEL)
		return in_kernel(symbolizer, ip, found);
	if (mode != PLUMB_MODE_USER || !task)
		return false;
	map = maps_find(((const struct task *)(const void *)task)->process->space, ip);
	if (map)
		*found = *map;
	return map;
}

/* Finds the mapping that `ip` is in, without reading files. */
static bool locate_map(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
		       enum plumb_cpu_mode mode, uint64_t ip, struct plumb_location *location)
{
	struct jitdump_place generated;
	struct map map;

	*location = (struct plumb_location){.ip = ip, .address = ip};
	if (!find_map(symbolizer, task, mode, ip, &map))
		return false;
	location->file = map.file;
	location->address = map_place(&map, ip);
	location->map_start = map.start;
	location->map_end = map.end;
	if (map.file->dump && jitdump_locate(map.file->dump->jitdump, ip, &generated)) {
		location->file = map.file->dump;
		location->address = generated.place;
		location->map_start = generated.from;
		location->map_end = generated.to;
	}
	return true;
}

bool plumb_symbolizer_locate(struct plumb_symbolizer *symbolizer, const struct plumb_task *task,
			     enum plumb_cpu_mode mode, uint64_t ip, struct plumb_location *location)
{
	struct plumb_symbol_file *file;

	if (!locate_map(symbolizer, task, mode, ip, location))
		return false;
	file = location->file;
	file_load(&symbolizer->files, file);
	if (file->kind == FILE_MODULE && symbolizer->kernel) {
		/* Modules' symbols are among the kernel's, if those are known. */
		load_kernel(symbolizer);
		location->symbol =
			symbol_table_find(&symbolizer->kernel->symbols, location->address);
	}
	if (file->kind == FILE_MODULE && !location->symbol)
		module_load(&symbolizer->files, file);
	if (!location->symbol)
		location->symbol = symbol_table_find(&file->symbols, location->address);
	return true;
}

bool symbolizer_extent(const struct plumb_symbolizer *symbolizer,
		       const struct plumb_location *location, uint64_t *from, uint64_t *to)
{
	const uint64_t ip = location->ip, address = location->address;
	const struct plumb_symbol_file *kernel = symbolizer->kernel;
	const struct symbol_table *symbols;
	uint64_t first, end;

	if (!location->file || !location->symbol || ip < location->map_start ||
	    ip >= location->map_end)
		return false;
	symbols = &location->file->symbols;
	/* Symbols of modules may be among the kernel's, which come before those of the module's
	 * file. */
	if (kernel && location->file->kind == FILE_MODULE)
		symbols = &kernel->symbols;
	if (!symbol_table_extent(symbols, location->symbol, address, &first, &end))
		return false;
	*from = location->map_start;
	if (ip - *from > address - first)
		*from = ip - (address - first);
	*to = location->map_end;
	if (*to - ip > end - address)
		*to = ip + (end - address);
	/* What is loaded in the kernel's range comes before its own symbols. */
	if (location->file == kernel)
		maps_cut_to_gap(symbolizer->modules, ip, from, to);
	return true;
}

enum plumb_cpu_mode plumb_symbolizer_mode(enum plumb_cpu_mode mode, uint64_t address)
{
	if (mode == PLUMB_MODE_KERNEL || mode == PLUMB_MODE_USER)
		return address >= KERNEL_HALF ? PLUMB_MODE_KERNEL : PLUMB_MODE_USER;
	return mode;
}

const char *plumb_symbol_file_path(struct plumb_symbolizer *symbolizer,
				   struct plumb_symbol_file *file)
{
	file_load(&symbolizer->files, file);
	return file->path;
}

bool plumb_symbolizer_link_address(struct plumb_symbolizer *symbolizer,
				   const struct plumb_location *location, uint64_t *address)
{
	if (!location->file)
		return false;
	file_load(&symbolizer->files, location->file);
	return file_link_address(location->file, location->address, address);
}

size_t plumb_symbolizer_source(struct plumb_symbolizer *symbolizer,
			       const struct plumb_location *location,
			       struct plumb_source_frame *frames, size_t room)
{
	if (!location->file || room == 0)
		return 0;
	file_load(&symbolizer->files, location->file);
	if (location->file->jitdump)
		return jitdump_source(location->file->jitdump, location->address, frames);
	return debug_info_source(location->file, location->address,
				 location->symbol ? plumb_symbol_name(location->symbol) : NULL,
				 frames, room);
}

size_t symbolizer_declarations(struct plumb_symbolizer *symbolizer,
			       const struct plumb_location *location,
			       struct plumb_source_frame *declarations, size_t room)
{
	if (!location->file)
		return 0;
	file_load(&symbolizer->files, location->file);
	if (location->file->jitdump)
		return 0;
	return debug_info_declarations(location->file, location->address, declarations, room);
}

const char *symbolizer_source_folder(struct plumb_symbolizer *symbolizer,
				     const struct plumb_location *location)
{
	if (!location->file)
		return NULL;
	file_load(&symbolizer->files, location->file);
	return debug_info_folder(location->file, location->address);
}
