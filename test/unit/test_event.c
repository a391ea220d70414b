/* SPDX-License-Identifier: Apache-2.0 */
/* The language of -e: what each word means, and the messages for errors. */
#include "check.h"

#include <string.h>

#include <plumb/event.h>
#include <plumb/spe.h>

#include "small_spec.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct plumb_event_list *list;
static struct plumb_diagnostics *diagnostics;
static const struct plumb_spec *n3;

static void begin(const struct plumb_event_options *options)
{
	plumb_event_list_free(list);
	assert_int_equal(plumb_event_list_new(options, &list), 0);
}

static void begin_sampling(void)
{
	begin(&(struct plumb_event_options){
		.size = sizeof(struct plumb_event_options), .spec = n3, .sampling = true});
}

static void begin_counting(void)
{
	begin(&(struct plumb_event_options){.size = sizeof(struct plumb_event_options),
					    .spec = n3});
}

static const struct plumb_event_config *get(size_t i)
{
	const struct plumb_event_config *config = plumb_event_list_get(list, i);

	assert_non_null(config);
	return config;
}

static const struct plumb_event_config *only(const char *text)
{
	if (plumb_event_list_add(list, text, diagnostics) != 0)
		fail_msg("%s: refused", text);
	assert_int_equal(plumb_event_list_count(list), 1);
	assert_string_equal(get(0)->name, text);
	return get(0);
}

static const struct plumb_event_config *sampled(const char *text)
{
	begin_sampling();
	return only(text);
}

static const struct plumb_event_config *counted(const char *text)
{
	begin_counting();
	return only(text);
}

/* The message, and the hint, if that is given. */
static void refused(const char *text, int error, const char *message, const char *hint)
{
	size_t count = plumb_diagnostics_count(diagnostics), events = plumb_event_list_count(list);
	const struct plumb_diagnostic *d;
	int got = plumb_event_list_add(list, text, diagnostics);

	if (got != error)
		fail_msg("%s: %s", text, plumb_error_name(got));
	assert_int_equal(plumb_event_list_count(list), events);
	assert_int_equal(plumb_diagnostics_count(diagnostics), count + 1);
	d = plumb_diagnostics_get(diagnostics, count);
	assert_string_equal(d->message, message);
	if (hint) {
		assert_non_null(d->hint);
		assert_string_equal(d->hint, hint);
	}
}

static void spe_takes_the_manuals_parameters(void **state)
{
	const struct plumb_event_config *e =
		sampled("arm_spe/load_filter=1,store_filter=1,branch_filter=1,min_latency=10,"
			"event_filter=0x80,inv_event_filter=2,ts_enable=1,pa_enable=1,pct_enable=1,"
			"jitter=0,period=1024/");

	(void)state;
	assert_int_equal(e->kind, PLUMB_EVENT_SPE);
	assert_string_equal(e->pmu, "arm_spe");
	assert_true(e->spe.load_filter && e->spe.store_filter && e->spe.branch_filter);
	assert_true(e->spe.ts_enable && e->spe.pa_enable && e->spe.pct_enable);
	assert_false(e->spe.jitter || e->spe.discard || e->spe.simd_filter || e->spe.float_filter);
	assert_int_equal(e->spe.min_latency, 10);
	assert_int_equal(e->spe.event_filter, 0x80);
	assert_int_equal(e->spe.inv_event_filter, 2);
	assert_int_equal(e->period, 1024);
	e = sampled("arm_spe_0//");
	assert_true(e->spe.ts_enable && e->spe.jitter);
	assert_false(e->spe.load_filter || e->spe.pa_enable);
	assert_int_equal(e->period, 0);
	assert_false(sampled("spe/ts_enable=0/")->spe.ts_enable);
	assert_true(sampled("spe/discard/")->spe.discard);
	assert_int_equal(sampled("spe/event_filter=0xffffffffffffffff/")->spe.event_filter,
			 UINT64_MAX);
}

static void spe_has_short_forms(void **state)
{
	const struct plumb_event_config *e;

	(void)state;
	assert_int_equal(sampled("spe")->kind, PLUMB_EVENT_SPE);
	assert_true(get(0)->spe.ts_enable);
	assert_true(sampled("spe/load/")->spe.load_filter);
	e = sampled("spe/store/u");
	assert_true(e->spe.store_filter && e->exclude_kernel && !e->exclude_user);
	assert_true(sampled("spe:k")->exclude_user);
	e = sampled("spe/branch-miss/");
	assert_true(e->spe.branch_filter);
	assert_int_equal(e->spe.event_filter, 1 << 7);
	assert_int_equal(sampled("spe/l1d-miss/")->spe.event_filter, 1 << 3);
	assert_int_equal(sampled("spe/latency>=100/")->spe.min_latency, 100);
	assert_int_equal(sampled("spe/latency>100/")->spe.min_latency, 101);
	e = sampled("spe/load,store,tlb-miss,latency>=4095,period=7/");
	assert_true(e->spe.load_filter && e->spe.store_filter && !e->spe.branch_filter);
	assert_int_equal(e->spe.min_latency, 4095);
	assert_int_equal(e->spe.event_filter, 1 << 5);
	assert_int_equal(e->period, 7);
}

