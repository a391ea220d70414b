// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/*
 * Test equipment: a stand-in for a core's PMU with the Branch Record Buffer Extension (BRBE).
 *
 * No branch that it reports was taken. It registers a PMU named armv8_pmuv3_0, so the machine must
 * have none, and a timer takes the place of its counter's overflow. Each sample's branch stack is
 * the next one of a sequence that depends on nothing but its number: see fill(). The sequence
 * begins anew with each event that is created, and ends after `samples`.
 *
 * The interface: <linux/perf_event.h>; what BRBE keeps of a branch: "Branch Record Buffer
 * Extension" in the Arm Architecture Reference Manual; which branches a filter lets pass:
 * perf_event_open(2).
 */
#include <asm/irq_regs.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#define EVENT_CYCLES  0x11
#define EVENT_RETIRED 0x08
#define MOST          64 /* records; BRBE has 8, 16, 32 or 64 */
#define WORD          4  /* bytes of an instruction */

static unsigned int samples = 200;
module_param(samples, uint, 0644);
MODULE_PARM_DESC(samples, "samples of each event");

static unsigned int interval_us = 200;
module_param(interval_us, uint, 0644);
MODULE_PARM_DESC(interval_us, "time between two samples");

static unsigned long base = 0x400000;
module_param(base, ulong, 0644);
MODULE_PARM_DESC(base, "address of the code that the branches are in");

static unsigned long asked;
module_param(asked, ulong, 0444);
MODULE_PARM_DESC(asked, "branch_sample_type of the event that was created last");

struct unit {
	struct hrtimer timer;
	struct perf_event *event;
	unsigned int taken; /* samples of this event */
	struct {
		struct perf_branch_stack head;
		struct perf_branch_entry entries[MOST];
	} stack;
};

static DEFINE_PER_CPU(struct unit, units);

/* Not for modules: PMUs of cores are built in. A probe tells where it is. */
static int (*overflow)(struct perf_event *, struct perf_sample_data *, struct pt_regs *);

/* ---- branches ----------------------------------------------------------------------------- */

static bool passes(const struct perf_event_attr *attr, unsigned int type)
{
	const u64 wanted = attr->branch_sample_type;

	return wanted & PERF_SAMPLE_BRANCH_ANY ||
	       (wanted & (PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_CALL) &&
		type == PERF_BR_CALL) ||
	       (wanted & PERF_SAMPLE_BRANCH_ANY_RETURN && type == PERF_BR_RET) ||
	       (wanted & PERF_SAMPLE_BRANCH_COND && type == PERF_BR_COND);
}

/* Makes the branch stack of a sample: between none and all of the records that the unit has. */
static void fill(struct unit *unit)
{
	static const unsigned int types[] = {PERF_BR_COND, PERF_BR_CALL, PERF_BR_RET,
					     PERF_BR_UNCOND};
	const struct perf_event_attr *attr = &unit->event->attr;
	const unsigned int n = unit->taken, count = n * 7 % (MOST + 1);
	u64 kept = 0;

	for (unsigned int i = 0; i < count; i++) {
		struct perf_branch_entry *entry = &unit->stack.entries[kept];
		const unsigned int type = types[(n + i) % ARRAY_SIZE(types)];

		if (!passes(attr, type))
			continue;
		*entry = (struct perf_branch_entry){
			.from = base + WORD * ((n + 3 * i) % 16),
			.to = base + WORD * ((n * 5 + i) % 16),
			.cycles = attr->branch_sample_type & PERF_SAMPLE_BRANCH_NO_CYCLES
					  ? 0
					  : (n * 31 + i) % 1000,
		};
		if (!(attr->branch_sample_type & PERF_SAMPLE_BRANCH_NO_FLAGS)) {
			entry->mispred = (n + i) % 5 == 0;
			entry->predicted = !entry->mispred;
		}
		if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_TYPE_SAVE)
			entry->type = type;
		kept++;
	}
	unit->stack.head.nr = kept;
	unit->stack.head.hw_idx = -1ULL;
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct unit *unit = container_of(timer, struct unit, timer);
	struct perf_event *event = unit->event;
	struct pt_regs *regs = get_irq_regs();
	struct perf_sample_data data;

	hrtimer_forward_now(timer, ns_to_ktime(1000ull * interval_us));
	if (!event || unit->taken >= samples)
		return HRTIMER_NORESTART;
	if (!regs || (user_mode(regs) ? event->attr.exclude_user : event->attr.exclude_kernel))
		return HRTIMER_RESTART;
	local64_add(event->hw.sample_period, &event->count);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	if (event->attr.sample_type & PERF_SAMPLE_BRANCH_STACK) {
		fill(unit);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
		perf_sample_save_brstack(&data, event, &unit->stack.head, NULL);
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
		perf_sample_save_brstack(&data, event, &unit->stack.head);
#else
		data.br_stack = &unit->stack.head;
		data.sample_flags |= PERF_SAMPLE_BRANCH_STACK;
#endif
	}
	unit->taken++;
	overflow(event, &data, regs);
	return HRTIMER_RESTART;
}

