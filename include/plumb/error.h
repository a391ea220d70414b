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

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what the shared library exports; all else is hidden. */
#if defined(__GNUC__)
#define PLUMB_API               __attribute__((visibility("default")))
#define PLUMB_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PLUMB_API
#define PLUMB_PRINTF(fmt, args)
#endif

enum plumb_error {
	PLUMB_OK = 0,
	PLUMB_ERR_NO_MEMORY = -1,   /* an allocation failed */
	PLUMB_ERR_IO = -2,          /* a file could not be opened, read or written */
	PLUMB_ERR_SYNTAX = -3,      /* the input is not of its format at all */
	PLUMB_ERR_INVALID = -4,     /* well-formed, but what it says is wrong */
	PLUMB_ERR_UNSUPPORTED = -5, /* valid, but not something this version handles */
	PLUMB_ERR_NOT_FOUND = -6,   /* no such name, code or file */
	PLUMB_ERR_AMBIGUOUS = -7,   /* a name that fits more than one thing */
	PLUMB_ERR_LIMIT = -8,       /* larger, deeper or longer than is accepted */
	PLUMB_ERR_ARGUMENT = -9,    /* the caller passed something out of range */
	PLUMB_ERR_PERMISSION = -10, /* this user may not do that */
	PLUMB_ERR_MACHINE = -11, /* this machine lacks what it takes: a PMU, QEMU, a newer kernel */
	PLUMB_ERR_BUSY = -12,    /* somebody else uses it */
	PLUMB_ERR_INTERRUPTED = -13, /* ended early because the caller asked for it */
	PLUMB_ERR_NO_PROGRAM = -14,  /* there is no such program */
	PLUMB_ERR_EXEC = -15,        /* the program is there, and cannot be run */
};

/* A short English phrase for `error`, for example "out of memory". Static storage. */
PLUMB_API const char *plumb_error_name(int error);

enum plumb_severity {
	PLUMB_WARNING, /* the input can be used as it is */
	PLUMB_ERROR,   /* it cannot */
};

/* One finding. Every string is owned by the `struct plumb_diagnostics` that holds it. */
struct plumb_diagnostic {
	enum plumb_severity severity;
	const char *id;      /* stable, for tests and scripts: "duplicate-name" */
	const char *file;    /* the input's name, or NULL */
	unsigned line;       /* 1-based; 0: unknown */
	unsigned column;     /* 1-based, in bytes; 0: unknown */
	const char *path;    /* JSON path, "/metrics/ipc/formula", or NULL */
	const char *message; /* what is wrong, and why */
	const char *hint;    /* what to do about it, or NULL */
};

/* A growing list of findings. Not thread-safe: one list a thread. */
struct plumb_diagnostics;

/* The most findings one list keeps; further ones are only counted. */
#define PLUMB_DIAGNOSTICS_MAX 1000

/* NULL when memory is short. Free with plumb_diagnostics_free(), which takes NULL too. */
PLUMB_API struct plumb_diagnostics *plumb_diagnostics_new(void);
PLUMB_API void plumb_diagnostics_free(struct plumb_diagnostics *list);

/* How many findings are kept, and the i-th of them (NULL past the end), in the order they came. */
PLUMB_API size_t plumb_diagnostics_count(const struct plumb_diagnostics *list);
PLUMB_API const struct plumb_diagnostic *plumb_diagnostics_get(const struct plumb_diagnostics *list,
							       size_t i);

/* How many errors and warnings came in all, those past PLUMB_DIAGNOSTICS_MAX included. */
PLUMB_API size_t plumb_diagnostics_errors(const struct plumb_diagnostics *list);
PLUMB_API size_t plumb_diagnostics_warnings(const struct plumb_diagnostics *list);

/* Where a finding stands. Members that are unknown stay zero; strings are copied. */
struct plumb_place {
	const char *file;
	unsigned line;
	unsigned column;
	const char *path;
};

/*
 * Adds one finding, its message from a printf format. `id` must be a string literal. `list` may be
 * NULL, in which case nothing happens; likewise `where`. If memory is short the finding is still
 * counted. `plumb_diagnostics_hint` sets the hint of the newest finding kept.
 */
PLUMB_API void plumb_diagnostics_add(struct plumb_diagnostics *list, enum plumb_severity severity,
				     const char *id, const struct plumb_place *where,
				     const char *format, ...) PLUMB_PRINTF(5, 6);
PLUMB_API void plumb_diagnostics_vadd(struct plumb_diagnostics *list, enum plumb_severity severity,
				      const char *id, const struct plumb_place *where,
				      const char *format, va_list args) PLUMB_PRINTF(5, 0);
PLUMB_API void plumb_diagnostics_hint(struct plumb_diagnostics *list, const char *format, ...)
	PLUMB_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif

#endif
