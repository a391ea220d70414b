// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
/*
 * Test equipment: a stand-in for the Statistical Profiling Extension of a core.
 *
 * No record that it writes was measured. It registers a PMU named arm_spe_0, with the files in
 * sysfs and the rules of Linux's driver for the real unit, but it plays back a stream of records:
 * the one that was written to /dev/spe_unit. A timer takes the place of the unit's sampling, and of
 * its interrupts when its buffer is full, when samples collide, or when data is lost.
 *
 * Each CPU begins at the stream's first record when an event is created.
 *
 * Rules follow "Statistical Profiling Extension" in the Arm Architecture Reference Manual, the
 * interface <linux/perf_event.h>, and what Documentation/admin-guide and perf expect of the driver.
 */
#include <asm/irq_regs.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#define RECORD       64 /* bytes; each ends with a timestamp packet: 0x71 and 8 bytes */
#define STAMP_HEADER 55
#define STAMP_BYTE   0x71
#define STREAM_MAX   (16u << 20)
#define MIN_INTERVAL 1024

/* PMSCR_EL1 and PMSIRR_EL1, as the format has them. */
#define CONFIG_TS      0
#define CONFIG_PA      1
#define CONFIG_PCT     2
#define CONFIG_JITTER  16
#define CONFIG_BRANCH  32
#define CONFIG_LOAD    33
#define CONFIG_STORE   34
#define CONFIG_DISCARD 35
#define CONFIG_MASKS   4 /* behind the filters of the same types */

/* Since when the driver has them. */
#define HAS_CONFIG3 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0))
#define HAS_DISCARD (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0))
#define HAS_MASKS   (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0))
#define HAS_CONFIG4 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0))

static unsigned int interval_us = 200;
module_param(interval_us, uint, 0644);
MODULE_PARM_DESC(interval_us, "time between two bursts of records");

static unsigned int burst = 4;
module_param(burst, uint, 0644);
MODULE_PARM_DESC(burst, "records per burst");

static unsigned int repeat;
module_param(repeat, uint, 0644);
MODULE_PARM_DESC(repeat, "play the stream this often; 0: without end");

static unsigned int collide;
module_param(collide, uint, 0644);
MODULE_PARM_DESC(collide, "samples collide at every n-th burst; 0: never");

static unsigned int lose;
module_param(lose, uint, 0644);
MODULE_PARM_DESC(lose, "data is lost, amid a record, at every n-th burst; 0: never");

static bool stamp = true;
module_param(stamp, bool, 0644);
MODULE_PARM_DESC(stamp, "put the time into records that have a timestamp");

static unsigned long services;
module_param(services, ulong, 0444);
MODULE_PARM_DESC(services, "interrupts so far");

static unsigned long asked[5];
module_param_array(asked, ulong, NULL, 0444);
MODULE_PARM_DESC(asked, "config, config1, ... config4 of the event that was created last");

static DEFINE_MUTEX(stream_lock);
static u8 *stream;
static size_t stream_size; /* 0 while it is replaced */

struct area {
	u8 *base;
	int pages;
	bool snapshot;
};

struct unit {
	struct perf_output_handle handle;
	struct hrtimer timer;
	u64 at, limit; /* offsets in the area: the next byte written, and the end */
	size_t next;   /* offset in the stream */
	unsigned int played, bursts;
	bool on;
};

static DEFINE_PER_CPU(struct unit, units);

/* ---- the area ----------------------------------------------------------------------------- */

static u64 area_size(const struct area *area)
{
	return (u64)area->pages << PAGE_SHIFT;
}

static u64 offset_of(u64 index, const struct area *area)
{
	return index % area_size(area);
}

static void pad(struct perf_output_handle *handle, u64 size)
{
	struct area *area = perf_get_aux(handle);

	memset(area->base + offset_of(handle->head, area), 0, size);
	if (!area->snapshot)
		perf_aux_output_skip(handle, size);
}