static void spe_takes_the_parameters_of_newer_drivers(void **state)
{
	const struct plumb_event_config *e;

	(void)state;
	begin_sampling();
	e = sampled("spe/load_filter_mask,simd_filter_mask=1,store_filter_mask=0/");
	assert_true(e->spe.load_filter_mask && e->spe.simd_filter_mask);
	assert_false(e->spe.store_filter_mask || e->spe.load_filter);
	e = sampled("spe/inv_data_src_filter=0xfffffffffffffff6/");
	assert_true(e->spe.inv_data_src_filter == ~UINT64_C(9) && !e->spe.data_source);
	e = sampled("spe/data_source=L2+DRAM,min_latency=9/u");
	assert_string_equal(e->spe.data_source, "L2+DRAM");
	assert_true(e->spe.load_filter);
	assert_int_equal(e->spe.min_latency, 9);
}

static void spes_bad_parameters_are_refused_by_name(void **state)
{
	(void)state;
	begin_sampling();
	refused("spe/min_latncy=3/", PLUMB_ERR_NOT_FOUND, "'min_latncy': unknown SPE term",
		"did you mean min_latency?");
	refused("spe/foo/", PLUMB_ERR_NOT_FOUND, "'foo': unknown SPE term",
		"use ts_enable, pa_enable, pct_enable, jitter, load_filter, store_filter, "
		"branch_filter, simd_filter, float_filter, discard, min_latency, event_filter, "
		"inv_event_filter, load_filter_mask and the other masks, inv_data_src_filter, "
		"period, name, or the short forms load, store, branch, simd, float, branch-miss, "
		"l1d-miss, tlb-miss, llc-miss, remote-access, misaligned, retired, latency>=N, "
		"data_source=NAME");
	refused("spe/data_source/", PLUMB_ERR_INVALID, "'data_source': requires a value", NULL);
	refused("spe/min_latency=4096/", PLUMB_ERR_INVALID, "'min_latency': invalid value '4096'",
		"use 0 to 4095");
	refused("spe/min_latency/", PLUMB_ERR_INVALID, "'min_latency': requires a value",
		"use 0 to 4095");
	refused("spe/latency>4095/", PLUMB_ERR_INVALID, "'latency': invalid value '4095'",
		"use 0 to 4094");
	refused("spe/load_filter=2/", PLUMB_ERR_INVALID, "'load_filter': invalid value '2'",
		"use 0 to 1");
	refused("spe/event_filter=-1/", PLUMB_ERR_INVALID, "'event_filter': invalid value '-1'",
		"use a whole number of at least 0: 4096, 0x1000, 10k");
	refused("spe/period=0/", PLUMB_ERR_INVALID, "'period': invalid value '0'",
		"use a whole number of at least 1: 4096, 0x1000, 10k");
	refused("spe/freq=100/", PLUMB_ERR_INVALID,
		"'freq': SPE supports a period, not a frequency", "use period=N");
	refused("spe/load=1/", PLUMB_ERR_INVALID, "'load': takes no value", NULL);
	refused("arm_spi//", PLUMB_ERR_NOT_FOUND, "'arm_spi': unknown event or PMU",
		"did you mean arm_spe?");
	refused("spe/load", PLUMB_ERR_SYNTAX, "'spe/load': missing second '/'", NULL);
	refused("spe//x", PLUMB_ERR_SYNTAX, "'x': invalid modifiers", NULL);
	refused("spe/load,,store/", PLUMB_ERR_SYNTAX, "'': missing term between commas", NULL);
	refused("spe/name='/", PLUMB_ERR_SYNTAX, "'name='': missing closing quote",
		"use name='ANY TEXT'");
	refused("spe/load,name='a,store/", PLUMB_ERR_SYNTAX,
		"'name='a,store': missing closing quote", "use name='ANY TEXT'");
	begin_counting();
	refused("spe/load/", PLUMB_ERR_INVALID, "'spe': SPE can be sampled, but not counted",
		"sample it instead");
}

/*
 * The codes are those of include/linux/perf/arm_pmuv3.h; the names beside them those that
 * armv8_pmuv3_perf_map and armv8_pmuv3_perf_cache_map in drivers/perf/arm_pmuv3.c have for them.
 */
