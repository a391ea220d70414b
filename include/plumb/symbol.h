/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols: which file, and which function of it, an address of a recorded process belongs to.
 *
 * The address spaces follow from a recording's MMAP, MMAP2, COMM, FORK and KSYMBOL records; symbols
 * are those of the ELF files they name, of files of debug information, and of the kernel. Where an
 * address could be called by several names the choice is that of Linux's perf, so that both say
 * the same. Files and records are not trusted.
 *
 * A symbolizer is for one thread at a time. Everything it gives out is its own, and stays until it
 * is freed, unless said otherwise.
 */
#ifndef PLUMB_SYMBOL_H
#define PLUMB_SYMBOL_H

#include <plumb/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plumb_symbolizer;

/* Where to look. Each may be NULL: then nobody looks there. Strings are copied. */
struct plumb_symbol_paths {
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

/* The processor's mode an address belongs to: PERF_RECORD_MISC_CPUMODE_MASK of .misc. */
enum plumb_cpu_mode {
	PLUMB_MODE_UNKNOWN = 0,
	PLUMB_MODE_KERNEL = 1,
	PLUMB_MODE_USER = 2,
	PLUMB_MODE_HYPERVISOR = 3,
	PLUMB_MODE_GUEST_KERNEL = 4,
	PLUMB_MODE_GUEST_USER = 5,
};

/* A thread. */
struct plumb_task {
	int32_t pid, tid;
	const char *comm; /* ":TID" if it is not known; until the next record is added */
};

struct plumb_symbol {
	uint64_t start, end; /* as plumb_location.address */
	const char *name;
	uint8_t binding, type; /* ELF's STB_*, STT_* */
	/* For the symbolizer: */
	bool mangled;
	uint32_t order;
};

/* A file that was mapped, or what stands for one: "[kernel.kallsyms]", "[vdso]", "//anon". */
struct plumb_symbol_file;
/* As the recording names it, as perf prints it. */
PLUMB_API const char *plumb_symbol_file_name(const struct plumb_symbol_file *file);
/* Its build-id, or NULL: it is not known. */
PLUMB_API const uint8_t *plumb_symbol_file_build_id(const struct plumb_symbol_file *file,
						    size_t *size);
PLUMB_API bool plumb_symbol_file_is_kernel(const struct plumb_symbol_file *file);
/*
 * The ELF file in this machine's file system that its symbols came from or, if it has none, that
 * would be it; NULL if there is none. For reading its code.
 */
PLUMB_API const char *plumb_symbol_file_path(struct plumb_symbolizer *symbolizer,
					     struct plumb_symbol_file *file);

/* Where an address is. */
struct plumb_location {
	uint64_t ip;                       /* the address itself */
	uint64_t address;                  /* its place in the file; the kernel's: the same */
	uint64_t map_start, map_end;       /* the mapping it is in; 0: none */
	struct plumb_symbol_file *file;    /* NULL: not known */
	const struct plumb_symbol *symbol; /* NULL: not known */
};

/* NULL when memory is short. `paths` may be NULL: looks nowhere. */
PLUMB_API struct plumb_symbolizer *plumb_symbolizer_new(const struct plumb_symbol_paths *paths);
PLUMB_API void plumb_symbolizer_free(struct plumb_symbolizer *symbolizer); /* takes NULL */

/*
 * Of the recording: the machine's architecture ("aarch64", as uname -m says; NULL: not known), so
 * that the running kernel's symbols are not taken for those of another; and the build-ids that it
 * lists for files by their paths, as plumb_recording_build_id() gives them (`build_id` may be
 * NULL). Optional; to be called before any record is added.
 */
PLUMB_API void plumb_symbolizer_origin(struct plumb_symbolizer *symbolizer, const char *arch,
				       const uint8_t *(*build_id)(const void *user,
								  const char *path, size_t *size),
				       const void *user);

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
/* The same without its symbol, which may cost reading a file. */
PLUMB_API bool plumb_symbolizer_locate_file(struct plumb_symbolizer *symbolizer,
					    const struct plumb_task *task, enum plumb_cpu_mode mode,
					    uint64_t ip, struct plumb_location *location);

/*
 * The mode of an address that a sample of `mode` tells of: of data, or where a branch led. Kernel
 * and user share one address space, so it tells by itself.
 */
PLUMB_API enum plumb_cpu_mode plumb_symbolizer_mode(enum plumb_cpu_mode mode, uint64_t address);

/*
 * `name` demangled (C++, Rust), with parameters if `signature`; NULL if it is not mangled or
 * memory is short. To be freed with free().
 */
PLUMB_API char *plumb_demangle(const char *name, bool signature);

#ifdef __cplusplus
}
#endif

#endif
