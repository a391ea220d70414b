/* SPDX-License-Identifier: Apache-2.0 */
/* Puts what another tool computed into a result. */
#ifndef COUNT_GIVEN_H
#define COUNT_GIVEN_H

#include <plumb/count.h>

/* Sets the value of the selection's `metric`-th metric, unless it was computed from counts. */
void result_give_value(struct plumb_result *result, size_t metric, double value);
/* Sets the spread of the plan's `event`-th event, as plumb_event_count.deviation. */
void result_give_deviation(struct plumb_result *result, uint16_t event, double deviation);

#endif