static const struct {
	const char *text;
	unsigned code;
} pmu_events[] = {
	{"L1D_CACHE_REFILL", 0x03},
	{"l1d_cache_refill", 0x03},
	{"l1d_cache:u", 0x04},
	{"r03", 0x03},
	{"r3", 0x03},
	{"r0x1b", 0x1b},
	{"0x1b", 0x1b},
	{"rC105", 0xc105},
	{"4:0x1b", 0x1b},
	{"4:27", 0x1b},
	{"4:27:k", 0x1b},
	{"armv8_pmuv3/event=0x3/", 0x03},
	{"armv8_pmuv3_0/l1d_cache_refill/", 0x03},
	{"armv8_pmuv3_0/l1d_cache/", 0x04},
	{"armv9_neoverse_n2/config=3/", 0x03},
	{"cpu/event=0x11/", 0x11},
	{"cpu/r11/", 0x11},
	{"cpu/branch-misses/", 0x10},
	{"cpu/event=17/", 0x11},
	{"CPU/CYCLES/", 0x11},
	{"Armv8_PMUv3_0/EVENT=0x11/u", 0x11},
	{"CYCLES/Period=5/", 0x11},
	{"cycles", 0x11},
	{"cpu-cycles", 0x11},
	{"CYCLES", 0x11},
	{"cycles:", 0x11},
	{"cycles//", 0x11},
	{"cycles//u", 0x11},
	{"instructions", 0x08},
	{"cache-references", 0x04},
	{"cache-misses", 0x03},
	{"branches", 0x0c},
	{"branch-instructions", 0x0c},
	{"branch-misses", 0x10},
	{"bus-cycles", 0x1d},
	{"stalled-cycles-frontend", 0x23},
	{"idle-cycles-frontend", 0x23},
	{"stalled-cycles-backend", 0x24},
	{"idle-cycles-backend", 0x24},
	{"0:1", 0x08},
	{"0:4", 0x0c},
	{"0:8", 0x24},
	{"L1-dcache-loads", 0x04},
	{"L1-dcache-load-misses", 0x03},
	{"L1-dcache-misses", 0x03},
	{"L1-dcache", 0x04},
	{"l1d", 0x04},
	{"l1-d-read-refs", 0x04},
	{"L1-data-miss-load", 0x03},
	{"L1-dcache-load-load", 0x04},
	{"L1-icache-loads", 0x14},
	{"L1-icache-load-misses", 0x01},
	{"L1-instruction-ops", 0x14},
	{"LLC-loads", 0x36},
	{"LLC-load-misses", 0x37},
	{"L2-misses", 0x37},
	{"dTLB-loads", 0x25},
	{"dTLB-load-misses", 0x05},
	{"d-tlb-misses", 0x05},
	{"Data-TLB-Reference", 0x25},
	{"iTLB-loads", 0x26},
	{"iTLB-load-misses", 0x02},
	{"i-tlb-access", 0x26},
	{"branch-loads", 0x12},
	{"branch-load-misses", 0x10},
	{"bpu-misses", 0x10},
	{"branch", 0x12},
	{"3:0", 0x04},
	{"3:0x10000", 0x03},
	{"3:0x10005", 0x10},
};

static void pmu_events_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(pmu_events); i++) {
		const struct plumb_event_config *e = counted(pmu_events[i].text);

		assert_int_equal(e->kind, PLUMB_EVENT_PMU);
		if (e->config != pmu_events[i].code)
			fail_msg("%s is 0x%llx", e->name, (unsigned long long)e->config);
		assert_int_equal(e->leader, 0);
	}
}

