/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about a recording, with their places in it. */
#include <errno.h>
#include <stdio.h>

#include "base/diagnostics.h"
#include "recording/folder.h"
#include "recording/reader.h"

#define COMPLAINTS_TOLD 5u

static const char *const complaint_ids[COMPLAINT_KINDS] = {
	[COMPLAINT_CUT_OFF] = "cut-off",          [COMPLAINT_DAMAGED] = "damaged-record",
	[COMPLAINT_UNKNOWN_ID] = "unknown-event", [COMPLAINT_FEATURE] = "damaged-feature",
	[COMPLAINT_ATTRIBUTE] = "odd-attribute",  [COMPLAINT_AUX] = "damaged-aux-index",
	[COMPLAINT_ORDER] = "out-of-order",
};

/* The name of the file that is read. */
static const char *name_now(const struct plumb_recording *r)
{
	return r->folder && r->folder->count ? r->folder->parts[r->folder->current].name : r->name;
}

static PLUMB_PRINTF(5, 0) void add_warning(struct plumb_recording *r, const char *name,
					   enum complaint_kind kind, uint64_t offset,
					   const char *format, va_list args)
{
	const struct place where = {.file = name};
	char text[320];

	(void)vsnprintf(text, sizeof(text), format, args);
	pthread_mutex_lock(&r->found_lock);
	diagnostics_add(r->diagnostics, PLUMB_WARNING, complaint_ids[kind], &where, "at %#llx: %s",
			(unsigned long long)offset, text);
	pthread_mutex_unlock(&r->found_lock);
}

void reader_complain(struct plumb_recording *r, enum complaint_kind kind, uint64_t offset,
		     const char *format, ...)
{
	va_list args;

	if (r->complaints[kind]++ >= COMPLAINTS_TOLD)
		return;
	va_start(args, format);
	add_warning(r, name_now(r), kind, offset, format, args);
	va_end(args);
}

void reader_complain_of(struct plumb_recording *r, enum complaint_kind kind,
			const struct raw_record *raw, const char *format, ...)
{
	va_list args;

	if (r->complaints[kind]++ >= COMPLAINTS_TOLD)
		return;
	va_start(args, format);
	add_warning(r, r->folder ? r->folder->parts[raw->part].name : r->name, kind, raw->offset,
		    format, args);
	va_end(args);
}

int refuse(const struct plumb_recording *r, int error, const char *id, const char *format, ...)
{
	/* The lock is not what is constant of a recording. */
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&r->found_lock;
	const struct place where = {.file = name_now(r)};
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(lock);
	diagnostics_vadd(r->diagnostics, PLUMB_ERROR, id, &where, format, args);
	pthread_mutex_unlock(lock);
	va_end(args);
	return error;
}

int out_of_memory(const struct plumb_recording *r)
{
	return refuse(r, PLUMB_ERR_NO_MEMORY, "no-memory", "out of memory");
}

int reader_failed(const struct plumb_recording *r)
{
	return refuse(r, PLUMB_ERR_IO, "read", "reading failed at %#llx: %s",
		      (unsigned long long)r->source.position, strerrordesc_np(errno));
}