/* Only half of a snapshot's area is written at a time. */
static u64 snapshot_limit(struct perf_output_handle *handle)
{
	const struct area *area = perf_get_aux(handle);
	const u64 size = area_size(area), head = offset_of(handle->head, area);

	return head < size / 2 ? size / 2 : size;
}

/* Returns the end of the free part; 0: there is none, and the output has ended. */
static u64 find_limit(struct perf_output_handle *handle)
{
	const struct area *area = perf_get_aux(handle);
	const u64 head = offset_of(handle->head, area);
	const u64 tail = offset_of(handle->head + handle->size, area);
	const u64 wakeup = offset_of(handle->wakeup, area);
	u64 limit = area_size(area);

	if (handle->size) {
		if (head < tail)
			limit = round_down(tail, PAGE_SIZE);
		if (handle->wakeup < handle->head + handle->size && head <= wakeup)
			limit = min(limit, round_up(wakeup, PAGE_SIZE));
		if (limit > head)
			return limit;
		pad(handle, handle->size);
	}
	perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	perf_aux_output_end(handle, 0);
	return 0;
}

static void begin(struct unit *unit, struct perf_event *event)
{
	struct perf_output_handle *handle = &unit->handle;
	const struct area *area = perf_aux_output_begin(handle, event);
	u64 limit;

	unit->on = false;
	if (!area) {
		event->hw.state |= PERF_HES_STOPPED;
		return;
	}
	limit = area->snapshot ? snapshot_limit(handle) : find_limit(handle);
	if (limit && !area->snapshot && limit - offset_of(handle->head, area) < RECORD) {
		pad(handle, limit - offset_of(handle->head, area));
		limit = find_limit(handle);
	}
	if (!limit) {
		event->hw.state |= PERF_HES_STOPPED;
		return;
	}
	unit->at = offset_of(handle->head, area);
	unit->limit = limit;
	unit->on = true;
}

static void end(struct unit *unit)
{
	struct perf_output_handle *handle = &unit->handle;
	const struct area *area = perf_get_aux(handle);
	const u64 size = unit->at - offset_of(handle->head, area);

	if (area->snapshot)
		handle->head = unit->at == area_size(area) ? 0 : unit->at;
	perf_aux_output_end(handle, size);
	unit->on = false;
}

/* What the driver does in its interrupt handler. */
static void service(struct unit *unit, u64 flags)
{
	struct perf_event *event = unit->handle.event;

	services++;
	perf_aux_output_flag(&unit->handle, flags);
	end(unit);
	if (flags & PERF_AUX_FLAG_TRUNCATED)
		event->hw.state |= PERF_HES_STOPPED;
	else
		begin(unit, event);
}

/* ---- sampling ----------------------------------------------------------------------------- */

static u64 read_time(void)
{
	u64 time;

	asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(time));
	return time;
}

/* What filters look at. */
struct kind {
	bool load, store, branch;
	int source; /* -1: none */
};

/* Reads the packets of a record: DDI 0487, "Statistical Profiling Extension sample record format".
 */
static struct kind read_record(const u8 *record)
{
	struct kind kind = {.source = -1};
	unsigned int at = 0;

	while (at + 3 < RECORD) {
		const u8 header = record[at];
		const bool extended = (header & 0xfc) == 0x20;
		const unsigned int size = 1u << (record[at + extended] >> 4 & 3);

		if (header == 0x01 || header == STAMP_BYTE)
			break;
		if ((header & 0xcf) == 0x43) {
			kind.source = record[at + 1];
		} else if (header == 0x49) {
			kind.load = !(record[at + 1] & 1);
			kind.store = record[at + 1] & 1;
		} else if (header == 0x4a) {
			kind.branch = true;
		}
		at += header ? 1 + extended + size : 1;
	}
	return kind;
}

