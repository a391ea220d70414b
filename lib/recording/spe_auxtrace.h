/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_SPE_AUXTRACE_H
#define RECORDING_SPE_AUXTRACE_H

#include <plumb/recording.h>
#include <plumb/spe_groups.h>

/* What the recording says of the core of CPU `cpu`; of any, if it is negative and all are alike. */
struct plumb_spe_core spe_core(const struct plumb_recording *recording, int32_t cpu);
/* The MIDR that the feature CPUID says; 0: none. */
uint32_t spe_cpuid_midr(const struct plumb_recording *recording);

#endif