static void software_events_are_found(void **state)
{
	/* <linux/perf_event.h>: enum perf_sw_ids. */
	static const struct {
		const char *text;
		unsigned config;
	} cases[] = {
		{"cpu-clock", 0},
		{"task-clock", 1},
		{"page-faults", 2},
		{"faults", 2},
		{"context-switches", 3},
		{"cs", 3},
		{"cpu-migrations", 4},
		{"migrations", 4},
		{"minor-faults", 5},
		{"major-faults", 6},
		{"alignment-faults", 7},
		{"emulation-faults", 8},
		{"dummy", 9},
		{"bpf-output", 10},
		{"cgroup-switches", 11},
		{"1:1", 1},
		{"1:11", 11},
		{"task-clock:u", 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		begin(&(struct plumb_event_options){.size = sizeof(struct plumb_event_options)});
		assert_int_equal(only(cases[i].text)->kind, PLUMB_EVENT_SOFTWARE);
		assert_int_equal(get(0)->config, cases[i].config);
	}
}

static void without_a_pmu_only_software_is_there(void **state)
{
	(void)state;
	begin(&(struct plumb_event_options){.size = sizeof(struct plumb_event_options)});
	refused("cycles", PLUMB_ERR_MACHINE,
		"'cycles': this event requires an Arm PMU, which this machine does not have",
		"use the model source, or software events such as task-clock");
	refused("cpu/r1/u", PLUMB_ERR_MACHINE,
		"'cpu/r1/u': this event requires an Arm PMU, which this machine does not have",
		NULL);
	refused("cpu/l1d_cache/", PLUMB_ERR_NOT_FOUND, "'l1d_cache': no such event", NULL);
	refused("4:3", PLUMB_ERR_MACHINE,
		"'4:3': this event requires an Arm PMU, which this machine does not have", NULL);
	refused("task-clok", PLUMB_ERR_NOT_FOUND, "'task-clok': no such event",
		"did you mean task-clock?");
}

static void terms_are_read(void **state)
{
	const struct plumb_event_config *e;

	(void)state;
	e = sampled("armv8_pmuv3_0/event=0x3,period=10k,long/u");
	assert_string_equal(e->pmu, "armv8_pmuv3_0");
	assert_int_equal(e->period, 10000);
	assert_int_equal(e->config1, 1);
	assert_true(e->exclude_kernel);
	assert_int_equal(sampled("cpu/r3,config1=0x7,long=0/")->config1, 6);
	e = sampled("cycles/freq=99/:k");
	assert_int_equal(e->frequency, 99);
	assert_true(e->exclude_user && !e->exclude_kernel);
	assert_null(e->pmu);
	assert_int_equal(sampled("r11/period=0x10/")->period, 16);
	assert_int_equal(sampled("task-clock/period=1M/")->period, 1000000);
	begin_sampling();
	assert_int_equal(
		plumb_event_list_add(list, "cycles/name=x/,cpu/r3,name='a,b/c'/u", diagnostics),
		PLUMB_ERR_SYNTAX);
	assert_int_equal(
		plumb_event_list_add(list, "cycles/name=x/,cpu/r3,name='a,b'/u", diagnostics), 0);
	assert_int_equal(plumb_event_list_count(list), 2);
	assert_string_equal(get(0)->name, "x");
	assert_string_equal(get(1)->name, "a,b");
	assert_true(get(0)->named && get(1)->named);
	assert_false(sampled("cycles/period=3/")->named);
	/* PMUs are those of sysfs, in lower case; names keep their letters. */
	assert_string_equal(sampled("ARMV8_PMUv3_0/L1D_Cache/")->pmu, "armv8_pmuv3_0");
	begin_sampling();
	assert_int_equal(plumb_event_list_add(list, "CPU/r3,NAME=Mine/", diagnostics), 0);
	assert_string_equal(get(0)->name, "Mine");
	assert_true(sampled("SPE/Load,Min_Latency=9/")->spe.load_filter);
	assert_int_equal(sampled("Arm_SPE_0//")->kind, PLUMB_EVENT_SPE);
}

static void bad_terms_are_refused_by_name(void **state)
{
	(void)state;
	begin_sampling();
	refused("cpu//", PLUMB_ERR_SYNTAX, "'cpu': requires an event between slashes",
		"cpu/l1d_cache/ or cpu/event=0x4/");
	refused("cpu/event=0x10000/", PLUMB_ERR_INVALID, "'event': invalid value '0x10000'",
		"use 0 to 65535");
	refused("cpu/evnt=3/", PLUMB_ERR_NOT_FOUND, "'evnt': unknown term of a PMU event",
		"did you mean event?");
	refused("cpu/umask=1/", PLUMB_ERR_NOT_FOUND, "'umask': unknown term of a PMU event",
		"event, config, config1, period, freq, name, long, rdpmc and strobe are allowed");
	refused("cpu/cpu-clock/", PLUMB_ERR_NOT_FOUND,
		"'cpu-clock': software events do not belong to a PMU", NULL);
	refused("cpu/backend_bound/", PLUMB_ERR_INVALID,
		"'backend_bound': metrics cannot be sampled, only their events", NULL);
	refused("cpu/l1d_cach/", PLUMB_ERR_NOT_FOUND,
		"'l1d_cach': neoverse-n3-r0p0 has no such event", "did you mean L1D_CACHE?");
	refused("cycles/event=3/", PLUMB_ERR_NOT_FOUND, "'event': unknown term of an event",
		"use period, freq or name");
	refused("cycles/call-graph=fp/", PLUMB_ERR_UNSUPPORTED,
		"'call-graph': this term is not supported", "record call chains with all events");
	refused("cycles/name=/", PLUMB_ERR_INVALID, "'name': requires a value", NULL);
	refused("cycles/freq=1000001/", PLUMB_ERR_INVALID, "'freq': invalid value '1000001'",
		"use 1 to 1000000");
	refused("cycles/period=18446744073709551616/", PLUMB_ERR_INVALID,
		"'period': invalid value '18446744073709551616'", NULL);
}

static void strobed_members_sample_with_their_leaders_period(void **state)
{
	(void)state;
	begin_sampling();
	assert_int_equal(plumb_event_list_add(list,
					      "{cycles/period=5k/,r8,cycles/period=7,strobe=300/"
					      "}:uS",
					      diagnostics),
			 0);
	assert_int_equal(get(2)->strobe, 300);
	assert_int_equal(get(2)->period, 5000);
	assert_int_equal(get(0)->strobe + get(1)->strobe, 0);
	begin_sampling();
	refused("{cycles/period=5k/,cycles/strobe=2501/}:S", PLUMB_ERR_INVALID,
		"'cycles/strobe=2501/': strobe requires a period at least twice as long", NULL);
	refused("{cycles/freq=99/,cycles/strobe=300/}:S", PLUMB_ERR_INVALID,
		"'cycles/strobe=300/': strobe requires a period at least twice as long", NULL);
	refused("cycles/strobe=0/", PLUMB_ERR_INVALID, "'strobe': invalid value '0'",
		"use 1 to 4294967295");
	for (size_t i = 0; i < 4; i++) {
		static const char *const misplaced[] = {
			"cycles/period=5k,strobe=300/S", "{cycles/period=5k/,cycles/strobe=300/}",
			"{r8/period=5k/,cycles/strobe=300/}:S",
			"{cycles/period=5k/u,cycles/strobe=300/}:S"};

		assert_int_equal(plumb_event_list_add(list, misplaced[i], diagnostics),
				 PLUMB_ERR_INVALID);
	}
}

static void modifiers_are_read(void **state)
{
	const struct plumb_event_config *e;

	(void)state;
	e = counted("cycles");
	assert_false(e->exclude_user || e->exclude_kernel || e->exclude_hv || e->host || e->guest);
	e = counted("cycles:u");
	assert_true(!e->exclude_user && e->exclude_kernel && e->exclude_hv);
	e = counted("cycles:kh");
	assert_true(e->exclude_user && !e->exclude_kernel && !e->exclude_hv);
	e = counted("cycles:G");
	assert_true(e->guest && !e->host);
	e = counted("cycles:HG");
	assert_true(e->guest && e->host);
	e = counted("cycles:ISDeWu");
	assert_true(e->exclude_idle && e->sample_read && e->pinned && e->exclusive && e->weak);
	assert_int_equal(counted("cycles:upp")->precise, 2);
	assert_int_equal(counted("cycles:ppp")->precise, 3);
	assert_int_equal(counted("cycles:P")->precise, 3);
}

static void a_groups_modifiers_add_to_its_events(void **state)
{
	static const struct {
		const char *text;
		bool user, kernel, hypervisor; /* excluded */
		const char *name;
	} cases[] = {
		{"{cycles:u}:k", false, false, true, "cycles:uk"},
		{"{cycles:uh}:ku", false, false, false, "cycles"},
		{"{cycles:ukh}:u", false, true, true, "cycles:u"},
		{"{cycles}:k", true, false, true, "cycles:k"},
		{"{cycles:k}:p", true, false, true, "cycles:kp"},
		{"{cycles:pS}:pS", false, false, false, "cycles:pSp"},
		{"{cycles:}:u", false, true, true, "cycles:u"},
		{"{cpu/cycles/}:u", false, true, true, "cpu/cycles/u"},
		{"{cpu/cycles/:k}:u", false, false, true, "cpu/cycles/uk"},
		{"{4:0x1b}:u", false, true, true, "4:0x1b:u"},
		{"{4:0x1b:k}:G", true, false, true, "4:0x1b:kG"},
		{"{cycles}:", false, false, false, "cycles"},
		{"{cpu/cycles,name='a b'/}:u", false, true, true, "a b"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		begin_counting();
		assert_int_equal(plumb_event_list_add(list, cases[i].text, diagnostics), 0);
		assert_int_equal(get(0)->exclude_user, cases[i].user);
		assert_int_equal(get(0)->exclude_kernel, cases[i].kernel);
		assert_int_equal(get(0)->exclude_hv, cases[i].hypervisor);
		assert_string_equal(get(0)->name, cases[i].name);
	}
	begin_counting();
	assert_int_equal(plumb_event_list_add(list, "{cycles,cpu/r2/u}:DW", diagnostics), 0);
	assert_string_equal(get(0)->name, "cycles:D");
	assert_string_equal(get(1)->name, "cpu/r2/u");
	/* perf names them so in recordings. */
	begin_sampling();
	assert_int_equal(plumb_event_list_add(list, "{cycles,instructions:k}:u", diagnostics), 0);
	assert_string_equal(get(0)->name, "cycles");
	assert_string_equal(get(1)->name, "instructions:k");
}

static void bad_modifiers_are_refused(void **state)
{
	static const char letters[] =
		"use u (user), k (kernel), h (hypervisor), G (guest), H (host), I (not idle), p to "
		"ppp and P (precise), S (the leader samples its group), D (pinned), e (exclusive), "
		"W "
		"(weak group)";

	(void)state;
	begin_counting();
	refused("cycles:q", PLUMB_ERR_SYNTAX, "'q': invalid modifiers", letters);
	refused("cycles:pppp", PLUMB_ERR_SYNTAX, "'pppp': at most three p are allowed", letters);
	refused("cycles:uku", PLUMB_ERR_SYNTAX, "'uku': duplicate modifier", letters);
	refused("cycles:b", PLUMB_ERR_UNSUPPORTED, "'b': counting with BPF is not supported",
		"remove the modifier b");
	refused("{cycles,instructions:D}", PLUMB_ERR_INVALID,
		"'{cycles,instructions:D}': only the first event of a group may have the modifiers "
		"D and e",
		NULL);
}

static void lists_and_groups(void **state)
{
	(void)state;
	begin_sampling();
	assert_int_equal(
		plumb_event_list_add(list, "cycles:u, {r03:k,instructions:pp}:hS ,cs", diagnostics),
		0);
	assert_int_equal(plumb_event_list_add(list,
					      "mine{r1,cpu/r2,period=5/,r3}:DW,spe/load,store/",
					      diagnostics),
			 0);
	assert_int_equal(plumb_event_list_count(list), 8);
	assert_int_equal(get(0)->leader, 0);
	assert_true(!get(0)->exclude_user && get(0)->exclude_kernel && get(0)->exclude_hv);
	/* A group's modifiers add to its events' own. */
	assert_int_equal(get(1)->leader, 1);
	assert_true(get(1)->exclude_user && !get(1)->exclude_kernel && !get(1)->exclude_hv);
	assert_true(get(1)->sample_read && get(2)->sample_read);
	assert_int_equal(get(2)->leader, 1);
	assert_true(get(2)->exclude_user && get(2)->exclude_kernel && !get(2)->exclude_hv);
	assert_int_equal(get(2)->precise, 2);
	assert_string_equal(get(3)->name, "cs");
	assert_int_equal(get(3)->leader, 3);
	assert_int_equal(get(4)->leader, 4);
	assert_int_equal(get(5)->leader, 4);
	assert_int_equal(get(5)->period, 5);
	assert_string_equal(get(5)->name, "cpu/r2,period=5/");
	assert_int_equal(get(6)->leader, 4);
	assert_true(get(4)->pinned && !get(5)->pinned && get(4)->weak && get(6)->weak);
	assert_int_equal(get(7)->leader, 7);
	assert_true(get(7)->spe.load_filter && get(7)->spe.store_filter);
	assert_null(plumb_event_list_get(list, 8));
}

static void what_is_torn_is_refused(void **state)
{
	(void)state;
	begin_sampling();
	refused("", PLUMB_ERR_SYNTAX, "'': missing event",
		"name an event before and after each comma");
	refused("cycles,", PLUMB_ERR_SYNTAX, "'': missing event",
		"name an event before and after each comma");
	refused("{cycles,r1", PLUMB_ERR_SYNTAX, "'{cycles,r1': missing '}'", NULL);
	refused("}cycles{", PLUMB_ERR_SYNTAX, "'}cycles{': missing '}'", NULL);
	refused("{}", PLUMB_ERR_SYNTAX, "'': missing event",
		"name an event before and after each comma");
	refused("cycles}", PLUMB_ERR_SYNTAX, "'cycles}': no '{' before the '}' at 7", NULL);
	refused("{cycles}}", PLUMB_ERR_SYNTAX, "'cycles}': no '{' before the '}' at 7", NULL);
	refused("{r1,{cycles}}", PLUMB_ERR_SYNTAX, "'{cycles}': a group within a group: '{' at 1",
		"list all events of a group between one '{' and one '}'");
	/* Between slashes, braces are text. */
	assert_int_equal(plumb_event_list_add(list, "cpu/r1,name='a}{b'/", diagnostics), 0);
	begin_sampling();
	refused("mem:0x1000", PLUMB_ERR_UNSUPPORTED, "'mem:0x1000': breakpoints are not supported",
		"use a PMU event or a software event");
	refused("{cycles}x", PLUMB_ERR_SYNTAX,
		"'{cycles}x': only ':' and modifiers may follow a '}'", NULL);
	refused("{cycles,spe//}", PLUMB_ERR_INVALID, "'{cycles,spe//}': SPE cannot be in a group",
		NULL);
	refused("cycles,{r1,foo}", PLUMB_ERR_NOT_FOUND, "'foo': neoverse-n3-r0p0 has no such event",
		NULL);
}

static void metrics_are_events_that_are_counted(void **state)
{
	const struct plumb_diagnostic *d;
	const uint16_t backend_bound = plumb_spec_metric(n3, "backend_bound");

	(void)state;
	assert_int_not_equal(backend_bound, PLUMB_NONE);
	begin_counting();
	assert_int_equal(plumb_event_list_add(list, "backend_bound,cycles", diagnostics), 0);
	assert_int_equal(get(0)->kind, PLUMB_EVENT_METRIC);
	assert_int_equal(get(0)->config, backend_bound);
	assert_int_equal(get(1)->kind, PLUMB_EVENT_PMU);
	refused("backend_bound:u", PLUMB_ERR_INVALID,
		"'backend_bound:u': metrics take no modifiers",
		"use them on the metric's events instead");
	refused("ipc/period=3/", PLUMB_ERR_INVALID, "'ipc/period=3/': metrics take no terms", NULL);
	refused("{ipc,cycles}", PLUMB_ERR_INVALID, "'{ipc,cycles}': metrics cannot be in a group",
		NULL);
	refused("backend_bond", PLUMB_ERR_NOT_FOUND,
		"'backend_bond': neoverse-n3-r0p0 has no such event",
		"did you mean backend_bound?");
	refused("topdown_l1", PLUMB_ERR_NOT_FOUND,
		"'topdown_l1': neoverse-n3-r0p0 has no such event",
		"topdown_l1 is a metric group, not an event");
	d = plumb_diagnostics_get(diagnostics, plumb_diagnostics_count(diagnostics) - 1);
	assert_string_equal(d->remedy, "metric-group");
	assert_string_equal(d->subject, "topdown_l1");
	begin_sampling();
	refused("ipc", PLUMB_ERR_INVALID, "'ipc': metrics cannot be sampled, only their events",
		"sample its events: CPU_CYCLES, INST_RETIRED");
}

static void what_only_perf_has_is_refused_by_name(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"sched:sched_switch", "'sched:sched_switch': tracepoints are not supported"},
		{"syscalls:*", "'syscalls:*': tracepoints are not supported"},
		{"mem:0x1000:rw", "'mem:0x1000:rw': breakpoints are not supported"},
		{"duration_time",
		 "'duration_time': this event, which only perf generates, is not supported"},
		{"user_time",
		 "'user_time': this event, which only perf generates, is not supported"},
		{"L1-dcache-stores", "'L1-dcache-stores': Linux maps this to no event of Arm PMUs"},
		{"LLC-prefetches", "'LLC-prefetches': Linux maps this to no event of Arm PMUs"},
		{"node-loads", "'node-loads': Linux maps this to no event of Arm PMUs"},
		{"ref-cycles", "'ref-cycles': Linux maps this to no event of Arm PMUs"},
	};

	(void)state;
	begin_counting();
	for (size_t i = 0; i < COUNT(cases); i++)
		refused(cases[i].text, PLUMB_ERR_UNSUPPORTED, cases[i].message, NULL);
	/* Each has the hint that helps with it. */
	refused("L1-dcache-stores", PLUMB_ERR_UNSUPPORTED, cases[5].message,
		"use an event of the CPU, such as L1D_CACHE_WR for stores");
	/* Linux's clocks ignore u and k, so task-clock:u would not help. */
	refused("user_time", PLUMB_ERR_UNSUPPORTED, cases[4].message,
		"use time(1), which prints the time in user code");
	refused("system_time", PLUMB_ERR_UNSUPPORTED,
		"'system_time': this event, which only perf generates, is not supported",
		"use time(1), which prints the time in the kernel");
	refused("ref-cycles", PLUMB_ERR_UNSUPPORTED,
		"'ref-cycles': Linux maps this to no event of Arm PMUs",
		"use CNT_CYCLES, which counts at a constant frequency");
	refused("4:", PLUMB_ERR_NOT_FOUND, "'4': neoverse-n3-r0p0 has no such event", NULL);
	refused(":u", PLUMB_ERR_SYNTAX, "':u': missing event before ':'", NULL);
	refused("/r11/", PLUMB_ERR_SYNTAX, "'/r11/': missing event or PMU before '/'", NULL);
	refused("cpu/r11,r12/", PLUMB_ERR_INVALID,
		"'r12': an earlier term already selects an event", NULL);
	refused("cpu/event=3,cycles/", PLUMB_ERR_INVALID,
		"'cycles': an earlier term already selects an event", NULL);
	refused("cpu/r11,config=3/", PLUMB_ERR_INVALID,
		"'config': an earlier term already selects an event", NULL);
	refused("msr/tsc/", PLUMB_ERR_NOT_FOUND, "'msr': unknown event or PMU",
		"use the PMU cpu, armv8_pmuv3_0, spe or arm_spe_0");
	refused("foo:u", PLUMB_ERR_NOT_FOUND, "'foo': neoverse-n3-r0p0 has no such event", NULL);
	refused("L1D_CACHE_REFIL", PLUMB_ERR_NOT_FOUND,
		"'L1D_CACHE_REFIL': neoverse-n3-r0p0 has no such event",
		"did you mean L1D_CACHE_REFILL?");
	refused("r12345", PLUMB_ERR_NOT_FOUND, "'r12345': neoverse-n3-r0p0 has no such event",
		NULL);
	refused("L1-dcache-", PLUMB_ERR_NOT_FOUND,
		"'L1-dcache-': neoverse-n3-r0p0 has no such event", NULL);
	refused("L1-dcache-loads-stores", PLUMB_ERR_NOT_FOUND,
		"'L1-dcache-loads-stores': neoverse-n3-r0p0 has no such event", NULL);
	refused("0:9", PLUMB_ERR_NOT_FOUND, "'0:9': unknown event number", NULL);
	refused("2:1", PLUMB_ERR_NOT_FOUND, "'2:1': unknown event number", NULL);
}

