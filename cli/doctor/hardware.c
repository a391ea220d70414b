/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine's monitors can measure, for whom, and what would change that. */
#include <stdlib.h>
#include <string.h>

#include <plumb/spec.h>

#include "doctor.h"
#include "source/perf/events.h"
#include "tool/join.h"

#define TOPDOWN_SLOTS 0x003f /* STALL_SLOT */
#define SET_LEVEL     "sudo sysctl kernel.perf_event_paranoid=%d"

static const struct plumb_spec *spec_of(const struct cpu_pmu *pmu)
{
	return pmu->midr ? plumb_spec_for_midr(pmu->midr) : NULL;
}

/* ---- the cores' PMUs ------------------------------------------------------------------------ */

static char *name_pmus(const struct cpu_machine *machine, bool *all_known)
{
	struct join join = {0};

	*all_known = true;
	for (size_t i = 0; i < machine->pmu_count; i++) {
		const struct cpu_pmu *pmu = &machine->pmus[i];
		const struct plumb_spec *spec = spec_of(pmu);
		char *text = spec ? memory_format("%s (%s)", pmu->name, spec->product.name)
				  : memory_format("%s (unknown CPU, MIDR_EL1 0x%08x)", pmu->name,
						  pmu->midr);

		*all_known &= spec != NULL;
		join_add(&join, text);
		free(text);
	}
	return join_take(&join);
}

static void check_pmu(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	struct check *check;
	bool all_known;

	if (machine->pmu_count) {
		check = checkup_add(checkup, "core-pmu", "Core PMU", CHECK_WORKS,
				    name_pmus(machine, &all_known));
		if (all_known)
			return;
		check->state = CHECK_LIMITED;
		check->why = checkup_text(
			"Plumb has no specification, and so no metrics, for an unknown CPU");
		check->fix =
			checkup_text("plumb stat --cpu NAME, of a similar CPU; plumb spec list "
				     "cpus lists the names");
		return;
	}
	check = checkup_add(checkup, "core-pmu", "Core PMU", CHECK_MISSING,
			    checkup_text("no counters of an Arm core"));
	check->instead = checkup_text(
		machine->has_perf ? "the model counts AArch64 programs; software events work"
				  : "the model counts AArch64 programs");
	if (!machine->arm) {
		check->why = checkup_text("this is not an Arm machine");
	} else if (!machine->has_perf) {
		check->why = checkup_text("the kernel cannot count: see Permission");
	} else if (!machine->has_devices) {
		check->why = checkup_text("/sys/bus/event_source is not visible");
		check->fix = checkup_text("sudo mount -t sysfs sysfs /sys");
	} else if (machine->virtual_machine) {
		check->why = checkup_text("the hypervisor gives this virtual machine no PMU");
		check->fix = checkup_text(
			"qemu-system-aarch64 -cpu host,pmu=on; in a cloud, a larger or a "
			"metal instance");
	} else {
		check->why = checkup_text("the kernel found no PMU in the firmware's tables");
		check->fix = checkup_text("dmesg | grep -i pmu");
	}
}

/* ---- counters ----------------------------------------------------------------------------- */

static void check_counters(struct checkup *checkup, const struct cpu_pmu *pmu)
{
	const struct plumb_spec *spec = spec_of(pmu);
	const unsigned most = spec ? spec->product.counters : 0;
	struct perf_own_counters own = {false, false};
	struct check *check;
	int count;

	if (!checkup->here) {
		checkup_add(checkup, "counters", "Counters", CHECK_UNKNOWN,
			    most ? memory_format("the core has %u; run plumb doctor on the machine "
						 "to see how many are free",
						 most)
				 : checkup_text("run plumb doctor on the machine to see how many "
						"are free"));
		return;
	}
	count = perf_counters(pmu->type, &own);
	if (count < 0) {
		checkup_add(checkup, "counters", "Counters", CHECK_UNKNOWN,
			    memory_format("the kernel refused to count: %s", strerror(-count)));
		return;
	}
	check = checkup_add(checkup, "counters", "Counters", CHECK_WORKS,
			    memory_format("%d for any event%s%s", count,
					  own.cycles ? ", one more for cycles" : "",
					  own.instructions ? ", one more for instructions" : ""));
	if ((most && (unsigned)count < most) || !own.cycles) {
		check->state = CHECK_LIMITED;
		check->why =
			most && (unsigned)count < most
				? memory_format("the core has %u: the hypervisor, the kernel "
						"or another profiler keeps the others",
						most)
				: checkup_text("cycles take a counter that other events could use");
		check->instead =
			checkup_text("groups of events take turns, which takes longer; plumb stat "
				     "--no-multiplex runs the program once per group");
	}
}

/* ---- events ------------------------------------------------------------------------------- */

