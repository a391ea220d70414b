/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_SPE_AUXTRACE_H
#define RECORDING_SPE_AUXTRACE_H

#include <plumb/recording.h>

/*
 * The MIDR that a recording's CPUID says, "0x00000000410fd0c0" as perf on AArch64 writes it; 0 if
 * it says none, or is NULL.
 */
uint32_t spe_cpuid_midr(const char *cpuid);

#endif
