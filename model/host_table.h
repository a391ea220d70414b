/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates tables of megabytes with random access. Uses the host's huge pages if available, since
 * with small pages nearly every access would miss the host's TLB.
 */
#ifndef MODEL_HOST_TABLE_H
#define MODEL_HOST_TABLE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HOST_LARGE_PAGE (2u << 20)

/* Returns `size` zero bytes, aligned to a page; NULL if out of memory. */
static inline void *host_table(size_t size)
{
	size_t whole = (size + HOST_LARGE_PAGE - 1) / HOST_LARGE_PAGE * HOST_LARGE_PAGE;
	void *table = aligned_alloc(HOST_LARGE_PAGE, whole);

	if (!table)
		return NULL;
	madvise(table, whole, MADV_HUGEPAGE); /* small pages work too */
	memset(table, 0, whole);
	return table;
}

static inline void host_table_free(void *table)
{
	free(table);
}

#endif
