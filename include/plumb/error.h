/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors and diagnostics.
 *
 * Every function of the library that can fail returns a non-negative value or a negative
 * `enum plumb_error`. Messages, with their place and a hint, are added to a
 * `struct plumb_diagnostics`, which the caller owns. The library never prints and never exits.
 */
#ifndef PLUMB_ERROR_H
#define PLUMB_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the shared library exports; everything else is hidden. */
#if defined(__GNUC__)
#define PLUMB_API               __attribute__((visibility("default")))
#define PLUMB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PLUMB_API
#define PLUMB_PRINTF(fmt, args)
#endif

enum plumb_error {
	PLUMB_OK = 0,
	PLUMB_ERR_NO_MEMORY = -1,    /* an allocation failed */
	PLUMB_ERR_IO = -2,           /* a file could not be opened, read or written */
	PLUMB_ERR_SYNTAX = -3,       /* the input is malformed */
	PLUMB_ERR_INVALID = -4,      /* the input is well-formed but breaks a rule */
	PLUMB_ERR_UNSUPPORTED = -5,  /* the input is valid, but this version does not support it */
	PLUMB_ERR_NOT_FOUND = -6,    /* no such name, code or file */
	PLUMB_ERR_AMBIGUOUS = -7,    /* a name matches more than one thing */
	PLUMB_ERR_LIMIT = -8,        /* larger, deeper or longer than is accepted */
	PLUMB_ERR_ARGUMENT = -9,     /* the caller passed an invalid argument */
	PLUMB_ERR_PERMISSION = -10,  /* this user lacks the permission */
	PLUMB_ERR_MACHINE = -11,     /* this machine lacks a PMU, QEMU, a newer kernel, ... */
	PLUMB_ERR_BUSY = -12,        /* someone else is using it */
	PLUMB_ERR_INTERRUPTED = -13, /* ended early because the caller asked for it */
	PLUMB_ERR_NO_PROGRAM = -14,  /* the program does not exist */
	PLUMB_ERR_EXEC = -15,        /* the program exists but cannot be run */
};

/* Returns a short phrase for `error`, for example "out of memory". Static storage. */
PLUMB_API const char *plumb_error_name(int error);

enum plumb_severity {
	PLUMB_WARNING, /* the input can still be used */
	PLUMB_ERROR,   /* the input cannot be used */
};

/* One finding. The `struct plumb_diagnostics` that holds it made it, and owns its strings. May
 * grow. */
struct plumb_diagnostic {
	enum plumb_severity severity;
	const char *id;      /* stable, for tests and scripts: "duplicate-name" */
	const char *file;    /* the input's name, or NULL */
	unsigned line;       /* 1-based; 0: unknown */
	unsigned column;     /* 1-based, in bytes; 0: unknown */
	const char *path;    /* JSON path, "/metrics/ipc/formula", or NULL */
	const char *message; /* what is wrong, and why */
	const char *hint;    /* what to do about it, or NULL */
	/*
	 * For programs that would rather name one of their own options: a stable name for the hint,
	 * "use-model", and its subject, such as a CPU. NULL: there is none.
	 */
	const char *remedy, *subject;
};

/* A growing list of findings. Not thread-safe: use one list per thread. */
struct plumb_diagnostics;

/* The number of findings a list keeps; further ones are only counted. */
#define PLUMB_DIAGNOSTICS_MAX 1000

/* Returns an empty list, or NULL if out of memory. Free with plumb_diagnostics_free(), which
 * accepts NULL. */
PLUMB_API struct plumb_diagnostics *plumb_diagnostics_new(void);
PLUMB_API void plumb_diagnostics_free(struct plumb_diagnostics *list);

/* Return the number of findings kept, and the i-th in the order added; NULL past the end. */
PLUMB_API size_t plumb_diagnostics_count(const struct plumb_diagnostics *list);
PLUMB_API const struct plumb_diagnostic *plumb_diagnostics_get(const struct plumb_diagnostics *list,
							       size_t i);

/* Return how many errors and warnings were added, including those beyond PLUMB_DIAGNOSTICS_MAX. */
PLUMB_API size_t plumb_diagnostics_errors(const struct plumb_diagnostics *list);
PLUMB_API size_t plumb_diagnostics_warnings(const struct plumb_diagnostics *list);

/*
 * Adds one finding, with a message in printf's format. `id` must be a string literal. `list` may be
 * NULL: then nothing happens. `file` is copied; NULL: the finding is not about a file. If memory
 * runs out, the finding is still counted. plumb_diagnostics_hint() sets the hint of the last
 * finding kept.
 */
PLUMB_API void plumb_diagnostics_add(struct plumb_diagnostics *list, enum plumb_severity severity,
				     const char *id, const char *file, const char *format, ...)
	PLUMB_PRINTF(5, 6);
PLUMB_API void plumb_diagnostics_hint(struct plumb_diagnostics *list, const char *format, ...)
	PLUMB_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif
