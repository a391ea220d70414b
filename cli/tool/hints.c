/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/hints.h"

#include <stdio.h>
#include <string.h>

/*
 * What to do, by the library's name for it; '*' stands for what the hint is about.
 * scripts/layers.py compares the names with those in lib/.
 */
static const struct {
	const char *remedy, *hint;
} hints[] = {
	/* The source. */
	{"use-model", "use --source model"},
	{"use-model-anywhere",
	 "use --source model, which counts AArch64 programs on any machine; see plumb doctor"},
	{"use-model-or-software",
	 "use --source model, or software events such as task-clock; see plumb doctor"},
	{"run-in-model", "use --source model to run it"},
	{"use-engine", "use --qemu *"},
	{"newer-engine", "use QEMU 9.0 or later, with --qemu"},
	{"sysroot", "install libc6-arm64-cross, or name the folder of an AArch64 system with -L"},
	{"name-cpu", "name the CPU with --cpu; see plumb spec list cpus"},
	{"perf-in-kernel",
	 "use a kernel with CONFIG_PERF_EVENTS, or --source model; see plumb doctor"},
	{"filtered", "a filter of system calls (seccomp) seems to block perf_event_open(2), as in "
		     "containers; see plumb doctor"},
	{"find-spe",
	 "use --source model, or see plumb doctor for what keeps this machine from SPE"},

	{"sample-cpus", "sample CPUs with -a or -C"},
	{"own-cpus", "use -C * instead of -a"},

	/* Calibration. */
	{"calibrate-model", "use --model CORE to check the method on a core of the model"},
	{"list-figures", "see plumb calibrate --list"},

	/* Comparisons. */
	{"write-counts", "plumb stat --json -o FILE writes counts"},

	/* Events. */
	{"list-events", "see plumb list events"},
	{"list-events-of", "see plumb spec list events --cpu *"},
	{"list-events-of-cpu", "use an event of the CPU: see plumb list events"},
	{"list-events-of-model", "see plumb list events --source model"},
	{"list-generic", "see plumb list generic"},
	{"list-all-events", "use a PMU event or a software event; see plumb list -v"},
	{"metric-group", "* is a metric group: plumb stat --metric-group *"},
	{"fewer-events", "use fewer events, --collect-by none, or --source model"},
	{"other-events-or-model", "use other events or --source model"},
	{"elapsed-time", "plumb stat always prints the elapsed time"},
	{"sample-spe", "use plumb record -e spe"},
	{"count-instead", "count it with plumb stat, or sample cpu-clock"},

	/* Recording. */
	{"call-graph", "use -g to record call chains"},
	{"places", "use --from and --to to begin and end at places in the program"},
	{"no-branches", "branch stacks require a PMU event and a branch buffer (BRBE), see plumb "
			"doctor; -e spe/branch/ samples branches, too"},
	{"no-inherit", "use -i to leave out forked processes"},
	{"spe-period", "use period=N, or -c N"},
	{"filter-sources", "record all, and use report or script with --filter source=NAME"},
	{"check-period", "check -c, -F and the terms between slashes"},
	{"lower-frequency",
	 "use a lower -F, or as root: sysctl kernel.perf_event_max_sample_rate=*"},
	{"frame-pointers", "use --call-graph fp, with a program built with "
			   "-fno-omit-frame-pointer"},
	{"exact-no-events", "remove -e"},
	{"count-children", "--children counts the processes that the program forks, too"},
	{"sampled-exact", "use --exact, or plumb stat --sampled"},
	{"exact-whole-run", "sample a part of it, or count it with plumb stat"},

	/* Recordings. */
	{"not-bare", "leave out --raw"},

	/* Losses. */
	{"larger-ring", "record with a larger ring (-m), or sample less often (-c, -F)"},
	{"sample-less", "sample less often (-c, -F)"},
	{"sample-less-or-raise",
	 "sample less often (-c, -F), or raise kernel.perf_event_max_sample_rate"},
	{"larger-aux", "record with a larger AUX buffer (-m ,SIZE)"},
	{"larger-aux-or-period",
	 "record with a larger AUX buffer (-m ,SIZE) or a longer period (-c)"},
	{"longer-period", "record with a longer period (-c)"},
	{"longer-period-why", "record with a longer period (-c): what runs shortly after slow "
			      "operations is then missed less"},
	{"dump-packets", "the recording is damaged there, or newer than this program: `plumb spe "
			 "dump` shows the packets"},
};

/* Writes `text` into `room`, with `subject` for each '*'. */
static void fill(const char *text, const char *subject, char *room, size_t size)
{
	size_t used = 0;

	while (*text && used + 1 < size) {
		const size_t plain = strcspn(text, "*");
		const char *name = text[plain] ? subject : "";

		used += (size_t)snprintf(room + used, size - used, "%.*s%s", (int)plain, text,
					 name);
		text += plain + (text[plain] != '\0');
	}
}

const char *hint_of(const struct plumb_diagnostic *finding, char *room, size_t size)
{
	for (size_t i = 0; finding->remedy && i < sizeof(hints) / sizeof(*hints); i++) {
		if (strcmp(finding->remedy, hints[i].remedy) != 0)
			continue;
		if (!finding->subject)
			return hints[i].hint;
		fill(hints[i].hint, finding->subject, room, size);
		return room;
	}
	return finding->hint;
}
