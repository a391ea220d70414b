/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <string.h>

#include <plumb/spe.h>

#include "source/request.h"

static struct event_request request;
static struct plumb_diagnostics *found;
static const struct plumb_spec *n3;

static const struct sampled_event *one(const char *text)
{
	request_free(&request);
	assert_int_equal(request_add(&request, text, n3, found), 0);
	assert_int_equal(request.count, 1);
	assert_string_equal(request.events[0].name, text);
	return request.events;
}

/* What is wrong, and the hint. */
static void wrong(const char *text, const char *message, const char *hint)
{
	const struct plumb_diagnostic *d;
	size_t count = plumb_diagnostics_count(found);

	request_free(&request);
	assert_true(request_add(&request, text, n3, found) < 0);
	assert_int_equal(request.count, 0);
	assert_int_equal(plumb_diagnostics_count(found), count + 1);
	d = plumb_diagnostics_get(found, count);
	assert_string_equal(d->message, message);
	if (hint)
		assert_string_equal(d->hint, hint);
}

static void spe_takes_the_manuals_parameters(void **state)
{
	const struct sampled_event *e =
		one("arm_spe/load_filter=1,store_filter=1,branch_filter=1,min_latency=10,"
		    "event_filter=0x80,inv_event_filter=2,ts_enable=1,pa_enable=1,pct_enable=1,"
		    "jitter=0,period=1024/");

	(void)state;
	assert_int_equal(e->kind, SAMPLED_SPE);
	assert_true(e->spe.load_filter && e->spe.store_filter && e->spe.branch_filter);
	assert_true(e->spe.ts_enable && e->spe.pa_enable && e->spe.pct_enable);
	assert_false(e->spe.jitter || e->spe.discard || e->spe.simd_filter || e->spe.float_filter);
	assert_int_equal(e->spe.min_latency, 10);
	assert_int_equal(e->spe.event_filter, 0x80);
	assert_int_equal(e->spe.inv_event_filter, 2);
	assert_int_equal(e->period, 1024);
	e = one("arm_spe_0//");
	assert_true(e->spe.ts_enable && e->spe.jitter);
	assert_false(e->spe.load_filter || e->spe.pa_enable);
	assert_int_equal(e->period, 0);
	assert_false(one("spe/ts_enable=0/")->spe.ts_enable);
	assert_true(one("spe/discard/")->spe.discard);
	assert_int_equal(one("spe/event_filter=0xffffffffffffffff/")->spe.event_filter, UINT64_MAX);
}

static void spe_has_short_forms(void **state)
{
	const struct sampled_event *e;

	(void)state;
	assert_int_equal(one("spe")->kind, SAMPLED_SPE);
	assert_true(one("spe/load/")->spe.load_filter);
	assert_true(one("spe/store/u")->spe.store_filter);
	assert_true(request.events->exclude_kernel && !request.events->exclude_user);
	e = one("spe/branch-miss/");
	assert_true(e->spe.branch_filter);
	assert_int_equal(e->spe.event_filter, 1 << 7);
	assert_int_equal(one("spe/l1d-miss/")->spe.event_filter, 1 << 3);
	assert_int_equal(one("spe/latency>=100/")->spe.min_latency, 100);
	assert_int_equal(one("spe/latency>100/")->spe.min_latency, 101);
	e = one("spe/load,store,tlb-miss,latency>=4095,period=7/");
	assert_true(e->spe.load_filter && e->spe.store_filter && !e->spe.branch_filter);
	assert_int_equal(e->spe.min_latency, 4095);
	assert_int_equal(e->spe.event_filter, 1 << 5);
	assert_int_equal(e->period, 7);
}

static void bad_parameters_are_refused_by_name(void **state)
{
	(void)state;
	wrong("spe/min_latncy=3/", "'min_latncy': SPE has no such parameter",
	      "did you mean min_latency?");
	wrong("spe/min_latency=4096/", "'min_latency': bad value '4096'", "0 to 4095 are allowed");
	wrong("spe/min_latency/", "'min_latency': a value is needed", "0 to 4095 are allowed");
	wrong("spe/latency>4095/", "'latency': bad value '4095'", "0 to 4094 are allowed");
	wrong("spe/load_filter=2/", "'load_filter': bad value '2'", "0 to 1 are allowed");
	wrong("spe/event_filter=-1/", "'event_filter': bad value '-1'",
	      "a whole number from 0 on, decimal or with 0x");
	wrong("spe/period=0/", "'period': bad value '0'",
	      "a whole number from 1 on, decimal or with 0x");
	wrong("spe/freq=100/",
	      "'freq': SPE samples every so many operations, not so often a second",
	      "period=N, or -c N");
	wrong("spe/load=1/", "'load': it takes no value", NULL);
	wrong("arm_spi//", "'arm_spi': there is no such PMU", "did you mean arm_spe?");
	wrong("spe/load", "'spe/load': the second '/' is missing", NULL);
	wrong("spe//x", "'x': modifiers that cannot be", NULL);
	wrong("spe/load,,store/", "'': a parameter is missing between commas", NULL);
}

