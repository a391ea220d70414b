/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: which file, and which function of it, an address of a recorded process belongs to.
 *
 * The address spaces follow from a recording's MMAP, MMAP2, COMM, FORK and KSYMBOL records; symbols
 * are those of the ELF files they name, of files of debug information, and of the kernel. Where an
 * address could be called by several names the choice is that of Linux's perf, so that both say
 * the same. Files and records are not trusted.
 *
 * Use a symbolizer from one thread at a time. What it returns belongs to it and stays valid until
 * it is freed, unless a comment says otherwise.
 */
#ifndef PLUMB_SYMBOL_H
#define PLUMB_SYMBOL_H

#include <plumb/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_symbolizer;

/* Where to look for symbols. A path that is NULL is not searched. Strings are copied. */
struct plumb_symbol_paths {
	size_t size;               /* sizeof(struct plumb_symbol_paths) */
	const char *root;          /* before the path of every file that was mapped; "--symfs" */
	const char *debug_dir;     /* files of debug information: "/usr/lib/debug" */
	const char *build_id_dir;  /* perf's cache of files by build-id: "$HOME/.debug" */
	const char *kallsyms;      /* the running kernel's symbols: "/proc/kallsyms" */
	const char *kernel_notes;  /* its build-id: "/sys/kernel/notes"; NULL: `kallsyms` is the
				      recorded kernel's, whatever runs here */
	const char *perf_maps_dir; /* perf-PID.map, symbols of code made at run time: "/tmp" */
	bool own_vdso;             /* a [vdso] that is not found is this process's, if it can be */
	bool raw_names;            /* C++ and Rust names as the linker knows them */
	bool signatures;           /* demangled names with their parameters */
};

/* A function or an object with a name. */
struct plumb_symbol;
/* Its name, demangled unless plumb_symbol_paths.raw_names is set. */
PLUMB_API const char *plumb_symbol_name(const struct plumb_symbol *symbol);
/* Where it begins and where it ends (exclusive), in the terms of plumb_location.address. */
PLUMB_API uint64_t plumb_symbol_start(const struct plumb_symbol *symbol);
PLUMB_API uint64_t plumb_symbol_end(const struct plumb_symbol *symbol);

/* A file that was mapped, or what stands for one: "[kernel.kallsyms]", "[vdso]", "//anon". */
struct plumb_symbol_file;
/* As the recording names it, as perf prints it. */
PLUMB_API const char *plumb_symbol_file_name(const struct plumb_symbol_file *file);
PLUMB_API bool plumb_symbol_file_is_kernel(const struct plumb_symbol_file *file);
/*
 * The ELF file in this machine's file system that its symbols came from or, if it has none, that
 * would be it; NULL if there is none. For reading its code.
 */
PLUMB_API const char *plumb_symbol_file_path(struct plumb_symbolizer *symbolizer,
					     struct plumb_symbol_file *file);

/*
 * Where an address is. This struct does not grow: what else there is to know about an address gets
 * a function.
 */
struct plumb_location {
	uint64_t ip;                       /* the address itself */
	uint64_t address;                  /* its place in the file; the kernel's: the same */
	uint64_t map_start, map_end;       /* the mapping it is in; 0: none */
	struct plumb_symbol_file *file;    /* NULL: not known */
	const struct plumb_symbol *symbol; /* NULL: not known */
};

/*
 * Returns 0 and a symbolizer, NO_MEMORY, or ARGUMENT if `paths` has no size or asks for something
 * this version lacks. With NULL for `paths`, no files are searched.
 */
PLUMB_API int plumb_symbolizer_new(const struct plumb_symbol_paths *paths,
				   struct plumb_symbolizer **symbolizer);
PLUMB_API void plumb_symbolizer_free(struct plumb_symbolizer *symbolizer); /* takes NULL */

/*
 * Says which recording the records come from, before any is added. Its list of build-ids then tells
 * which files were mapped, and its architecture whether this machine's kernel can be the recorded
 * one. Optional. `recording` must stay open for as long as records are added.
 */
PLUMB_API void plumb_symbolizer_origin(struct plumb_symbolizer *symbolizer,
				       const struct plumb_recording *recording);

/*
 * Takes in what a record says of address spaces and threads; passes over any other. Records must
 * come in the order of their times. Returns 0 or PLUMB_ERR_NO_MEMORY.
 */
PLUMB_API int plumb_symbolizer_add(struct plumb_symbolizer *symbolizer,
				   const struct plumb_record *record);

/* The thread `tid`, of process `pid` (-1: not known). Never NULL unless memory is short. */
PLUMB_API const struct plumb_task *plumb_symbolizer_task(struct plumb_symbolizer *symbolizer,
							 int32_t pid, int32_t tid);

/*
 * Where `ip` is in the address space that `task` has now, or in the kernel's, as `mode` says. Loads
 * the symbols of a file when the first address of it comes. Returns true if it is in a mapping.
 */
PLUMB_API bool plumb_symbolizer_locate(struct plumb_symbolizer *symbolizer,
				       const struct plumb_task *task, enum plumb_cpu_mode mode,
				       uint64_t ip, struct plumb_location *location);

/* The most frames of source that one address has: a function, and what was inlined in it. */
#define PLUMB_SOURCE_FRAMES_MAX 64

/* A line of source. Strings are the symbolizer's. */
struct plumb_source_frame {
	const char *function; /* demangled as the symbolizer was told; NULL: not known */
	const char *file;     /* as the debug information has its path; NULL: not known */
	unsigned line;        /* 1-based; 0: not known */
	unsigned column;      /* 1-based; 0: not known */
};

/*
 * Finds the source of `location`, which plumb_symbolizer_locate() filled in, by the DWARF of its
 * file or its file of debug information. Writes up to `room` frames, the innermost inlined function
 * first, the function that it was inlined into last; a caller's line is that of its call. Returns
 * how many: 0 where nothing is known. The first question costs reading the file.
 */
PLUMB_API size_t plumb_symbolizer_source(struct plumb_symbolizer *symbolizer,
					 const struct plumb_location *location,
					 struct plumb_source_frame *frames, size_t room);

/* What PERF_SAMPLE_REGS_USER and PERF_SAMPLE_STACK_USER copied of a thread. */
struct plumb_user_stack {
	uint16_t machine;          /* ELF's EM_AARCH64 or EM_X86_64; 0: the recording's */
	uint64_t register_mask;    /* attr.sample_regs_user */
	const uint64_t *registers; /* one for each bit, the lowest first */
	size_t register_count;
	const uint8_t *bytes; /* from the stack pointer upwards */
	size_t bytes_size;
};

/*
 * Unwinds a copy of the stack of `task` by the call frame information of the mapped files, and by
 * frame pointers where a file has none. Writes up to `room` addresses, the innermost first; of a
 * caller it is the address of the call's last byte, as perf has it, so that it is within the call's
 * line. Returns how many; 0 for other machines. Without plumb_symbolizer_origin() the recording's
 * machine is this one.
 */
PLUMB_API size_t plumb_symbolizer_unwind(struct plumb_symbolizer *symbolizer,
					 const struct plumb_task *task,
					 const struct plumb_user_stack *stack, uint64_t *chain,
					 size_t room);

/*
 * The mode of an address that a sample of `mode` tells of: of data, or where a branch led. Kernel
 * and user share one address space, so it tells by itself.
 */
PLUMB_API enum plumb_cpu_mode plumb_symbolizer_mode(enum plumb_cpu_mode mode, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
