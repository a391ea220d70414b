// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/*
 * Test equipment: a stand-in for two mesh interconnects with PMUs, arm_cmn_0 and arm_cmn_1.
 *
 * Nothing passes through them. Their traffic is what the parameter `traffic` says, so that a test
 * knows what must be counted: an event counts how much that grows, times its eventid, and in the
 * second mesh ten times as much. As with real ones, an event is of the whole machine, is served by
 * one CPU, knows no modes and takes no samples: drivers/perf/arm-cmn.c.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

#define MESHES           2
#define EVENT_ID(config) ((config) >> 16 & 0x7ff)

static unsigned long traffic;
module_param(traffic, ulong, 0644);
MODULE_PARM_DESC(traffic, "what has passed through each mesh");

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "the CPU that serves both");

/*
 * Writing a number to the parameter `work` keeps the CPU in a function of this module for that many
 * turns of a loop, for samples of code in a module.
 */
static noinline void mesh_work(unsigned long turns)
{
	while (turns--)
		barrier();
}

static int set_work(const char *text, const struct kernel_param *param)
{
	unsigned long turns;
	const int error = kstrtoul(text, 0, &turns);

	if (!error)
		mesh_work(turns);
	return error;
}

static const struct kernel_param_ops work_ops = {.set = set_work};
module_param_cb(work, &work_ops, NULL, 0200);
MODULE_PARM_DESC(work, "turns of a loop to execute now");

static struct pmu meshes[MESHES];

static void mesh_read(struct perf_event *event)
{
	const u64 now = READ_ONCE(traffic), before = local64_xchg(&event->hw.prev_count, now);

	local64_add((now - before) * EVENT_ID(event->attr.config) *
			    (event->pmu == &meshes[1] ? 10 : 1),
		    &event->count);
}

static int mesh_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	event->cpu = cpu;
	return 0;
}

static void mesh_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, READ_ONCE(traffic));
	event->hw.state = 0;
}

static void mesh_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	mesh_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int mesh_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		mesh_start(event, flags);
	return 0;
}

static void mesh_del(struct perf_event *event, int flags)
{
	mesh_stop(event, flags);
}

/* ---- sysfs -------------------------------------------------------------------------------- */

PMU_FORMAT_ATTR(type, "config:0-15");
PMU_FORMAT_ATTR(eventid, "config:16-26");
static struct attribute *formats[] = {&format_attr_type.attr, &format_attr_eventid.attr, NULL};
static const struct attribute_group format_group = {.name = "format", .attrs = formats};

PMU_EVENT_ATTR_STRING(hnf_cache_miss, hnf_cache_miss, "type=0x5,eventid=0x1");
static struct attribute *events[] = {&hnf_cache_miss.attr.attr, NULL};
static const struct attribute_group event_group = {.name = "events", .attrs = events};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%u\n", cpu);
}
static DEVICE_ATTR_RO(cpumask);
static struct attribute *others[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group other_group = {.attrs = others};

static const struct attribute_group *groups[] = {&format_group, &event_group, &other_group, NULL};

static int __init mesh_init(void)
{
	static const char *const names[MESHES] = {"arm_cmn_0", "arm_cmn_1"};
	int error = 0;

	for (int i = 0; i < MESHES && !error; i++) {
		meshes[i] = (struct pmu){
			.module = THIS_MODULE,
			.attr_groups = groups,
			.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
			.task_ctx_nr = perf_invalid_context,
			.event_init = mesh_event_init,
			.add = mesh_add,
			.del = mesh_del,
			.start = mesh_start,
			.stop = mesh_stop,
			.read = mesh_read,
		};
		error = perf_pmu_register(&meshes[i], names[i], -1);
		if (error && i)
			perf_pmu_unregister(&meshes[0]);
	}
	return error;
}

static void __exit mesh_exit(void)
{
	for (int i = 0; i < MESHES; i++)
		perf_pmu_unregister(&meshes[i]);
}

module_init(mesh_init);
module_exit(mesh_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Stand-in for mesh interconnects with PMUs: test equipment");
