/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names and mappings of what runs, as the records that told them: a recording that goes on in
 * another file begins with them again.
 */
#ifndef SOURCE_MODEL_TASKS_H
#define SOURCE_MODEL_TASKS_H

#include "source/model/record_setup.h"

struct model_tasks;

/* Returns NULL if out of memory. */
struct model_tasks *model_tasks_new(void);
void model_tasks_free(struct model_tasks *tasks);

/*
 * Takes a frame about a name, a mapping, or a task that begins or ends, and the record that it
 * became. Returns false if out of memory.
 */
bool model_tasks_note(struct model_tasks *tasks, const struct model_frame *frame,
		      const void *record, size_t size);
/* Writes all records that still hold. Returns 0 or an error of `records`. */
int model_tasks_write(const struct model_tasks *tasks,
		      int (*records)(void *user, const void *records, size_t size), void *user);

#endif
