/* SPDX-License-Identifier: Apache-2.0 */
/* The column of data sources. */
#ifndef RENDER_PROFILE_SOURCES_H
#define RENDER_PROFILE_SOURCES_H

#include <jansson.h>

#include "render/profile.h"

/* "######==-- L1D 62% L2 21%" */
void sources_add_bar(struct table *table, const struct profile_view *view, size_t event,
		     size_t row);
/* "L1D:62;L2:21;DRAM:17": numbers of samples */
void sources_add_list(struct table *table, const struct profile_view *view, size_t event,
		      size_t row);
json_t *sources_object(const struct profile_view *view, size_t event, size_t row);

#endif
