/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: finds the file and the function that an address of a recorded process belongs to.
 *
 * A recording's MMAP, MMAP2, COMM, FORK and KSYMBOL records define the address spaces. Symbols come
 * from the ELF files that these name, from files of debug information, and from the kernel. If an
 * address has several names, this chooses the same one as Linux's perf. Files and records are not
 * trusted.
 *
 * libdw reads DWARF. For hostile call frame information it may allocate 2 GiB for one frame, or
 * more; limit the memory of the process (setrlimit()) if you unwind through files that you do not
 * trust.
 *
 * Use a symbolizer from one thread at a time. What it returns belongs to it and stays valid until
 * it is freed, unless a comment says otherwise.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_SYMBOL_H
#define PLUMB_SYMBOL_H

#include <plumb/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_symbolizer;

/* Where to look for symbols. Paths that are NULL are not searched. Strings are copied. */
struct plumb_symbol_paths {
	size_t size;               /* sizeof(struct plumb_symbol_paths) */
	const char *root;          /* the recorded machine's files, "--symfs": prefix for the path
				      of every mapped file and for debug_dir */
	const char *debug_dir;     /* files of debug information: "/usr/lib/debug" */
	const char *build_id_dir;  /* perf's cache of files by build-id: "$HOME/.debug" */
	const char *kallsyms;      /* the running kernel's symbols: "/proc/kallsyms" */
	const char *kernel_notes;  /* its build-id: "/sys/kernel/notes"; NULL: `kallsyms` belongs
				      to the recorded kernel */
	const char *perf_maps_dir; /* perf-PID.map, symbols of generated code: "/tmp"; NULL: do
				      not read the recorded processes' jitdumps, either */
	bool own_vdso;             /* use this process's [vdso] if the recorded one is missing */
	bool raw_names;            /* do not demangle C++ and Rust names */
	bool signatures;           /* demangle names with their parameters */
	bool debuginfod;           /* ask the servers in DEBUGINFOD_URLS; slow: they are asked for
				      each file whose symbols or lines are not found here */
	const char *vmlinux;       /* the recorded kernel's own file; NULL: search for it by
				      build-id if there is no list of its symbols, and for lines */
};

/* A function or an object with a name. */
struct plumb_symbol;
/* Returns the name, demangled unless plumb_symbol_paths.raw_names is set. */
PLUMB_API const char *plumb_symbol_name(const struct plumb_symbol *symbol);
/* Return its start and its end (exclusive), comparable with plumb_location.address. */
PLUMB_API uint64_t plumb_symbol_start(const struct plumb_symbol *symbol);
PLUMB_API uint64_t plumb_symbol_end(const struct plumb_symbol *symbol);

/* A mapped file, or a name that stands for one: "[kernel.kallsyms]", "[vdso]", "//anon". */
struct plumb_symbol_file;
/* Returns the name in the recording, as perf prints it. */
PLUMB_API const char *plumb_symbol_file_name(const struct plumb_symbol_file *file);
PLUMB_API bool plumb_symbol_file_is_kernel(const struct plumb_symbol_file *file);
/*
 * Returns the path on this machine of the ELF file that the symbols came from, so that its code can
 * be read. Without symbols, returns where the file would be. NULL: there is none.
 */
PLUMB_API const char *plumb_symbol_file_path(struct plumb_symbolizer *symbolizer,
					     struct plumb_symbol_file *file);

/* The place of an address. Functions give further information. */
struct plumb_location {
	uint64_t ip;                       /* the address itself */
	uint64_t address;                  /* the address in the file; for the kernel, the same */
	uint64_t map_start, map_end;       /* the mapping it is in; 0: none */
	struct plumb_symbol_file *file;    /* NULL: unknown */
	const struct plumb_symbol *symbol; /* NULL: unknown */
};

/*
 * Makes a symbolizer. Returns 0, NO_MEMORY, or ARGUMENT if `paths` has no size or sets members that
 * this version lacks. If `paths` is NULL, no files are searched.
 */
PLUMB_API int plumb_symbolizer_new(const struct plumb_symbol_paths *paths,
				   struct plumb_symbolizer **symbolizer);
PLUMB_API void plumb_symbolizer_free(struct plumb_symbolizer *symbolizer); /* accepts NULL */

/*
 * Sets the recording that the records come from; call it before adding records. Its build-ids then
 * identify the mapped files, and its architecture tells whether this machine's kernel can be the
 * recorded one. Optional. `recording` must stay open while records are added.
 */
PLUMB_API void plumb_symbolizer_origin(struct plumb_symbolizer *symbolizer,
				       const struct plumb_recording *recording);