static bool passes(const struct perf_event_attr *attr, const u8 *record)
{
	const u64 filters = attr->config >> CONFIG_BRANCH & 7;
	const u64 masks = HAS_MASKS ? attr->config >> (CONFIG_BRANCH + CONFIG_MASKS) & 7 : 0;
	const struct kind kind = read_record(record);
	const u64 types = kind.branch | kind.load << 1 | kind.store << 2;

#if HAS_CONFIG4
	if (kind.source >= 0 && kind.source < 64 && attr->config4 >> kind.source & 1)
		return false;
#endif
	if ((types ^ filters) & masks)
		return false;
	return !(filters & ~masks) || (types & filters & ~masks);
}

/* Goes to the next record that passes. Returns false if the stream has ended. */
static bool find_record(struct unit *unit)
{
	for (size_t tried = 0; tried <= stream_size; tried += RECORD) {
		if (unit->next + RECORD > stream_size) {
			unit->next = 0;
			unit->played++;
		}
		if (!stream_size || (repeat && unit->played >= repeat))
			return false;
		if (passes(&unit->handle.event->attr, stream + unit->next))
			return true;
		unit->next += RECORD;
	}
	return false;
}

/* Writes the stream's next record, or only its first bytes. Returns false if it has ended. */
static bool write_record(struct unit *unit, size_t bytes)
{
	struct area *area = perf_get_aux(&unit->handle);
	u8 *to = area->base + unit->at;
	const u64 time = read_time();

	if (!find_record(unit))
		return false;
	memcpy(to, stream + unit->next, bytes);
	if (stamp && bytes == RECORD && to[STAMP_HEADER] == STAMP_BYTE)
		memcpy(to + STAMP_HEADER + 1, &time, sizeof(time));
	unit->at += bytes;
	unit->next += RECORD;
	return true;
}

static bool is_due(const struct unit *unit, unsigned int every)
{
	return every && unit->bursts % every == 0;
}

/* Whether what runs now is sampled. */
static bool samples_here(const struct perf_event_attr *attr)
{
	const struct pt_regs *regs = get_irq_regs();

	return !regs || !(user_mode(regs) ? attr->exclude_user : attr->exclude_kernel);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct unit *unit = container_of(timer, struct unit, timer);
	bool more = true;

	if (unit->on && !samples_here(&unit->handle.event->attr)) {
		hrtimer_forward_now(timer, ns_to_ktime(1000ull * interval_us));
		return HRTIMER_RESTART;
	}
	for (unsigned int i = 0; unit->on && more && i < burst; i++) {
		if (unit->at + RECORD > unit->limit)
			service(unit, 0);
		if (unit->on)
			more = write_record(unit, RECORD);
	}
	unit->bursts++;
	if (unit->on && more && is_due(unit, lose)) {
		if (unit->at + RECORD <= unit->limit)
			write_record(unit, RECORD / 2);
		service(unit, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL);
	} else if (unit->on && more && is_due(unit, collide)) {
		service(unit, PERF_AUX_FLAG_COLLISION);
	}
	if (!unit->on)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, ns_to_ktime(1000ull * interval_us));
	return HRTIMER_RESTART;
}

/* ---- the PMU ------------------------------------------------------------------------------ */

static struct pmu spe_unit;

static int unit_event_init(struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;
	int cpu;

	if (attr->type != spe_unit.type)
		return -ENOENT;
	if (attr->exclude_idle)
		return -EOPNOTSUPP;
	/* A period in operations; the unit has no frequency. */
	if (attr->freq)
		return -EINVAL;
	if ((attr->config & (BIT_ULL(CONFIG_PA) | BIT_ULL(CONFIG_PCT))) && !perfmon_capable())
		return -EACCES;
	asked[0] = attr->config;
	asked[1] = attr->config1;
	asked[2] = attr->config2;
#if HAS_CONFIG3
	asked[3] = attr->config3;
#endif
#if HAS_CONFIG4
	asked[4] = attr->config4;
#endif
	for_each_possible_cpu(cpu)
	{
		struct unit *unit = per_cpu_ptr(&units, cpu);

		unit->next = 0;
		unit->played = unit->bursts = 0;
	}
	return 0;
}