static void check_events(struct checkup *checkup, size_t i)
{
	const struct cpu_pmu *pmu = &checkup->machine.pmus[i];
	const struct plumb_spec *spec = spec_of(pmu);
	struct join lacking = {0};
	size_t count = 0, all = 0;
	bool needs_slots = false;
	struct check *check;
	char *names;

	for (uint16_t e = 0; spec && e < spec->event_count; e++) {
		if (!(spec->events[e].accesses & PLUMB_ACCESS_PMU))
			continue;
		all++;
		if (cpu_pmu_may_count(pmu, spec->events[e].code))
			continue;
		count++;
		needs_slots |= spec->events[e].code == TOPDOWN_SLOTS;
		join_add(&lacking, spec->events[e].name);
	}
	names = join_take(&lacking);
	if (spec && count) {
		check = checkup_add(
			checkup, "events", "Events", CHECK_LIMITED,
			memory_format("%s lacks %zu of %zu: %s", pmu->name, count, all, names));
		check->why = memory_format(
			"the kernel does not list them%s",
			checkup->machine.virtual_machine ? "; hypervisors hide events" : "");
		check->instead = checkup_text(
			needs_slots ? "metrics of the other events work; the top-down tree "
				      "requires STALL_SLOT"
				    : "metrics of the other events work");
	} else if (spec) {
		checkup_add(checkup, "events", "Events", CHECK_WORKS,
			    memory_format("%s counts all %zu events of its CPU", pmu->name, all));
	}
	free(names);
}

/* ---- permission --------------------------------------------------------------------------- */

/* Returns the error of counting a program's time, which every kernel can; 0: it works. */
static int try_software(const struct checkup *checkup)
{
	return checkup->here ? perf_try_software() : 0;
}

bool checkup_may_be_filtered(const struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;

	return !checkup->here && machine->seccomp == 2 && machine->container &&
	       !cpu_machine_is_privileged(machine);
}

static void blame_filter(struct check *check, const char *blocks)
{
	check->why = memory_format("a filter of system calls (seccomp) %s perf_event_open(2), as "
				   "containers' default profiles do",
				   blocks);
	check->fix = checkup_text(
		"docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE");
	check->instead = checkup_text("the model works");
}

static void blame_sandbox(struct check *check)
{
	check->why = checkup_text("a sandbox or a security module blocks perf_event_open(2)");
	check->fix = checkup_text("dmesg | grep -i denied");
	check->instead = checkup_text("the model works");
}

static void check_permission(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	const bool may = cpu_machine_may_count(machine);
	const int error = may ? try_software(checkup) : 0;
	struct check *check = checkup_add(checkup, "permission", "Permission", CHECK_MISSING, NULL);

	if (!machine->has_perf) {
		check->text = checkup_text("this kernel cannot count");
		check->why = checkup_text("it has no perf_event_open(2), or /proc is not visible");
		check->fix = checkup_text("boot a kernel with CONFIG_PERF_EVENTS=y");
		check->instead = checkup_text("the model works");
	} else if (error) {
		check->text = memory_format("nothing: %s, although perf_event_paranoid is %d",
					    strerror(-error), machine->paranoid);
		/* Without a filter, a security module or a sandbox has its own rules. */
		if (machine->seccomp)
			blame_filter(check, "blocks");
		else
			blame_sandbox(check);
	} else if (!may) {
		check->text = checkup_text("nothing");
		check->why = memory_format("kernel.perf_event_paranoid is %d", machine->paranoid);
		check->fix = memory_format(SET_LEVEL, 2);
		check->instead = checkup_text("the model works");
	} else if (checkup_may_be_filtered(checkup)) {
		check->state = CHECK_UNKNOWN;
		check->text = checkup_text("perhaps nothing");
		blame_filter(check, "may block");
	} else if (!cpu_machine_may_count_kernel(machine)) {
		check->state = CHECK_LIMITED;
		check->text = checkup_text("your programs, in user code only");
		check->why = memory_format("kernel.perf_event_paranoid is %d", machine->paranoid);
		check->fix = memory_format(SET_LEVEL ", or =0 for whole CPUs (-a)", 1);
	} else if (!cpu_machine_may_count_all(machine)) {
		check->state = CHECK_LIMITED;
		check->text = checkup_text(
			"your programs, in user code and in the kernel; not whole CPUs");
		check->why = memory_format("kernel.perf_event_paranoid is %d", machine->paranoid);
		check->fix = memory_format(SET_LEVEL, 0);
	} else {
		check->state = CHECK_WORKS;
		check->text =
			checkup_text("programs and whole CPUs, in user code and in the kernel");
	}
}

/* ---- the rest ----------------------------------------------------------------------------- */

