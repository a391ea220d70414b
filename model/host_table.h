/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of megabytes that are looked at in no order: in the host's large pages where it gives
 * them, since a small page would cost a walk of the host's own at nearly each look.
 */
#ifndef MODEL_HOST_TABLE_H
#define MODEL_HOST_TABLE_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HOST_LARGE_PAGE (2u << 20)

/* `size` bytes of zeros, from the beginning of a page on; NULL when memory is short. */
static inline void *host_table(size_t size)
{
	size_t whole = (size + HOST_LARGE_PAGE - 1) / HOST_LARGE_PAGE * HOST_LARGE_PAGE;
	void *table = aligned_alloc(HOST_LARGE_PAGE, whole);

	if (!table)
		return NULL;
	madvise(table, whole, MADV_HUGEPAGE); /* where there are none, small ones do */
	memset(table, 0, whole);
	return table;
}

static inline void host_table_free(void *table)
{
	free(table);
}

#endif
