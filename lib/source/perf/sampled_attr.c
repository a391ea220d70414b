/* SPDX-License-Identifier: Apache-2.0 */
#include "source/perf/sampled_attr.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

/* The structure's sizes: PERF_ATTR_SIZE_VER7, VER8 with config3, and VER9 with config4. */
#define SIZE_BEFORE_CONFIG3 128
#define SIZE_WITH_CONFIG3   136
#define SIZE_WITH_CONFIG4   144

/*
 * The registers that unwinding starts from, by asm/perf_regs.h: on AArch64 x0 to x30, sp and pc; on
 * x86-64, where tests run, the 16 general registers, ip, flags, cs and ss.
 */
#if defined(__aarch64__)
#define USER_REGISTERS ((UINT64_C(1) << 33) - 1)
#elif defined(__x86_64__)
#define USER_REGISTERS UINT64_C(0xff0fff)
#else
#define USER_REGISTERS UINT64_C(0)
#endif

/*
 * Registers that chains by frame pointers lack: a leaf function often makes no frame, so that its
 * caller is only in AArch64's link register. perf copies it, too.
 */
#if defined(__aarch64__)
#define LINK_REGISTER (UINT64_C(1) << 30)
#else
#define LINK_REGISTER UINT64_C(0)
#endif

static uint64_t sample_type(const struct plumb_event_config *event,
			    const struct sampled_session *session, const struct sampled_role *role)
{
	const bool spe = event && event->kind == PLUMB_EVENT_SPE;
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	if (session->times)
		type |= PERF_SAMPLE_TIME;
	if (session->cpus)
		type |= PERF_SAMPLE_CPU;
	if (session->several)
		type |= PERF_SAMPLE_IDENTIFIER;
	if (event && event->frequency && !spe)
		type |= PERF_SAMPLE_PERIOD;
	if (event && session->callchains && !spe)
		type |= PERF_SAMPLE_CALLCHAIN | (LINK_REGISTER ? PERF_SAMPLE_REGS_USER : 0);
	if (event && session->user_stack && !spe)
		type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	/* The driver ignores it; it tells readers what SPE records have. */
	if (spe)
		type |= PERF_SAMPLE_DATA_SRC;
	if (role->read)
		type |= PERF_SAMPLE_READ;
	if (event && session->addresses && !spe)
		type |= PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC;
	if (event && session->branches && !spe)
		type |= PERF_SAMPLE_BRANCH_STACK;
	if (spe ? event->spe.pa_enable : event && session->physical)
		type |= PERF_SAMPLE_PHYS_ADDR;
	return type;
}

/* Records about tasks and their memory. */
static void set_side_band(struct perf_event_attr *attr, const struct sampled_session *session)
{
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	/* Unwinders find .eh_frame through mappings of data. */
	attr->mmap_data = session->addresses || session->user_stack;
	attr->build_id = session->build_ids && !(session->without & WITHOUT_BUILD_ID);
	attr->ksymbol = !(session->without & WITHOUT_BPF);
	attr->bpf_event = !(session->without & WITHOUT_BPF);
	attr->context_switch = session->switches;
}

static void set_event(struct perf_event_attr *attr, const struct plumb_event_config *event,
		      uint32_t pmu_type)
{
	if (!event) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
		attr->sample_period = 1;
		attr->exclude_kernel = attr->exclude_hv = 1;
		return;
	}
	attr->type = event->kind == PLUMB_EVENT_SOFTWARE ? PERF_TYPE_SOFTWARE : pmu_type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->freq = event->frequency != 0;
	attr->sample_period = event->frequency ? event->frequency : event->period;
	attr->exclude_user = event->exclude_user;
	attr->exclude_kernel = event->exclude_kernel;
	attr->exclude_hv = event->exclude_hv;
	attr->exclude_host = event->guest && !event->host;
	attr->exclude_idle = event->exclude_idle;
	attr->pinned = event->pinned;
	attr->exclusive = event->exclusive;
	attr->precise_ip = event->precise & 3;
}

