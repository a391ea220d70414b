/* SPDX-License-Identifier: Apache-2.0 */
#include "symbol/debug_info.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/cfi_file.h"
#include "symbol/debug_names.h"
#include "symbol/debug_units.h"
#include "symbol/dwarf_checks.h"
#include "symbol/dwarf_refs.h"
#include "symbol/supplement.h"

/* What was found for an address, so that each is looked up once. */
struct answer {
	uint64_t place;
	struct plumb_source_frame *frames;
	size_t count;
	bool used;
	uint64_t nameless; /* bits of the frames whose function is the symbol's, if DWARF lacks its
			      linkage name */
};

/* More ranges than this are ignored, of what was inlined at one address. */
#define RANGES_OF_ADDRESS_MAX (UINT32_C(1) << 20)

struct debug_info {
	struct elf_file runtime, debug;     /* `debug` is closed if it is the same file */
	Dwarf *dwarf;                       /* NULL: no debug information */
	struct supplement supplement;       /* what `dwarf` refers to */
	struct cfi *eh_frame, *debug_frame; /* of the runtime file, and of `dwarf` */
	struct debug_units units;
	bool told_of_split;     /* that there is a unit whose split part was not found */
	struct answer *answers; /* a hash table whose size is a power of two */
	size_t answer_count, answer_room;
	struct debug_names names;
	struct arena strings;
};

/* ---- Opening --------------------------------------------------------------------------------- */

void debug_info_free(struct debug_info *debug)
{
	if (!debug)
		return;
	debug_units_free(&debug->units);
	free(debug->answers);
	debug_names_free(&debug->names);
	arena_free(&debug->strings);
	cfi_free(debug->eh_frame);
	cfi_free(debug->debug_frame);
	if (debug->dwarf)
		dwarf_end(debug->dwarf);
	supplement_close(&debug->supplement);
	if (debug->debug.elf)
		elf_file_close(&debug->debug);
	if (debug->runtime.elf)
		elf_file_close(&debug->runtime);
	free(debug);
}

static void end_dwarf(struct debug_info *debug)
{
	dwarf_end(debug->dwarf);
	debug->dwarf = NULL;
	supplement_close(&debug->supplement);
}

static int begin_dwarf(struct debug_info *debug, const struct plumb_symbol_file *file,
		       const struct elf_file *elf)
{
	int status;

	errno = 0;
	debug->dwarf = dwarf_begin_elf(elf->elf, DWARF_C_READ, NULL);
	if (!debug->dwarf)
		return errno == ENOMEM ? PLUMB_ERR_NO_MEMORY : 0;
	if (!dwarf_strings_end(elf->elf)) {
		end_dwarf(debug);
		return 0;
	}
	status = supplement_open(&debug->supplement, file->files, debug->dwarf, elf,
				 file->debug_path);
	if (status < 0) {
		end_dwarf(debug);
		return status;
	}
	files_note(file->files, cfi_open_debug_frame(elf, &debug->debug_frame));
	/* What was read before memory ran out is correct, and is used. */
	return debug_units_read(&debug->units, debug->dwarf);
}

/* Asks the servers if there is nothing here. */
static void find_debug_file(struct plumb_symbol_file *file)
{
	/* A kernel's file is larger than anybody wants to wait for. */
	if (!file->debug_path && file->build_id_size && file->kind != FILE_KERNEL)
		file->debug_path = files_download(file->files, file->build_id, file->build_id_size,
						  DEBUGINFOD_DEBUG);
}

/* Opens the mapped file, or this process's own [vdso] if the symbols are from it. */
static int open_runtime(const struct plumb_symbol_file *file, struct elf_file *runtime)
{
	return file->path ? elf_file_open(runtime, file->path) : elf_file_open_vdso(runtime);
}

static struct debug_info *open_debug_info(struct plumb_symbol_file *file)
{
	struct debug_info *debug = calloc(1, sizeof(*debug));
	const struct elf_file *elf;
	int status = debug ? 0 : PLUMB_ERR_NO_MEMORY;

