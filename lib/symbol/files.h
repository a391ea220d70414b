/* SPDX-License-Identifier: Apache-2.0 */
/* The mapped files, and where their symbols are. */
#ifndef SYMBOL_FILES_H
#define SYMBOL_FILES_H

#include <stdio.h>
#include <time.h>

#include "symbol/debuginfod.h"
#include "symbol/elf_symbols.h"

enum file_kind {
	FILE_USER,
	FILE_VDSO,
	FILE_PERF_MAP, /* code made at run time, with symbols in a text file */
	FILE_JITDUMP,  /* a file with such code, names and lines */
	FILE_NOTHING,  /* memory without code */
	FILE_KERNEL,
	FILE_MODULE,  /* part of the kernel, whose symbols include its own */
	FILE_KSYMBOL, /* one symbol that a record named, for example a BPF program */
};

struct debug_info;
struct jitdump;
struct jitdump_clock;

struct plumb_symbol_file {
	struct plumb_symbol_file *next; /* in its bucket */
	struct files *files;            /* that it is one of */
	const char *name;
	char *path; /* symbols were read from it, or would be; NULL: not looked for, or none */
	char *debug_path; /* the first file found with DWARF; NULL: none */
	struct debug_info *debug;
	bool debug_tried;
	struct symbol_table symbols;
	struct symbol_table bounds; /* of functions: symbolizer_bounds() */
	bool bounds_tried;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	uint8_t build_id_size;
	GElf_Phdr *segments; /* loaded segments of the ELF file at `path` */
	size_t segment_count;
	uint64_t bias; /* of a kernel or module: how much greater addresses in memory are than in
			  its file */
	const char *reference; /* of a kernel: the symbol whose address was recorded, or NULL */
	uint64_t reference_address;
	const char *module_path; /* of a module: as recorded, or NULL */
	bool file_tried;         /* of a kernel or module: whether its ELF file was looked for */
	uint8_t kind;            /* enum file_kind */
	bool loaded;
	bool own_vdso;                  /* `path` is NULL: this process's [vdso] was taken */
	bool gone;                      /* it cannot be read, and nothing else has its symbols */
	int32_t pid;                    /* of a perf map */
	struct plumb_symbol_file *dump; /* of a perf map: what describes the code better, or NULL */
	struct jitdump *jitdump;        /* of FILE_JITDUMP; NULL: it could not be read */
	struct plumb_symbol_file *next_dump; /* likewise */
};

#define FILE_BUCKETS 1024

/* Problems with more files than this are not reported. */
#define WARNINGS_MAX 256

struct files {
	struct plumb_symbol_paths paths; /* copies */
	struct arena strings;
	struct plumb_symbol_file *buckets[FILE_BUCKETS];
	const char *release;           /* of the recorded kernel; NULL: unknown */
	struct timespec recorded;      /* when the recording was written; 0: unknown */
	bool foreign;                  /* the recorded machine has another architecture */
	struct debuginfod *debuginfod; /* NULL: not asked yet */
	int status;                    /* PLUMB_ERR_NO_MEMORY once memory ran out, else 0 */
	const char *warnings[WARNINGS_MAX];
	size_t warning_count;
};

/* Returns 0, PLUMB_ERR_NO_MEMORY or PLUMB_ERR_ARGUMENT: `paths` has no size, or one too new. */
int files_init(struct files *files, const struct plumb_symbol_paths *paths);
void files_free(struct files *files, void (*free_debug)(struct debug_info *debug));

/*
 * Returns the file with this name and build-id (`size` 0: unknown), made if necessary; NULL if out
 * of memory.
 */
struct plumb_symbol_file *files_get(struct files *files, const char *name, enum file_kind kind,
				    const uint8_t *build_id, size_t size);

/*
 * Reads a file's symbols, once. Does nothing for FILE_MODULE and FILE_KSYMBOL. If memory runs out,
 * notes that, and the file has none.
 */
void file_load(struct files *files, struct plumb_symbol_file *file);

/*
 * Finds the address that a place in a file's code or data has in its own tables. Returns false if
 * it is in no segment, or the file was not found.
 */
bool file_link_address(const struct plumb_symbol_file *file, uint64_t place, uint64_t *address);

/* Notes NO_MEMORY; ignores other errors, which only mean that a file has no symbols. */
void files_note(struct files *files, int status);
/* Adds a warning, and frees `text`. NULL: out of memory. */
void files_warn(struct files *files, char *text);
/* Returns the text, which the caller frees, or NULL if out of memory. */
char *files_format(const char *pattern, ...) PLUMB_PRINTF(1, 2);

/*
 * Asks the servers of debuginfod for the file with a build-id. Returns its path, which the caller
 * frees, or NULL: no server has it, or plumb_symbol_paths.debuginfod is not set.
 */
char *files_download(struct files *files, const uint8_t *build_id, size_t size,
		     enum debuginfod_kind kind);

/* search.c: finds and reads the ELF file with a file's symbols. Returns 0 or NO_MEMORY. */
int file_search(struct files *files, struct plumb_symbol_file *file);

/* kernel.c: reads symbols in the format of /proc/kallsyms. Returns 0, NO_MEMORY or IO. */
int kernel_read_symbols(struct symbol_table *table, const char *path);
/* kernel.c: reads the recorded kernel's symbols, wherever they are. Returns 0 or NO_MEMORY. */
int kernel_load(struct files *files, struct plumb_symbol_file *file);
/* kernel.c: finds the ELF file of a kernel, for lines. Returns 0 or NO_MEMORY. */
int kernel_find_image(struct files *files, struct plumb_symbol_file *file);
/* kernel.c: reads a module's symbols from its own file. Notes NO_MEMORY. */
void module_load(struct files *files, struct plumb_symbol_file *file);
/* kernel.c: sets `name` to "[name]" of a module's path. */
void kernel_module_name(const char *path, char *name, size_t size);

/* perf_map.c: reads lines "START SIZE NAME". Returns 0 or NO_MEMORY. */
int perf_map_read(struct symbol_table *table, FILE *in);
/* perf_map.c: reads the symbols of code that a process made, from its perf map. Returns 0 or
 * NO_MEMORY. */
int perf_map_load(struct files *files, struct plumb_symbol_file *file);
/* perf_map.c: reads a jitdump. If there is none, .jitdump stays NULL. Returns 0 or NO_MEMORY. */
int jitdump_load(struct files *files, struct plumb_symbol_file *file,
		 const struct jitdump_clock *clock);
/* perf_map.c: opens a jitdump, unless it belongs to another user. NULL: that failed. */
FILE *jitdump_open(struct files *files, const struct plumb_symbol_file *file);

#endif