static bool counts_but_one(const void *user, uint16_t code)
{
	return code != *(const uint16_t *)user;
}

/* Linux takes BR_RETIRED for branches where PMCEID says that there is no PC_WRITE_RETIRED. */
static void what_a_name_stands_for_depends_on_the_pmu(void **state)
{
	struct plumb_event_options options = {.size = sizeof(options)};
	uint16_t lacking = 0x0c;

	(void)state;
	assert_int_equal(plumb_event_name_code(plumb_event_name(4), &options), -1);
	assert_int_equal(plumb_spec_find("neoverse-n1", &options.spec, NULL), 0);
	begin(&options);
	assert_int_equal(only("branches")->config, 0x21);
	options.spec = n3;
	options.counts = counts_but_one;
	options.user = &lacking;
	begin(&options);
	assert_int_equal(only("branches")->config, 0x21);
	assert_int_equal(plumb_event_name_code(plumb_event_name(4), &options), 0x21);
	lacking = 0x36;
	begin(&options);
	refused("LLC-loads", PLUMB_ERR_NOT_FOUND,
		"'LLC-loads': Linux maps this to LL_CACHE_RD, which cannot be counted here",
		"use another event");
	options = (struct plumb_event_options){.size = sizeof(options), .spec = &small_spec};
	begin(&options);
	assert_int_equal(only("cycles")->config, 0x11);
	refused("LLC-loads", PLUMB_ERR_NOT_FOUND,
		"'LLC-loads': Linux maps this to event 0x0036, which small-one-r1p2 does not have",
		"use another event");
}