static void check_sampling(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;

	if (!machine->has_perf)
		checkup_add(checkup, "sampling", "Event sampling", CHECK_MISSING,
			    checkup_text("the kernel cannot sample; the model can"));
	else if (!cpu_machine_may_count(machine))
		checkup_add(checkup, "sampling", "Event sampling", CHECK_MISSING,
			    checkup_text("not permitted: see Permission"));
	else if (checkup_may_be_filtered(checkup))
		checkup_add(checkup, "sampling", "Event sampling", CHECK_UNKNOWN,
			    checkup_text("perhaps not permitted: see Permission"));
	else if (!machine->pmu_count)
		checkup_add(checkup, "sampling", "Event sampling", CHECK_LIMITED,
			    checkup_text("by time only: plumb record -e cpu-clock"));
	else
		checkup_add(checkup, "sampling", "Event sampling", CHECK_WORKS,
			    checkup_text("by any event, if the PMU has an interrupt"));
	for (size_t i = 0; i < machine->pmu_count; i++)
		if (machine->branches[i])
			checkup_add(checkup, "branches", "Branch records", CHECK_WORKS,
				    memory_format("%s keeps the last %u branches (BRBE)",
						  machine->pmus[i].name, machine->branches[i]));
}

static void check_symbols(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	const bool level = machine->has_perf && machine->paranoid > 1;
	struct check *check;

	if (machine->kptr_restrict < 0)
		return;
	if (cpu_machine_may_name_kernel(machine)) {
		checkup_add(checkup, "kernel-symbols", "Kernel symbols", CHECK_WORKS,
			    checkup_text("the kernel's functions have names"));
		return;
	}
	check = checkup_add(checkup, "kernel-symbols", "Kernel symbols", CHECK_MISSING,
			    checkup_text("samples in the kernel have no names"));
	if (machine->kptr_restrict == 0) {
		check->why = memory_format("kernel.perf_event_paranoid is %d", machine->paranoid);
		check->fix = memory_format(SET_LEVEL, 1);
	} else {
		check->why = memory_format("kernel.kptr_restrict is %d", machine->kptr_restrict);
		check->fix = memory_format("sudo sysctl kernel.kptr_restrict=0%s",
					   level ? " kernel.perf_event_paranoid=1" : "");
	}
}

static void check_memory(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	struct check *check;

	if (machine->mlock_kb < 0 ||
	    (machine->knows_capabilities && machine->capabilities >> CPU_CAP_IPC_LOCK & 1))
		return;
	check = checkup_add(
		checkup, "buffers", "Buffers", CHECK_LIMITED,
		memory_format("%d KiB per CPU for this user's recordings", machine->mlock_kb));
	check->why = memory_format("kernel.perf_event_mlock_kb is %d", machine->mlock_kb);
	check->fix = checkup_text("sudo sysctl kernel.perf_event_mlock_kb=8192");
}

static void check_others(struct checkup *checkup)
{
	const struct cpu_machine *machine = &checkup->machine;
	struct join join = {0};
	char *text;

	for (size_t i = 0; i < machine->other_count; i++) {
		const struct cpu_other_pmu *other = &machine->others[i];

		text = memory_format("%s: %s", other->name, other->what);
		join_add(&join, text);
		free(text);
	}
	text = join_take(&join);
	if (machine->other_count)
		checkup_add(checkup, "other-pmus", "Other PMUs", CHECK_WORKS, text);
	else
		free(text);
}

static void check_user_access(struct checkup *checkup)
{
	struct check *check;

	if (!checkup->machine.pmu_count || checkup->machine.user_access < 0)
		return;
	if (checkup->machine.user_access) {
		checkup_add(checkup, "user-access", "User access", CHECK_WORKS,
			    checkup_text("programs may read their counters without a system call"));
		return;
	}
	check = checkup_add(checkup, "user-access", "User access", CHECK_MISSING,
			    checkup_text("programs read their counters by system calls"));
	check->why = checkup_text("kernel.perf_user_access is 0");
	check->fix = checkup_text("sudo sysctl kernel.perf_user_access=1");
}

/* Says of which PMU the newest answer is, if there are several. */
static void name_pmu(struct checkup *checkup, const struct cpu_pmu *pmu)
{
	struct check *check = &checkup->checks[checkup->count - 1];
	char *text;

	if (checkup->machine.pmu_count < 2)
		return;
	text = memory_format("%s: %s", pmu->name, check->text);
	free(check->text);
	check->text = text;
}

void checkup_hardware(struct checkup *checkup)
{
	check_pmu(checkup);
	check_permission(checkup);
	for (size_t i = 0; i < checkup->machine.pmu_count && i < 3; i++) {
		check_counters(checkup, &checkup->machine.pmus[i]);
		name_pmu(checkup, &checkup->machine.pmus[i]);
		check_events(checkup, i);
	}
	checkup_spe(checkup);
	check_sampling(checkup);
	check_symbols(checkup);
	check_memory(checkup);
	check_user_access(checkup);
	check_others(checkup);
}