static void unit_start(struct perf_event *event, int flags)
{
	struct unit *unit = this_cpu_ptr(&units);

	event->hw.state = 0;
	/* The unit works, but no record is written: there need not be an area. */
	if (HAS_DISCARD && event->attr.config >> CONFIG_DISCARD & 1)
		return;
	begin(unit, event);
	if (!event->hw.state)
		hrtimer_start(&unit->timer, ns_to_ktime(1000ull * interval_us),
			      HRTIMER_MODE_REL_PINNED);
}

static void unit_stop(struct perf_event *event, int flags)
{
	struct unit *unit = this_cpu_ptr(&units);

	hrtimer_cancel(&unit->timer);
	if (unit->on && (flags & PERF_EF_UPDATE))
		end(unit);
	unit->on = false;
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int unit_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_UPTODATE | PERF_HES_STOPPED;
	if (flags & PERF_EF_START)
		unit_start(event, PERF_EF_RELOAD);
	return flags & PERF_EF_START && event->hw.state & PERF_HES_STOPPED ? -EINVAL : 0;
}

static void unit_del(struct perf_event *event, int flags)
{
	unit_stop(event, PERF_EF_UPDATE);
}

static void unit_read(struct perf_event *event)
{
}

static void *unit_setup_aux(struct perf_event *event, void **pages, int count, bool snapshot)
{
	const int cpu = event->cpu == -1 ? raw_smp_processor_id() : event->cpu;
	struct page **list;
	struct area *area;

	/* A snapshot's halves are whole pages. */
	if (count < 2 || (snapshot && count & 1))
		return NULL;
	area = kzalloc_node(sizeof(*area), GFP_KERNEL, cpu_to_node(cpu));
	list = kcalloc(count, sizeof(*list), GFP_KERNEL);
	for (int i = 0; list && i < count; i++)
		list[i] = virt_to_page(pages[i]);
	if (area && list) {
		area->base = vmap(list, count, VM_MAP, PAGE_KERNEL);
		area->pages = count;
		area->snapshot = snapshot;
	}
	kfree(list);
	if (area && area->base)
		return area;
	kfree(area);
	return NULL;
}

static void unit_free_aux(void *aux)
{
	struct area *area = aux;

	vunmap(area->base);
	kfree(area);
}

/* ---- sysfs -------------------------------------------------------------------------------- */

PMU_FORMAT_ATTR(ts_enable, "config:0");
PMU_FORMAT_ATTR(pa_enable, "config:1");
PMU_FORMAT_ATTR(pct_enable, "config:2");
PMU_FORMAT_ATTR(jitter, "config:16");
PMU_FORMAT_ATTR(branch_filter, "config:32");
PMU_FORMAT_ATTR(load_filter, "config:33");
PMU_FORMAT_ATTR(store_filter, "config:34");
PMU_FORMAT_ATTR(event_filter, "config1:0-63");
PMU_FORMAT_ATTR(min_latency, "config2:0-11");
#if HAS_CONFIG3
PMU_FORMAT_ATTR(inv_event_filter, "config3:0-63");
#endif
#if HAS_DISCARD
PMU_FORMAT_ATTR(discard, "config:35");
#endif
#if HAS_MASKS
PMU_FORMAT_ATTR(branch_filter_mask, "config:36");
PMU_FORMAT_ATTR(load_filter_mask, "config:37");
PMU_FORMAT_ATTR(store_filter_mask, "config:38");
#endif
#if HAS_CONFIG4
PMU_FORMAT_ATTR(inv_data_src_filter, "config4:0-63");
#endif