	if (status == 0) {
		debug->names.strings = &debug->strings;
		status = open_runtime(file, &debug->runtime);
	}
	if (!debug || status < 0) {
		files_note(file->files, status);
		free(debug);
		return NULL;
	}
	elf = &debug->runtime;
	files_note(file->files, cfi_open_eh_frame(elf, &debug->eh_frame));
	find_debug_file(file);
	if (file->debug_path && (!file->path || strcmp(file->debug_path, file->path) != 0)) {
		status = elf_file_open(&debug->debug, file->debug_path);
		if (status == 0)
			elf = &debug->debug;
	}
	if (file->debug_path && status == 0)
		status = begin_dwarf(debug, file, elf);
	files_note(file->files, status);
	return debug;
}

static struct debug_info *debug_info_of(struct plumb_symbol_file *file)
{
	if (!file->debug_tried) {
		file->debug_tried = true;
		if (file->kind == FILE_KERNEL)
			files_note(file->files, kernel_find_image(file->files, file));
		if (((file->kind == FILE_USER || file->kind == FILE_VDSO ||
		      file->kind == FILE_KERNEL) &&
		     file->path) ||
		    file->own_vdso)
			file->debug = open_debug_info(file);
	}
	return file->debug;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/*
 * Returns whether the symbol table's name of the function differs from its name in DWARF: in
 * languages with namespaces or overloading, without a linkage name.
 */
static bool lacks_linkage_name(struct debug_unit *unit, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	switch (dwarf_srclang(&unit->split)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return false;
	default:
		return !dwarf_find_attribute(die, DW_AT_linkage_name, &attribute, NULL);
	}
}

/* Prefers the linkage name, so that names look as in the symbol table. */
static const char *function_name(struct debug_info *debug, const struct plumb_symbol_file *file,
				 Dwarf_Die *die)
{
	const char *linkage = dwarf_find_text(die, DW_AT_linkage_name);

	if (!linkage)
		return dwarf_find_text(die, DW_AT_name);
	return file->symbols.raw_names
		       ? linkage
		       : debug_names_plain(&debug->names, linkage, file->symbols.signatures);
}

static unsigned number(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value) != 0 || value > UINT32_MAX)
		return 0;
	return (unsigned)value;
}

/* Identifies a function: what its code, and each of its inlined copies, refer to. */
static const void *identity(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;

	/* Offsets could be equal in two files. */
	if (dwarf_referenced(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin))
		return origin.addr;
	return die->addr;
}

/* Finds where an inlined function was called from. */
static void read_call_site(struct debug_unit *unit, Dwarf_Die *inlined,
			   struct plumb_source_frame *caller)
{
	Dwarf_Files *files;
	size_t count;
	unsigned file = number(inlined, DW_AT_call_file);

	caller->line = number(inlined, DW_AT_call_line);
	caller->column = number(inlined, DW_AT_call_column);
	if (dwarf_getsrcfiles(&unit->die, &files, &count) == 0 && file < count)
		caller->file = dwarf_filesrc(files, file, NULL, NULL);
}

/* Returns whether `die` covers `address`; false once `*left` ranges were looked at. */
static bool covers(Dwarf_Die *die, Dwarf_Addr address, size_t *left)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		if (*left == 0)
			return false;
		--*left;
		if (start <= address && address < end)
			return true;
	}
	return false;
}

/* Finds the function that covers `address`, and what was inlined there, the outermost first. */
static size_t find_scopes(Dwarf_Die *function, Dwarf_Addr address, Dwarf_Die *scopes, size_t room)
{
	Dwarf_Die parent = *function, die;
	size_t count = 1, left = RANGES_OF_ADDRESS_MAX;

	scopes[0] = *function;
	for (unsigned depth = 0; depth < DEBUG_DEPTH_MAX && dwarf_child(&parent, &die) == 0;
	     depth++) {
		bool found = false;

		do {
			int tag = dwarf_tag(&die);

			if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) ||
			    !covers(&die, address, &left))
				continue;
			if (tag == DW_TAG_inlined_subroutine) {
				if (count == room)
					return count;
				scopes[count++] = die;
			}
			found = true;
			break;
		} while (dwarf_siblingof(&die, &die) == 0);
		if (!found)
			break;
		parent = die;
	}
	return count;
}

static void read_line(struct debug_unit *unit, Dwarf_Addr address, struct plumb_source_frame *frame)
{
	Dwarf_Line *line = dwarf_getsrc_die(&unit->die, address);
	int value;

	if (!line)
		return;
	frame->file = dwarf_linesrc(line, NULL, NULL);
	if (dwarf_lineno(line, &value) == 0 && value > 0)
		frame->line = (unsigned)value;
	if (dwarf_linecol(line, &value) == 0 && value > 0)
		frame->column = (unsigned)value;
}

