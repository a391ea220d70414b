/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marks of a recording that plumb has not finished, or could not write to its end: the disk was
 * full. They stand in the file's header where event types were until Linux 3.7, as the offset of a
 * section without bytes; the first is taken away at the end. perf looks at the section's size, if
 * at all.
 */
#ifndef RECORDING_UNFINISHED_H
#define RECORDING_UNFINISHED_H

#include <stdint.h>

#define RECORDING_UNFINISHED UINT64_C(0x4853494e49464e55) /* "UNFINISH" */
#define RECORDING_INCOMPLETE UINT64_C(0x4c504d4f434e492d) /* "-INCOMPL" */

/*
 * In a pipe, which cannot be changed, the same is said by two records: `misc` of a FINISHED_ROUND
 * before all data, and of one after it. perf does not look at it.
 */
#define RECORDING_PIPE_BEGINS 0x4250u /* "PB" */
#define RECORDING_PIPE_ENDS   0x4550u /* "PE" */

#endif
