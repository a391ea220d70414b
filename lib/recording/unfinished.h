/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mark of a recording that plumb has not finished. It stands in the file's header where event
 * types were until Linux 3.7, as the offset of a section without bytes, and is taken away at the
 * end. perf looks at the section's size, if at all.
 */
#ifndef RECORDING_UNFINISHED_H
#define RECORDING_UNFINISHED_H

#include <stdint.h>

#define RECORDING_UNFINISHED UINT64_C(0x4853494e49464e55) /* "UNFINISH" */

#endif