/* Warns, once for each file, of a unit whose functions are in another file that cannot be read. */
static void warn_of_split(struct debug_info *debug, const struct plumb_symbol_file *file,
			  struct debug_unit *unit)
{
	const char *name = dwarf_split_name(&unit->die);

	if (debug->told_of_split)
		return;
	debug->told_of_split = true;
	if (dwarf_has_package(file->debug_path))
		files_warn(file->files,
			   files_format("%s.dwp cannot be read: that requires elfutils 0.191 or "
					"later, and a valid package; inlined functions are missing",
					file->debug_path));
	else
		files_warn(file->files,
			   files_format("%s: its split debug information, %s, cannot be read; "
					"inlined functions are missing",
					file->debug_path, name ? name : "unnamed"));
}

static const struct debug_range *find_function(struct debug_info *debug,
					       const struct plumb_symbol_file *file,
					       struct debug_unit *unit, Dwarf_Addr address)
{
	Dwarf_Die split;

	if (!unit->read) {
		unit->read = true;
		if (unit->is_skeleton && dwarf_find_split(&unit->die, file->debug_path, &split)) {
			supplement_forbid(&debug->supplement, dwarf_cu_getdwarf(split.cu));
			unit->split = split;
		} else if (unit->is_skeleton) {
			warn_of_split(debug, file, unit);
		}
		files_note(file->files, debug_units_read_functions(&debug->units, unit));
	}
	return debug_ranges_find(&unit->functions, address);
}

/*
 * Fills in `frames`, the innermost first. If the last one lacks a linkage name, sets its bit in
 * `*nameless`, and those of the frames that are inlined copies of it.
 */
static size_t look_up(struct debug_info *debug, const struct plumb_symbol_file *file,
		      uint64_t place, struct plumb_source_frame *frames, uint64_t *nameless)
{
	Dwarf_Die scopes[PLUMB_SOURCE_FRAMES_MAX], function;
	const struct debug_range *range;
	Dwarf_Addr address;
	struct debug_unit *unit;
	size_t count = 1;

	if (!debug->dwarf || !file_link_address(file, place, &address) ||
	    !(range = debug_ranges_find(&debug->units.ranges, address)))
		return 0;
	unit = &debug->units.at[range->unit];
	memset(frames, 0, PLUMB_SOURCE_FRAMES_MAX * sizeof(*frames));
	read_line(unit, address, &frames[0]);
	range = find_function(debug, file, unit, address);
	if (range && dwarf_offdie(dwarf_cu_getdwarf(unit->split.cu), range->die, &function)) {
		const bool lacks = lacks_linkage_name(unit, &function);

		count = find_scopes(&function, address, scopes, PLUMB_SOURCE_FRAMES_MAX);
		for (size_t i = 0; i < count; i++) {
			Dwarf_Die *scope = &scopes[count - 1 - i];

			frames[i].function = function_name(debug, file, scope);
			if (lacks && identity(scope) == identity(&function))
				*nameless |= UINT64_C(1) << i;
			if (i + 1 < count)
				read_call_site(unit, scope, &frames[i + 1]);
		}
	}
	return frames[0].file || frames[0].function ? count : 0;
}

/* ---- Answers once found ---------------------------------------------------------------------- */

static size_t hash(uint64_t key, size_t room)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
}

static struct answer *slot_of(struct answer *answers, size_t room, uint64_t place)
{
	size_t i = hash(place, room);

	while (answers[i].used && answers[i].place != place)
		i = (i + 1) & (room - 1);
	return &answers[i];
}

static bool grow_answers(struct debug_info *debug)
{
	size_t room = debug->answer_room ? 2 * debug->answer_room : 64;
	struct answer *grown = calloc(room, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < debug->answer_room; i++)
		if (debug->answers[i].used)
			*slot_of(grown, room, debug->answers[i].place) = debug->answers[i];
	free(debug->answers);
	debug->answers = grown;
	debug->answer_room = room;
	return true;
}

size_t debug_info_source(struct plumb_symbol_file *file, uint64_t place, const char *symbol,
			 struct plumb_source_frame *frames, size_t room)
{
	struct plumb_source_frame found[PLUMB_SOURCE_FRAMES_MAX];
	struct debug_info *debug = debug_info_of(file);
	struct answer *answer;