static struct attribute *formats[] = {
	&format_attr_ts_enable.attr,
	&format_attr_pa_enable.attr,
	&format_attr_pct_enable.attr,
	&format_attr_jitter.attr,
	&format_attr_branch_filter.attr,
	&format_attr_load_filter.attr,
	&format_attr_store_filter.attr,
	&format_attr_event_filter.attr,
	&format_attr_min_latency.attr,
#if HAS_CONFIG3
	&format_attr_inv_event_filter.attr,
#endif
#if HAS_DISCARD
	&format_attr_discard.attr,
#endif
#if HAS_MASKS
	&format_attr_branch_filter_mask.attr,
	&format_attr_load_filter_mask.attr,
	&format_attr_store_filter_mask.attr,
#endif
#if HAS_CONFIG4
	&format_attr_inv_data_src_filter.attr,
#endif
	NULL,
};
static const struct attribute_group format_group = {.name = "format", .attrs = formats};

static ssize_t show_cap(struct device *dev, struct device_attribute *attr, char *page)
{
	const struct dev_ext_attribute *cap = container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(page, "%lu\n", (unsigned long)cap->var);
}

#define CAP(name, value)                                                                  \
	static struct dev_ext_attribute cap_##name = {__ATTR(name, 0444, show_cap, NULL), \
						      (void *)(value)}

CAP(arch_inst, 1);
CAP(ernd, 1);
CAP(count_size, 12);
CAP(min_interval, MIN_INTERVAL);

static struct attribute *caps[] = {
	&cap_arch_inst.attr.attr,
	&cap_ernd.attr.attr,
	&cap_count_size.attr.attr,
	&cap_min_interval.attr.attr,
	NULL,
};
static const struct attribute_group cap_group = {.name = "caps", .attrs = caps};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *page)
{
	return sysfs_emit(page, "%*pbl\n", cpumask_pr_args(cpu_possible_mask));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *others[] = {&dev_attr_cpumask.attr, NULL};
static const struct attribute_group other_group = {.attrs = others};

static const struct attribute_group *groups[] = {&format_group, &cap_group, &other_group, NULL};

static struct pmu spe_unit = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.attr_groups = groups,
	.task_ctx_nr = perf_sw_context,
	.event_init = unit_event_init,
	.add = unit_add,
	.del = unit_del,
	.start = unit_start,
	.stop = unit_stop,
	.read = unit_read,
	.setup_aux = unit_setup_aux,
	.free_aux = unit_free_aux,
};

/* ---- the stream --------------------------------------------------------------------------- */

/* A write at offset 0 begins another stream. */
static ssize_t stream_write(struct file *file, const char __user *bytes, size_t size, loff_t *at)
{
	ssize_t result = size;

	mutex_lock(&stream_lock);
	if (*at < 0 || *at > STREAM_MAX || size > STREAM_MAX - *at)
		result = -EFBIG;
	else if (copy_from_user(stream + *at, bytes, size))
		result = -EFAULT;
	if (result > 0) {
		*at += size;
		WRITE_ONCE(stream_size, *at - *at % RECORD);
	}
	mutex_unlock(&stream_lock);
	return result;
}

static const struct file_operations stream_files = {
	.owner = THIS_MODULE,
	.write = stream_write,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "spe_unit",
	.fops = &stream_files,
};

static int __init unit_init(void)
{
	int cpu, error;

	stream = vzalloc(STREAM_MAX);
	if (!stream)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
	{
		struct unit *unit = per_cpu_ptr(&units, cpu);

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
		hrtimer_setup(&unit->timer, tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
#else
		hrtimer_init(&unit->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED);
		unit->timer.function = tick;
#endif
	}
	error = misc_register(&device);
	if (error)
		goto free;
	error = perf_pmu_register(&spe_unit, "arm_spe_0", -1);
	if (error)
		goto deregister;
	pr_info("spe_unit: test equipment, plays records back: none of them is measured\n");
	return 0;
deregister:
	misc_deregister(&device);
free:
	vfree(stream);
	return error;
}

static void __exit unit_exit(void)
{
	perf_pmu_unregister(&spe_unit);
	misc_deregister(&device);
	vfree(stream);
}

module_init(unit_init);
module_exit(unit_exit);
MODULE_DESCRIPTION("Test equipment: plays records back in place of an SPE unit");
MODULE_LICENSE("GPL");
