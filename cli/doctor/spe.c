/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine's SPE units can do, and the common errors with them: perf's SPE manual. */
#include <inttypes.h>
#include <stdlib.h>

#include "doctor.h"
#include "tool/join.h"

static char *describe_spe(const struct cpu_spe *spe)
{
	struct join join = {0};

	if (spe->min_interval) {
		char *text =
			memory_format("one sample per %u operations at most", spe->min_interval);

		join_add(&join, text);
		free(text);
	} else {
		join_add(&join, "records of sampled operations");
	}
	if (spe->inverted_filter)
		join_add(&join, "inverted event filters");
	if (spe->discard)
		join_add(&join, "discard mode");
	if (spe->operation_masks)
		join_add(&join, "operation masks");
	if (spe->data_source_filter)
		join_add(&join, "data-source filters");
	return join_take(&join);
}

#define MAY_RECORD "sudo plumb record, or sudo setcap cap_perfmon+ep $(command -v plumb)"
#define SWITCHES                                                                     \
	"samples get their thread from context switches, which can be wrong in the " \
	"kernel's code only"

static struct check *add_contexts(struct checkup *checkup, enum check_state state, const char *text,
				  const char *why)
{
	struct check *check =
		checkup_add(checkup, "spe-contexts", "SPE contexts", state, checkup_text(text));

	if (why)
		check->why = checkup_text(why);
	return check;
}

/*
 * Whether each record names its thread: set_spe_event_has_cx() in drivers/perf/arm_spe_pmu.c. Newer
 * kernels ask for the permission to sample the kernel, older ones for the capability itself.
 */
static void check_contexts(struct checkup *checkup)
{
	static const char none[] = "records do not name their thread (no CONTEXT packets)";
	static const char all[] = "each record names its thread (CONTEXT packets)";
	const struct cpu_machine *machine = &checkup->machine;
	const bool privileged = cpu_machine_is_privileged(machine);
	struct check *check;

	if (machine->contexts == CPU_CONTEXTS_OFF) {
		check = add_contexts(checkup, CHECK_LIMITED, none,
				     "the kernel is built without CONFIG_PID_IN_CONTEXTIDR");
		check->instead = checkup_text(SWITCHES);
	} else if (!privileged && !cpu_machine_may_count_kernel(machine)) {
		check = add_contexts(checkup, CHECK_LIMITED, none,
				     "that requires the capability CAP_PERFMON");
		check->fix = checkup_text(MAY_RECORD);
		check->instead = checkup_text(SWITCHES);
	} else if (machine->own_pids) {
		check = add_contexts(checkup, CHECK_LIMITED,
				     "records may name threads by numbers unknown here",
				     "this container numbers its processes itself, and SPE records "
				     "have the host's numbers");
		check->fix = checkup_text("docker run --pid=host IMAGE, or record on the host");
	} else if (!privileged) {
		check = add_contexts(checkup, CHECK_UNKNOWN,
				     "newer kernels let records name their thread",
				     "older kernels require the capability CAP_PERFMON");
		check->fix = checkup_text(MAY_RECORD);
		check->instead = checkup_text(SWITCHES);
	} else if (machine->contexts == CPU_CONTEXTS_UNKNOWN) {
		check = add_contexts(checkup, CHECK_UNKNOWN, all,
				     "only if the kernel is built with CONFIG_PID_IN_CONTEXTIDR, "
				     "which /boot does not tell");
		check->instead = checkup_text(SWITCHES);
	} else {
		add_contexts(checkup, CHECK_WORKS, all, NULL);
	}
}

/* Says how large recordings become, and what keeps them small and whole. */
static void check_data(struct checkup *checkup)
{
	const uint64_t interval = checkup->machine.spe.min_interval;
	struct check *check =
		checkup_add(checkup, "spe-data", "SPE data", CHECK_WORKS,
			    interval ? memory_format("up to 64 bytes per sample: up to %" PRIu64
						     " MB per billion "
						     "operations at -c %" PRIu64,
						     (64000 + interval - 1) / interval, interval)
				     : checkup_text("up to 64 bytes per sample"));

	check->fix = checkup_text("if recordings are too large, plumb record -e spe -c 100000; if "
				  "AUX data is truncated, plumb record -e spe -m ,64M");
}

void checkup_spe(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	const struct cpu_spe *spe = &machine->spe;
	struct check *check;

	if (!machine->arm)
		return;
	if (spe->exists) {
		check = checkup_add(checkup, "spe", "SPE", CHECK_WORKS, describe_spe(spe));
		if (machine->kpti) {
			check->state = CHECK_LIMITED;
			check->why = checkup_text(
				"the kernel isolates page tables (KPTI), which can keep "
				"SPE from its buffer");
			check->fix = checkup_text("add kpti=off to the kernel's command line");
		} else if (spe->some_cores) {
			check->state = CHECK_LIMITED;
			check->why = memory_format("only CPUs %s have it", spe->cpus);
		}
		check_contexts(checkup);
		check_data(checkup);
		return;
	}
	check = checkup_add(checkup, "spe", "SPE", CHECK_MISSING, checkup_text("no SPE unit"));
	check->instead = checkup_text(
		machine->pmu_count && cpu_machine_may_count(machine) &&
				!checkup_may_be_filtered(checkup)
			? "sampling by events works (plumb record -e cycles), and the model has an "
			  "SPE unit"
			: "the model has an SPE unit");
	if (machine->virtual_machine) {
		check->why = checkup_text("hypervisors seldom offer SPE to virtual machines");
		check->fix = checkup_text("in a cloud, use a metal instance");
	} else if (machine->kpti) {
		check->why = checkup_text(
			"the kernel isolates page tables (KPTI): the driver may refuse "
			"to start");
		check->fix = checkup_text("add kpti=off to the kernel's command line");
	} else if (!spe->module_loaded) {
		check->why = checkup_text("the driver is not loaded, or the CPU has no SPE");
		check->fix = checkup_text("sudo modprobe arm_spe_pmu");
	} else {
		check->why = checkup_text(
			"the driver found no unit: the firmware does not describe it, or "
			"the CPU has none");
		check->fix = checkup_text("dmesg | grep -i spe");
	}
}