/* ---- the PMU ------------------------------------------------------------------------------ */

static struct pmu branch_unit;

static int unit_event_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	int cpu;

	if (attr->type != branch_unit.type)
		return -ENOENT;
	/* What BRBE cannot: drivers/perf/arm_brbe.c. */
	if (attr->branch_sample_type & (PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_IN_TX))
		return -EOPNOTSUPP;
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK) {
		asked = attr->branch_sample_type;
		for_each_possible_cpu(cpu) per_cpu_ptr(&units, cpu)->taken = 0;
	}
	event->hw.last_period = event->hw.sample_period;
	return 0;
}

static void unit_start(struct perf_event *event, int flags)
{
	struct unit *unit = this_cpu_ptr(&units);

	event->hw.state = 0;
	if (!is_sampling_event(event))
		return;
	unit->event = event;
	hrtimer_start(&unit->timer, ns_to_ktime(1000ull * interval_us),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void unit_stop(struct perf_event *event, int flags)
{
	struct unit *unit = this_cpu_ptr(&units);

	if (unit->event == event) {
		unit->event = NULL;
		hrtimer_try_to_cancel(&unit->timer);
	}
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int unit_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		unit_start(event, PERF_EF_RELOAD);
	return 0;
}

static void unit_del(struct perf_event *event, int flags)
{
	unit_stop(event, PERF_EF_UPDATE);
}

static void unit_read(struct perf_event *event)
{
}

/* ---- sysfs -------------------------------------------------------------------------------- */

PMU_FORMAT_ATTR(event, "config:0-15");
static struct attribute *formats[] = {&format_attr_event.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = formats};

PMU_EVENT_ATTR_STRING(cpu_cycles, cpu_cycles, "event=0x0011");
PMU_EVENT_ATTR_STRING(inst_retired, inst_retired, "event=0x0008");
PMU_EVENT_ATTR_STRING(br_retired, br_retired, "event=0x0021");
static struct attribute *events[] = {&cpu_cycles.attr.attr, &inst_retired.attr.attr,
				     &br_retired.attr.attr, NULL};
static const struct attribute_group event_group = {.name = "events", .attrs = events};

static ssize_t branches_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%d\n", MOST);
}
static DEVICE_ATTR_RO(branches);
static struct attribute *caps[] = {&dev_attr_branches.attr, NULL};
static const struct attribute_group cap_group = {.name = "caps", .attrs = caps};

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%*pbl\n", cpumask_pr_args(cpu_possible_mask));
}
static DEVICE_ATTR_RO(cpus);
static struct attribute *others[] = {&dev_attr_cpus.attr, NULL};
static const struct attribute_group other_group = {.attrs = others};

static const struct attribute_group *groups[] = {&format_group, &event_group, &cap_group,
						 &other_group, NULL};

static struct pmu branch_unit = {
	.module = THIS_MODULE,
	.attr_groups = groups,
	.task_ctx_nr = perf_sw_context,
	.event_init = unit_event_init,
	.add = unit_add,
	.del = unit_del,
	.start = unit_start,
	.stop = unit_stop,
	.read = unit_read,
};

static int __init unit_init(void)
{
	struct kprobe probe = {.symbol_name = "perf_event_overflow"};
	int cpu, error = register_kprobe(&probe);

	if (error)
		return error;
	overflow = (void *)probe.addr;
	unregister_kprobe(&probe);
	for_each_possible_cpu(cpu)
	{
		struct unit *unit = per_cpu_ptr(&units, cpu);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
		hrtimer_setup(&unit->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#else
		hrtimer_init(&unit->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		unit->timer.function = tick;
#endif
	}
	error = perf_pmu_register(&branch_unit, "armv8_pmuv3_0", -1);
	if (!error)
		pr_info("branch_unit: test equipment, none of its branches was taken\n");
	return error;
}

static void __exit unit_exit(void)
{
	int cpu;

	perf_pmu_unregister(&branch_unit);
	for_each_possible_cpu(cpu) hrtimer_cancel(&per_cpu_ptr(&units, cpu)->timer);
}

module_init(unit_init);
module_exit(unit_exit);
MODULE_DESCRIPTION("Test equipment: plays branch stacks in place of BRBE");
MODULE_LICENSE("GPL");