static void pmu_events_are_found(void **state)
{
	static const struct {
		const char *text;
		unsigned code;
	} cases[] = {
		{"L1D_CACHE_REFILL", 0x03},
		{"l1d_cache_refill", 0x03},
		{"r03", 0x03},
		{"0x1b", 0x1b},
		{"rC105", 0xc105},
		{"armv8_pmuv3/event=0x3/", 0x03},
		{"armv8_pmuv3_0/l1d_cache_refill/", 0x03},
		{"cpu/r11/", 0x11},
		{"cycles", 0x11},
		{"cpu-cycles", 0x11},
		{"instructions", 0x08},
		{"cache-misses", 0x03},
		{"branch-misses", 0x10},
		{"LLC-load-misses", 0x37},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(one(cases[i].text)->kind, SAMPLED_PMU);
		assert_int_equal(request.events->config, cases[i].code);
	}
	wrong("L1D_CACHE_REFIL", "'L1D_CACHE_REFIL': there is no such event",
	      "did you mean L1D_CACHE_REFILL?");
	wrong("r12345", "'r12345': there is no such event", NULL);
	wrong("cpu//", "'cpu//': which event is not said: event=0x3", NULL);
	wrong("cpu/event=0x10000/", "'event': bad value '0x10000'", "0 to 65535 are allowed");
	wrong("cpu/evnt=3/", "'evnt': a PMU event has no such parameter", "did you mean event?");
	wrong("cpu/cpu-clock/", "'cpu-clock': a software event is none of a PMU's", NULL);
}

static void without_a_pmu_only_software_is_there(void **state)
{
	(void)state;
	request_free(&request);
	assert_int_equal(request_add(&request, "cpu-clock,faults,cs", NULL, found), 0);
	assert_int_equal(request.count, 3);
	assert_int_equal(request.events[0].kind, SAMPLED_SOFTWARE);
	assert_int_equal(request.events[1].config, 2);
	assert_int_equal(request.events[2].config, 3);
	assert_int_equal(request_add(&request, "cycles", NULL, found), PLUMB_ERR_UNSUPPORTED);
	assert_int_equal(request_add(&request, "cpu/r1/", NULL, found), PLUMB_ERR_UNSUPPORTED);
	assert_int_equal(request.count, 3);
}

static void lists_groups_and_modifiers(void **state)
{
	const struct sampled_event *e;

	(void)state;
	request_free(&request);
	assert_int_equal(request_add(&request, "cycles:u,{r03:k,instructions:pp}:h", n3, found), 0);
	assert_int_equal(
		request_add(&request, "{r1,cpu/r2,period=5/,r3},spe/load,store/", n3, found), 0);
	e = request.events;
	assert_int_equal(request.count, 7);
	assert_int_equal(e[0].leader, 0);
	assert_true(!e[0].exclude_user && e[0].exclude_kernel && e[0].exclude_hv);
	assert_int_equal(e[1].leader, 1);
	assert_int_equal(e[2].leader, 1);
	assert_true(e[2].exclude_user && e[2].exclude_kernel && !e[2].exclude_hv);
	assert_int_equal(e[2].precise, 2);
	assert_int_equal(e[3].leader, 3);
	assert_int_equal(e[4].leader, 3);
	assert_int_equal(e[4].period, 5);
	assert_string_equal(e[4].name, "cpu/r2,period=5/");
	assert_int_equal(e[5].leader, 3);
	assert_int_equal(e[6].leader, 6);
	assert_true(e[6].spe.load_filter && e[6].spe.store_filter);
}

static void what_is_torn_is_refused(void **state)
{
	(void)state;
	wrong("", "'': an event is missing between commas", NULL);
	wrong("cycles,", "'': an event is missing between commas", NULL);
	wrong("{cycles,r1", "'{cycles,r1': the '}' is missing", NULL);
	wrong("{}", "'': an event is missing between commas", NULL);
	wrong("{cycles}x", "'{cycles}x': only ':' and modifiers may follow a '}'", NULL);
	wrong("{cycles,spe//}", "'{cycles,spe//}': SPE cannot be in a group", NULL);
	wrong("cycles:q", "'q': modifiers that cannot be",
	      "u (user), k (kernel), h (hypervisor), and p, pp, ppp or P (precise) are allowed");
	wrong("cycles:pppp", "'pppp': modifiers that cannot be", NULL);
}

static void there_are_no_more_than_the_limit(void **state)
{
	(void)state;
	request_free(&request);
	for (unsigned i = 0; i < REQUEST_EVENTS_MAX; i++)
		assert_int_equal(request_add(&request, "r1", n3, found), 0);
	assert_int_equal(request_add(&request, "r1", n3, found), PLUMB_ERR_LIMIT);
	assert_int_equal(request.count, REQUEST_EVENTS_MAX);
}

static int set_up(void **state)
{
	(void)state;
	found = plumb_diagnostics_new();
	return plumb_spec_find("neoverse-n3", &n3, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	request_free(&request);
	plumb_diagnostics_free(found);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spe_takes_the_manuals_parameters),
		cmocka_unit_test(spe_has_short_forms),
		cmocka_unit_test(bad_parameters_are_refused_by_name),
		cmocka_unit_test(pmu_events_are_found),
		cmocka_unit_test(without_a_pmu_only_software_is_there),
		cmocka_unit_test(lists_groups_and_modifiers),
		cmocka_unit_test(what_is_torn_is_refused),
		cmocka_unit_test(there_are_no_more_than_the_limit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