/*
 * Adds a record about address spaces or threads; ignores all others. Add records in the order of
 * their times. Returns 0 or PLUMB_ERR_NO_MEMORY.
 */
PLUMB_API int plumb_symbolizer_add(struct plumb_symbolizer *symbolizer,
				   const struct plumb_record *record);

/*
 * Returns PLUMB_ERR_NO_MEMORY if memory or file descriptors ran out while files were read, so that
 * symbols or lines are missing that should be there; else 0. Ask when all addresses are found.
 */
PLUMB_API int plumb_symbolizer_status(const struct plumb_symbolizer *symbolizer);

/*
 * Returns warning number `index` about the files that were read so far, one line each; NULL: there
 * are no more. For instance, a file has changed since it was recorded, and so is not used; or no
 * build-id was recorded, and it was written after the recording.
 */
PLUMB_API const char *plumb_symbolizer_warning(const struct plumb_symbolizer *symbolizer,
					       size_t index);

/*
 * Returns how many of the files that symbols were looked for in cannot be read, although a process
 * had mapped them, and sets `*first` to the name that comes first. NULL: there are none.
 */
PLUMB_API size_t plumb_symbolizer_gone(const struct plumb_symbolizer *symbolizer,
				       const char **first);

/* Returns the thread `tid` of process `pid` (-1: unknown), or NULL if out of memory. */
PLUMB_API const struct plumb_task *plumb_symbolizer_task(struct plumb_symbolizer *symbolizer,
							 int32_t pid, int32_t tid);

/*
 * Finds `ip` in the current address space of `task`, or in the kernel's, depending on `mode`. Loads
 * a file's symbols at its first address. Returns true if `ip` is in a mapping.
 */
PLUMB_API bool plumb_symbolizer_locate(struct plumb_symbolizer *symbolizer,
				       const struct plumb_task *task, enum plumb_cpu_mode mode,
				       uint64_t ip, struct plumb_location *location);

/*
 * Writes the address of `location` within its ELF file, as objdump and addr2line use it: with
 * plumb_symbol_file_path(), it identifies code without symbols. An address of the kernel stays the
 * same. Returns false if the file is unknown or was not found.
 */
PLUMB_API bool plumb_symbolizer_link_address(struct plumb_symbolizer *symbolizer,
					     const struct plumb_location *location,
					     uint64_t *address);

/* The maximum number of source frames of an address: a function and its inlined functions. */
#define PLUMB_SOURCE_FRAMES_MAX 64

/* A line of source. Strings are the symbolizer's. */
struct plumb_source_frame {
	const char *function; /* demangled as plumb_symbol_paths asks; NULL: unknown */
	const char *file;     /* path in the debug information; NULL: unknown */
	unsigned line;        /* 1-based; 0: unknown */
	unsigned column;      /* 1-based; 0: unknown */
};

/*
 * Finds the source of `location`, which plumb_symbolizer_locate() filled in, using the DWARF of its
 * file or of its separate debug file. Writes up to `room` frames, from the innermost inlined
 * function to the function that contains it; a caller's line is that of its call. Returns how many,
 * or 0 if the source is unknown. The first call for a file is slow, because it reads the file.
 */
PLUMB_API size_t plumb_symbolizer_source(struct plumb_symbolizer *symbolizer,
					 const struct plumb_location *location,
					 struct plumb_source_frame *frames, size_t room);

/* An address of a call chain, and the mode that its code ran in. */
struct plumb_frame {
	uint64_t ip;
	enum plumb_cpu_mode mode;
	/*
	 * The address is where a call returns to: the call is before it. If the function called
	 * never returns, the next instruction may belong to another function. Unwinding gives the
	 * last byte of the call instead.
	 */
	bool returns;
};
/* The maximum length of a call chain. */
#define PLUMB_CALLCHAIN_MAX 127

/*
 * Writes the call chain of a sample of `task`, the innermost address first: the recorded one, and
 * the callers that its copies of registers and stack lead to. Returns how many; 0 also for a
 * damaged chain.
 */
PLUMB_API size_t plumb_symbolizer_callchain(struct plumb_symbolizer *symbolizer,
					    const struct plumb_task *task,
					    const struct plumb_record *record,
					    struct plumb_frame frames[PLUMB_CALLCHAIN_MAX]);

/*
 * Returns the mode of a data address or branch target in a sample of mode `mode`. The address
 * itself decides, because kernel and user share one address space.
 */
PLUMB_API enum plumb_cpu_mode plumb_symbolizer_mode(enum plumb_cpu_mode mode, uint64_t address);

#ifdef __cplusplus
}
#endif

#endif