void sampled_attr_fill(struct sampled_attr *sampled, const struct plumb_event_config *event,
		       const struct sampled_session *session, const struct sampled_role *role,
		       uint32_t pmu_type)
{
	struct perf_event_attr *attr = &sampled->attr;

	*sampled = (struct sampled_attr){0};
	set_event(attr, event, pmu_type);
	attr->sample_type = sample_type(event, session, role);
	attr->read_format = PERF_FORMAT_ID;
	if (role->read) {
		attr->read_format |= PERF_FORMAT_GROUP;
		if (role->member && !event->strobe)
			attr->freq = attr->sample_period = 0;
	}
	if (!(session->without & WITHOUT_LOST))
		attr->read_format |= PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	if (attr->sample_type & PERF_SAMPLE_REGS_USER)
		attr->sample_regs_user = LINK_REGISTER;
	if (attr->sample_type & PERF_SAMPLE_STACK_USER) {
		attr->sample_regs_user = USER_REGISTERS;
		attr->sample_stack_user = session->user_stack;
		attr->exclude_callchain_user = 1; /* the reader unwinds it */
	}
	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		attr->branch_sample_type = session->branches;
	attr->inherit =
		session->inherit && !(role->read && session->without & WITHOUT_INHERITED_READ);
	attr->use_clockid = session->clockid >= 0;
	attr->clockid = session->clockid >= 0 ? session->clockid : 0;
	attr->exclude_guest = event && !event->guest && !(session->without & WITHOUT_GUEST);
	attr->exclude_kernel |= role->no_kernel;
	/*
	 * A running process is tracked from when /proc is read; otherwise maps made between that
	 * and the first sample would be missed.
	 */
	attr->disabled = role->member ? event->strobe != 0 : event || session->on_exec;
	attr->enable_on_exec = session->on_exec && !role->member;
	if (role->tracking)
		set_side_band(attr, session);
}

/* Kernels refuse what they do not know, so the size is the smallest that has all that is set. */
static uint32_t size_of(const struct sampled_attr *sampled)
{
	return sampled->config4   ? SIZE_WITH_CONFIG4
	       : sampled->config3 ? SIZE_WITH_CONFIG3
				  : SIZE_BEFORE_CONFIG3;
}

int sampled_attr_open(const struct sampled_attr *sampled, pid_t pid, int cpu, int leader)
{
	union {
		struct perf_event_attr attr;
		uint8_t bytes[sizeof(struct perf_event_attr) + SIZE_WITH_CONFIG4];
	} given = {.attr = sampled->attr};
	long fd;

	given.attr.size = size_of(sampled);
	memcpy(given.bytes + SIZE_BEFORE_CONFIG3, &sampled->config3, sizeof(sampled->config3));
	memcpy(given.bytes + SIZE_WITH_CONFIG3, &sampled->config4, sizeof(sampled->config4));
	fd = syscall(SYS_perf_event_open, &given, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

/* The one-bit members lie between these two in the kernel's structure. */
static uint64_t flags_of(const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags,
	       (const uint8_t *)attr + offsetof(struct perf_event_attr, read_format) +
		       sizeof(attr->read_format),
	       sizeof(flags));
	return flags;
}

struct plumb_event_attr sampled_attr_public(const struct sampled_attr *sampled)
{
	const struct perf_event_attr *attr = &sampled->attr;

	return (struct plumb_event_attr){
		.type = attr->type,
		.size = size_of(sampled),
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.config3 = sampled->config3,
		.config4 = sampled->config4,
		.sample_period = attr->sample_period,
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.flags = flags_of(attr),
		.wakeup = attr->wakeup_events,
		.branch_sample_type = attr->branch_sample_type,
		.sample_regs_user = attr->sample_regs_user,
		.sample_stack_user = attr->sample_stack_user,
		.clockid = attr->clockid,
	};
}