static void options_apply_to_all(void **state)
{
	struct plumb_event_options options = {.size = sizeof(options),
					      .spec = n3,
					      .sampling = true,
					      .all_user = true,
					      .period = 1000};

	(void)state;
	begin(&options);
	assert_int_equal(plumb_event_list_add(list, "cycles:k,{r3/period=7/,spe}", diagnostics),
			 PLUMB_ERR_INVALID);
	assert_int_equal(
		plumb_event_list_add(list, "cycles:k,r3/period=7/,spe,r4/freq=9/", diagnostics), 0);
	for (size_t i = 0; i < 4; i++)
		assert_true(!get(i)->exclude_user && get(i)->exclude_kernel && get(i)->exclude_hv);
	assert_int_equal(get(0)->period, 1000);
	assert_int_equal(get(1)->period, 7);
	assert_int_equal(get(2)->period, 1000);
	assert_int_equal(get(3)->period, 0);
	options = (struct plumb_event_options){.size = sizeof(options),
					       .spec = n3,
					       .sampling = true,
					       .all_kernel = true,
					       .frequency = 99};
	begin(&options);
	assert_int_equal(plumb_event_list_add(list, "{cycles,r3}:u,spe", diagnostics), 0);
	assert_true(get(1)->exclude_user && !get(1)->exclude_kernel);
	assert_int_equal(get(0)->frequency, 99);
	assert_int_equal(get(2)->frequency, 0);
}

