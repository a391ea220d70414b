/* SPDX-License-Identifier: Apache-2.0 */
/* What people call the causes of an exact profile. */
#ifndef RENDER_CAUSE_NAMES_H
#define RENDER_CAUSE_NAMES_H

/*
 * Returns the name of a cause that the model counts slots by: that of the node that plumb
 * stat shows for it, without "_bound": "backend_cache_l2d" for "backend_mem". Others stay.
 */
const char *cause_shown(const char *cause);

#endif
