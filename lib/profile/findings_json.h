/* SPDX-License-Identifier: Apache-2.0 */
/* What writing and reading findings share. */
#ifndef PROFILE_FINDINGS_JSON_H
#define PROFILE_FINDINGS_JSON_H

/* The version of the file. Additions do not change it: readers ignore what they do not know. */
#define FINDINGS_FORMAT 1

/* By enum plumb_verdict; ends with NULL. */
extern const char *const findings_verdicts[];
/* By enum plumb_finding_view; likewise. */
extern const char *const findings_views[];

#endif