static void options_that_cannot_be(void **state)
{
	struct plumb_event_options options = {.size = sizeof(options), .all_user = true};
	struct plumb_event_list *none;
	struct {
		struct plumb_event_options known;
		uint64_t unknown;
	} newer = {.known = {.size = sizeof(newer)}};

	(void)state;
	options.all_kernel = true;
	assert_int_equal(plumb_event_list_new(&options, &none), PLUMB_ERR_ARGUMENT);
	options =
		(struct plumb_event_options){.size = sizeof(options), .period = 1, .frequency = 1};
	assert_int_equal(plumb_event_list_new(&options, &none), PLUMB_ERR_ARGUMENT);
	options = (struct plumb_event_options){.period = 1};
	assert_int_equal(plumb_event_list_new(&options, &none), PLUMB_ERR_ARGUMENT);
	assert_null(none);
	/* A newer caller is accepted as long as it asks for nothing new. */
	assert_int_equal(plumb_event_list_new(&newer.known, &none), 0);
	plumb_event_list_free(none);
	newer.unknown = 1;
	assert_int_equal(plumb_event_list_new(&newer.known, &none), PLUMB_ERR_ARGUMENT);
	plumb_event_list_free(NULL);
}

static void there_are_no_more_than_the_limit(void **state)
{
	char *text = calloc(1, PLUMB_EVENT_TEXT_MAX + 2);

	(void)state;
	begin_sampling();
	for (unsigned i = 0; i < PLUMB_EVENTS_MAX; i++)
		assert_int_equal(plumb_event_list_add(list, "r1", diagnostics), 0);
	refused("r1", PLUMB_ERR_LIMIT, "'r1': more than 256 events", NULL);
	assert_non_null(text);
	memset(text, 'r', PLUMB_EVENT_TEXT_MAX + 1);
	assert_int_equal(plumb_event_list_add(list, text, diagnostics), PLUMB_ERR_LIMIT);
	free(text);
}