	if (!debug || !debug->dwarf)
		return 0;
	if (2 * debug->answer_count >= debug->answer_room && !grow_answers(debug)) {
		files_note(file->files, PLUMB_ERR_NO_MEMORY);
		return 0;
	}
	answer = slot_of(debug->answers, debug->answer_room, place);
	if (!answer->used) {
		size_t count = look_up(debug, file, place, found, &answer->nameless);

		if (count) {
			answer->frames =
				arena_alloc(&debug->strings, count * sizeof(*answer->frames));
			if (!answer->frames) {
				files_note(file->files, PLUMB_ERR_NO_MEMORY);
				return 0;
			}
			memcpy(answer->frames, found, count * sizeof(*found));
		}
		answer->count = count;
		answer->place = place;
		answer->used = true;
		debug->answer_count++;
	}
	if (room > answer->count)
		room = answer->count;
	if (room)
		memcpy(frames, answer->frames, room * sizeof(*frames));
	for (size_t i = 0; symbol && i < room; i++)
		if (answer->nameless >> i & 1)
			frames[i].function = symbol;
	return room;
}

/*
 * Returns the file that `owner` is declared in, or NULL. dwarf_decl_file() of libdw 0.188 aborts in
 * split units, and takes DWARF 5's file 0 for none.
 */
static const char *declared_in(Dwarf_Die *owner)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word file;
	Dwarf_Die unit;
	size_t count;

	if (dwarf_formudata(dwarf_attr(owner, DW_AT_decl_file, &attribute), &file) != 0 ||
	    !dwarf_diecu(owner, &unit, NULL, NULL) ||
	    dwarf_cu_info(unit.cu, &version, NULL, NULL, NULL, NULL, NULL, NULL) != 0 ||
	    (file == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
	    file >= count)
		return NULL;
	return dwarf_filesrc(files, (size_t)file, NULL, NULL);
}

size_t debug_info_declarations(struct plumb_symbol_file *file, uint64_t place,
			       struct plumb_source_frame *declarations, size_t room)
{
	struct debug_info *debug = debug_info_of(file);
	Dwarf_Die scopes[PLUMB_SOURCE_FRAMES_MAX], function;
	const struct debug_range *range;
	Dwarf_Addr address;
	struct debug_unit *unit;
	size_t count;

	if (!debug || !debug->dwarf || !file_link_address(file, place, &address) ||
	    !(range = debug_ranges_find(&debug->units.ranges, address)))
		return 0;
	unit = &debug->units.at[range->unit];
	range = find_function(debug, file, unit, address);
	if (!range || !dwarf_offdie(dwarf_cu_getdwarf(unit->split.cu), range->die, &function))
		return 0;
	count = find_scopes(&function, address, scopes, PLUMB_SOURCE_FRAMES_MAX);
	for (size_t i = 0; i < count && i < room; i++) {
		Dwarf_Die *scope = &scopes[count - 1 - i], owner;
		Dwarf_Attribute attribute;

		declarations[i] = (struct plumb_source_frame){.line = 0};
		if (dwarf_find_attribute(scope, DW_AT_decl_file, &attribute, &owner))
			declarations[i].file = declared_in(&owner);
		if (dwarf_find_attribute(scope, DW_AT_decl_line, &attribute, &owner))
			declarations[i].line = number(&owner, DW_AT_decl_line);
	}
	return count < room ? count : room;
}

const char *debug_info_folder(struct plumb_symbol_file *file, uint64_t place)
{
	struct debug_info *debug = debug_info_of(file);
	const struct debug_range *range;
	Dwarf_Attribute attribute;
	Dwarf_Addr address;

	if (!debug || !debug->dwarf || !file_link_address(file, place, &address))
		return NULL;
	range = debug_ranges_find(&debug->units.ranges, address);
	return range ? dwarf_formstring(dwarf_attr(&debug->units.at[range->unit].die,
						   DW_AT_comp_dir, &attribute))
		     : NULL;
}

/* ---- Unwinding ------------------------------------------------------------------------------- */

bool debug_info_frame(struct plumb_symbol_file *file, uint64_t place, struct cfi_row *row)
{
	struct debug_info *debug = debug_info_of(file);
	Dwarf_Addr address;

	return debug && file_link_address(file, place, &address) &&
	       ((debug->eh_frame && cfi_find(debug->eh_frame, address, row)) ||
		(debug->debug_frame && cfi_find(debug->debug_frame, address, row)));
}
