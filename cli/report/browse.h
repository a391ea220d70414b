/* SPDX-License-Identifier: Apache-2.0 */
/* plumb report in the terminal browser. */
#ifndef REPORT_BROWSE_H
#define REPORT_BROWSE_H

#include "report/report.h"

/*
 * Shows the recording of `options` in the browser; `report` prints one view of it. Returns an exit
 * status.
 */
int report_browse(const struct report_options *options,
		  int (*report)(struct report_options *options));

#endif