/* All of perf's names, each of which can be read again. */
static void names_are_listed(void **state)
{
	const struct plumb_event_options options = {.size = sizeof(options), .spec = n3};
	const struct plumb_event_name *name;
	size_t pmu = 0, software = 0;

	(void)state;
	for (size_t i = 0; (name = plumb_event_name(i)); i++) {
		const struct plumb_event_config *e = counted(name->name);

		assert_int_equal(e->kind, name->kind);
		assert_int_equal(e->config, name->kind == PLUMB_EVENT_PMU
						    ? plumb_event_name_code(name, &options)
						    : name->config);
		if (name->alias)
			assert_int_equal(counted(name->alias)->config, get(0)->config);
		assert_true(!name->title == (name->kind == PLUMB_EVENT_PMU));
		if (name->kind == PLUMB_EVENT_PMU)
			pmu++;
		else
			software++;
	}
	/* PERF_COUNT_HW_MAX but for ref-cycles; six caches' reads and misses; PERF_COUNT_SW_MAX. */
	assert_int_equal(pmu, 9 + 12);
	assert_int_equal(software, 12);
	assert_int_equal(plumb_event_name_code(plumb_event_name(pmu), &options), -1);
}

static int set_up(void **state)
{
	(void)state;
	diagnostics = plumb_diagnostics_new();
	return plumb_spec_find("neoverse-n3", &n3, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	plumb_event_list_free(list);
	plumb_diagnostics_free(diagnostics);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spe_takes_the_manuals_parameters),
		cmocka_unit_test(spe_has_short_forms),
		cmocka_unit_test(spe_takes_the_parameters_of_newer_drivers),
		cmocka_unit_test(spes_bad_parameters_are_refused_by_name),
		cmocka_unit_test(pmu_events_are_found),
		cmocka_unit_test(software_events_are_found),
		cmocka_unit_test(without_a_pmu_only_software_is_there),
		cmocka_unit_test(terms_are_read),
		cmocka_unit_test(bad_terms_are_refused_by_name),
		cmocka_unit_test(strobed_members_sample_with_their_leaders_period),
		cmocka_unit_test(modifiers_are_read),
		cmocka_unit_test(a_groups_modifiers_add_to_its_events),
		cmocka_unit_test(bad_modifiers_are_refused),
		cmocka_unit_test(lists_and_groups),
		cmocka_unit_test(what_is_torn_is_refused),
		cmocka_unit_test(metrics_are_events_that_are_counted),
		cmocka_unit_test(what_only_perf_has_is_refused_by_name),
		cmocka_unit_test(what_a_name_stands_for_depends_on_the_pmu),
		cmocka_unit_test(options_apply_to_all),
		cmocka_unit_test(options_that_cannot_be),
		cmocka_unit_test(there_are_no_more_than_the_limit),
		cmocka_unit_test(names_are_listed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
