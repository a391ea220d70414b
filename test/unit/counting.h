/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of <plumb/count.h>, with `size` filled in: REQUEST(.stages = 2), PLAN_OPTIONS(). */
#ifndef TEST_COUNTING_H
#define TEST_COUNTING_H

#include <plumb/count.h>

#define REQUEST(...) ((struct plumb_request){.size = sizeof(struct plumb_request), __VA_ARGS__})
#define PLAN_OPTIONS(...) \
	((struct plumb_plan_options){.size = sizeof(struct plumb_plan_options), __VA_ARGS__})

#endif
