/* SPDX-License-Identifier: Apache-2.0 */
/* Opens this machine's PMU: chooses it, its CPU, and the number of counters. */
#include <plumb/perf.h>

#include <stdlib.h>

#include "base/diagnostics.h"
#include "base/sized.h"
#include "source/perf/events.h"
#include "source/perf/spe_pmu.h"
#include "source/source.h"

/* A Neoverse's programmable counters, if nobody tells. */
#define COUNTERS_USUAL 6

bool plumb_perf_has_pmu(void)
{
	struct cpu_pmu pmu;

	return cpu_find_pmus("", &pmu, 1) > 0;
}

/*
 * Only the kernel knows how many counters are free, because it may use some itself. There are never
 * more than the specification says.
 */
static void count_counters(struct plumb_source *source)
{
	struct perf_own_counters own = {false, false};
	const int free = source->elsewhere ? -1 : perf_counters(source->pmu.type, &own);
	const unsigned most = source->spec->product.counters;

	/* If the kernel does not say, it will not count either; the plan is for the core then. */
	source->cycle_counter = own.cycles || free < 0;
	source->counters = free < 0 ? most : (unsigned)free;
	if (most && source->counters > most)
		source->counters = most;
	if (free < 0 && !most)
		source->counters = COUNTERS_USUAL;
	/* If others have them all, each event waits for one by itself. */
	if (source->counters == 0)
		source->counters = 1;
}

static void find_spe(struct plumb_source *source, const char *root)
{
	struct spe_pmu pmus[SPE_PMUS_MAX];
	size_t count = spe_find_pmus(root, pmus, SPE_PMUS_MAX);

	source->has_spe = count > 0;
	source->spe_interval = count ? pmus[0].min_interval : 0;
	for (size_t i = 0; i < count && i < SPE_PMUS_MAX; i++)
		spe_pmu_free(&pmus[i]);
}

static int no_pmu(struct plumb_diagnostics *diagnostics)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-pmu", NULL,
			      "perf requires an Arm PMU, which this machine does not have");
	diagnostics_remedy(diagnostics, "use-model-anywhere", NULL,
			   "use the model source, which counts AArch64 programs on any machine");
	return PLUMB_ERR_MACHINE;
}

/* Chooses the PMU and the specification. */
static int choose(struct plumb_source *source, const char *root, const struct plumb_spec *spec,
		  struct plumb_diagnostics *diagnostics)
{
	struct cpu_pmu pmus[CPU_PMUS_MAX];
	size_t count = cpu_find_pmus(root, pmus, CPU_PMUS_MAX);

	if (count == 0)
		return no_pmu(diagnostics);
	source->pmu = *cpu_choose_pmu(pmus, count < CPU_PMUS_MAX ? count : CPU_PMUS_MAX, spec);
	source->midr = source->pmu.midr;
	source->spec = spec;
	if (!spec && source->midr)
		source->spec = plumb_spec_for_midr(source->midr);
	if (!source->spec) {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-spec", NULL,
				      "no specification for this machine's CPU, MIDR_EL1 0x%08x",
				      source->midr);
		diagnostics_remedy(diagnostics, "name-cpu", NULL, "give the CPU's specification");
		return PLUMB_ERR_MACHINE;
	}
	if (!source->midr)
		source->midr = plumb_spec_midr(source->spec);
	count_counters(source);
	return 0;
}

int plumb_perf_open(const struct plumb_perf_options *options, struct plumb_source **source,
		    struct plumb_diagnostics *diagnostics)
{
	struct plumb_perf_options given;
	struct plumb_source *made;
	const char *root;
	int error = 0;

	*source = NULL;
	if (!sized_read(&given, sizeof(given), options))
		return PLUMB_ERR_ARGUMENT;
	made = calloc(1, sizeof(*made));
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	made->kind = &source_perf;
	made->elsewhere = given.root != NULL;
	root = given.root ? given.root : "";
	find_spe(made, root);
	if (!given.software)
		error = choose(made, root, given.spec, diagnostics);
	if (error < 0) {
		plumb_source_close(made);
		return error;
	}
	*source = made;
	return 0;
}
