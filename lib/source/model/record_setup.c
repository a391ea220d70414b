/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/record_setup.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <plumb/model.h>

#include "base/diagnostics.h"
#include "events.h"
#include "source/model/counted.h"

/* Types of PMUs, numbered as a kernel would. */
#define TYPE_SPE   8
#define TYPE_PMU   9
#define TYPE_EXACT 10

#define CONFIG_NO_EVENT 0x10000 /* above all codes of PMU events */

#define TIME_ZERO         1000000000ull /* ns: the program begins one second after the clock */
#define DEFAULT_FREQUENCY 4000          /* Hz, perf's */
#define DEFAULT_AUX_BYTES (4u << 20)    /* as perf's, of root */
#define AUX_BYTES_MAX     (1u << 28)
#define SPE_INTERVAL_MAX  0xffffff00u /* PMSIRR_EL1.INTERVAL */

static int refuse_event(struct plumb_diagnostics *diagnostics, const char *id,
			const struct plumb_event_config *event, const char *why)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, id, NULL, "%s: %s", event->name, why);
	return PLUMB_ERR_UNSUPPORTED;
}

static bool window_is_part(const struct plumb_window *window)
{
	return window->from || window->to || window->delay_ms || window->timeout_ms ||
	       window->max_instructions;
}

/* Returns whether a sampled run can have what is to be recorded. */
static bool samples_windows(const struct source_record_job *job)
{
	if (job->exact)
		return job->event_count == 0;
	return job->event_count == 1 && job->events[0].kind == PLUMB_EVENT_SPE && !job->snapshot;
}

/* Rejects what this model cannot do; `cannot` follows "the model ". */
static int refuse_job(struct plumb_diagnostics *diagnostics, int error, const char *id,
		      const char *cannot, const char *hint)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, id, NULL, "the model %s", cannot);
	if (hint)
		plumb_diagnostics_hint(diagnostics, "%s", hint);
	return error;
}

/* Returns whether there are events but one of SPE, which is possible beside an exact profile. */
static bool has_others(const struct source_record_job *job)
{
	return job->event_count > 1 || (job->event_count && job->events[0].kind != PLUMB_EVENT_SPE);
}

static int refuse_exact(const struct source_record_job *job, struct plumb_diagnostics *diagnostics)
{
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR,
			      has_others(job) ? "exact-events" : "exact-part", NULL,
			      has_others(job) ? "an exact profile always has all events"
					      : "an exact profile covers the whole run");
	if (has_others(job))
		diagnostics_remedy(diagnostics, "exact-no-events", NULL, "name no events");
	else
		diagnostics_remedy(diagnostics, "exact-whole-run", NULL,
				   "sample a part of it, or count it");
	return PLUMB_ERR_UNSUPPORTED;
}

/* Rejects requests for more than the model has. */
static int check_job(const struct source_record_job *job, struct plumb_diagnostics *diagnostics)
{
	const char *hint = "name a program to run";

	if (job->pid_count || job->tid_count)
		return refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "no-attach",
				  "cannot attach to running processes", hint);
	if (job->all_cpus || job->cpu_count)
		return refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "no-attach",
				  "cannot sample CPUs, only the program it runs",
				  "leave out the CPUs, and name a program to run");
	if (job->user_stack) {
		refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "no-stack",
			   "cannot record copies of the stack, which unwinding with DWARF requires",
			   NULL);
		diagnostics_remedy(diagnostics, "frame-pointers", NULL,
				   "record call chains by frame pointers, and build the program "
				   "with -fno-omit-frame-pointer");
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (job->clockid != -1)
		return refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "no-clock",
				  "supports only its own clock", NULL);
	if (job->control) {
		refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "no-control",
			   "does not obey commands while it samples", NULL);
		diagnostics_remedy(diagnostics, "places", NULL,
				   "begin and end at places in the program");
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (job->window.delay_ms < 0)
		return refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "no-delay",
				  "does not support a delay of -1", "give milliseconds");
	if (job->exact && (has_others(job) || window_is_part(&job->window)))
		return refuse_exact(job, diagnostics);
	if (job->sampled_error != 0 && !samples_windows(job)) {
		refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "sampled-events",
			   "records windows with SPE alone, or for an exact profile", NULL);
		diagnostics_remedy(diagnostics, "sampled-exact", NULL,
				   "record an exact profile, or only an SPE event");
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (job->sampled_error != 0 && window_is_part(&job->window))
		return refuse_job(diagnostics, PLUMB_ERR_UNSUPPORTED, "sampled-part",
				  "samples whole runs only", "record all of it");
	if (!job->exact && (!job->event_count || job->event_count > OVERFLOW_COUNTERS))
		return refuse_job(diagnostics, PLUMB_ERR_LIMIT, "event-count",
				  "samples 1 to 32 events at a time", NULL);
	return 0;
}

static const struct core_params *find_core(const struct source_record_job *job,
					   struct plumb_diagnostics *diagnostics)
{
	const char *name = job->model->core;
	const struct core_params *core = name ? model_core_find(name) : model_cores[0];

	if (!core)
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-core", NULL,
				      "the model has no core '%s'", name);
	return core;
}

/* ---- Events -----------------------------------------------------------------------------------
 */

/*
 * With one buffer per thread perf does not ask for times, so it merges SPE data without them. If it
 * did, it would stop at the first context packet, because it tracks by CPU which thread runs.
 */
static uint64_t common_type(const struct source_record_job *job)
{
	uint64_t type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;

	if (!job->per_thread)
		type |= PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	return job->sample_cpus ? type | PERF_SAMPLE_CPU : type;
}

static uint64_t common_flags(const struct source_record_job *job)
{
	uint64_t flags = PLUMB_ATTR_BIT(PLUMB_ATTR_DISABLED) |
			 PLUMB_ATTR_BIT(PLUMB_ATTR_ENABLE_ON_EXEC) |
			 PLUMB_ATTR_BIT(PLUMB_ATTR_SAMPLE_ID_ALL);

	flags |= job->inherit ? PLUMB_ATTR_BIT(PLUMB_ATTR_INHERIT) : 0;
	/* The model runs only user code; without this, perf looks for kernel symbols. */
	flags |= PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_KERNEL) | PLUMB_ATTR_BIT(PLUMB_ATTR_EXCLUDE_HV);
	return flags;
}

/*
 * Chooses the windows of a sampled run. An operation in `interval` is to be sampled, so that each
 * sample stands for as many as in any other recording, and most windows are to have one: samples
 * that are near each other say little more than one. Units are not shorter than it takes to model
 * a window, or that would be no faster.
 */
static void choose_windows(struct record_setup *setup)
{
	struct spe_control within = setup->control;
	const struct spe_params *params = &setup->core->spe;
	const double mean = spe_mean_interval(params, &within);
	double most;

	within.interval = SAMPLED_WINDOW / SPE_INTERVAL_STEP * SPE_INTERVAL_STEP;
	most = SAMPLED_WINDOW * mean / spe_mean_interval(params, &within);
	while (within.interval > SPE_INTERVAL_STEP && most < SAMPLED_UNIT) {
		within.interval -= SPE_INTERVAL_STEP;
		most = SAMPLED_WINDOW * mean / spe_mean_interval(params, &within);
	}
	setup->window_interval = within.interval;
	setup->unit = (uint64_t)(most + 0.5);
}

/* The fields of Linux's arm_spe PMU: /sys/bus/event_source/devices/arm_spe_0/format. */
static uint64_t spe_config(const struct plumb_event_spe *spe)
{
	return (uint64_t)spe->ts_enable | (uint64_t)spe->pa_enable << 1 |
	       (uint64_t)spe->pct_enable << 2 | (uint64_t)spe->jitter << 16 |
	       (uint64_t)spe->branch_filter << 32 | (uint64_t)spe->load_filter << 33 |
	       (uint64_t)spe->store_filter << 34 | (uint64_t)spe->discard << 35;
}

static uint32_t spe_interval(const struct core_params *core, uint64_t period)
{
	if (period == 1) /* every operation: see model/spe.h */
		return 1;
	if (period < core->spe.min_interval)
		period = core->spe.min_interval;
	return period > SPE_INTERVAL_MAX ? SPE_INTERVAL_MAX : (uint32_t)period & SPE_INTERVAL_MAX;
}

/* Computes the effective period: the unit keeps bits 31:8, and has a minimum interval. */
static void tell_interval(uint64_t asked, uint64_t taken, const struct core_params *core,
			  struct plumb_diagnostics *diagnostics)
{
	if (asked == 0 || asked == taken)
		return;
	plumb_diagnostics_add(diagnostics, PLUMB_WARNING, "spe-interval", NULL,
			      "sampling one operation in %" PRIu64 " instead of %" PRIu64, taken,
			      asked);
	plumb_diagnostics_hint(diagnostics, "use a multiple of 256, at least %u",
			       core->spe.min_interval);
}

/* Returns where the i-th event is in the recording: behind those of an exact profile. */
static size_t place_of(const struct source_record_job *job, size_t i)
{
	return i + (job->exact ? EXACT_EVENTS : 0);
}

static int make_spe(struct record_setup *setup, const struct source_record_job *job, size_t i,
		    struct plumb_diagnostics *diagnostics)
{
	const struct plumb_event_config *event = &job->events[i];
	const size_t place = place_of(job, i);
	struct plumb_event_attr *attr = &setup->events[place].attr;
	struct plumb_event_spe spe = event->spe;

	if (setup->spe != SIZE_MAX)
		return refuse_event(diagnostics, "two-spe", event,
				    "only one SPE event is supported");
	if (event->frequency) {
		refuse_event(diagnostics, "spe-frequency", event,
			     "SPE supports a period, not a frequency");
		diagnostics_remedy(diagnostics, "spe-period", NULL, "use period=N");
		return PLUMB_ERR_UNSUPPORTED;
	}
	if (spe.simd_filter || spe.float_filter)
		return refuse_event(diagnostics, "spe-filter", event,
				    "this core's SPE unit cannot filter SIMD or floating point");
	/* FEAT_SPE_EFT and FEAT_SPE_FDS, which no core has that is modelled. */
	if (spe.load_filter_mask || spe.store_filter_mask || spe.branch_filter_mask ||
	    spe.simd_filter_mask || spe.float_filter_mask)
		return refuse_event(diagnostics, "spe-filter", event,
				    "this core's SPE unit has no masks of operation filters");
	if (spe.inv_data_src_filter || spe.data_source) {
		refuse_event(diagnostics, "spe-filter", event,
			     "this core's SPE unit cannot filter by data source");
		diagnostics_remedy(diagnostics, "filter-sources", NULL,
				   "record all sources, and filter what is read");
		return PLUMB_ERR_UNSUPPORTED;
	}
	setup->spe = place;
	/* Per-CPU recordings are merged by time, so perf asks for it, too. */
	spe.ts_enable |= !job->per_thread;
	attr->type = TYPE_SPE;
	attr->config = spe_config(&spe);
	attr->config1 = spe.event_filter;
	attr->config2 = spe.min_latency;
	attr->config3 = spe.inv_event_filter;
	attr->sample_period = spe_interval(setup->core, event->period);
	tell_interval(event->period, attr->sample_period, setup->core, diagnostics);
	attr->sample_type = common_type(job) | PERF_SAMPLE_DATA_SRC;
	attr->sample_type |= spe.pa_enable ? PERF_SAMPLE_PHYS_ADDR : 0;
	setup->control = (struct spe_control){
		.interval = (uint32_t)attr->sample_period,
		.random = spe.jitter,
		.seed = job->model->seed,
		.timestamps = spe.ts_enable,
		.physical_addresses = spe.pa_enable,
		.loads = spe.load_filter,
		.stores = spe.store_filter,
		.branches = spe.branch_filter,
		.events_all = spe.event_filter,
		.events_none = spe.inv_event_filter,
		.min_latency = spe.min_latency,
		.discard = spe.discard,
	};
	if (job->sampled_error == 0)
		return 0;
	if (attr->sample_period == 1)
		return refuse_event(diagnostics, "sampled-period", event,
				    "a sampled run has no samples as close as that");
	choose_windows(setup);
	return 0;
}

static bool leads_others(const struct source_record_job *job, size_t i)
{
	for (size_t e = 0; e < job->event_count; e++)
		if (e != i && job->events[e].leader == i)
			return true;
	return false;
}

/* Returns whether the event is in a group whose leader alone samples, and reads all members. */
static bool is_read(const struct source_record_job *job, size_t i)
{
	return job->events[i].sample_read && (job->events[i].leader != i || leads_others(job, i));
}

static void make_counter(struct record_setup *setup, const struct source_record_job *job, size_t i)
{
	const struct plumb_event_config *event = &job->events[i];
	struct plumb_event_attr *attr = &setup->events[i].attr;
	struct model_sampled_counter *asked = &setup->asked[setup->counter_count];
	const bool read = is_read(job, i), member = read && event->leader != i;

	*asked = (struct model_sampled_counter){.event = (uint32_t)model_index_of(event),
						.period = event->period,
						.later = event->strobe,
						.frequency = event->frequency};
	if (!member && !event->period && !event->frequency)
		asked->frequency = DEFAULT_FREQUENCY;
	if (member && !event->strobe)
		asked->period = asked->frequency = 0;
	attr->type = event->kind == PLUMB_EVENT_PMU ? TYPE_PMU : PERF_TYPE_SOFTWARE;
	attr->config = event->config;
	attr->sample_type = common_type(job);
	attr->sample_period = asked->frequency ? asked->frequency : asked->period;
	if (asked->frequency) {
		attr->flags |= PLUMB_ATTR_BIT(PLUMB_ATTR_FREQ);
		attr->sample_type |= PERF_SAMPLE_PERIOD;
	}
	attr->sample_type |= job->data_addresses ? PERF_SAMPLE_ADDR : 0;
	attr->sample_type |= job->physical_addresses ? PERF_SAMPLE_PHYS_ADDR : 0;
	/* The caller of a function without a frame record is in x30 alone. */
	if (job->callchains) {
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER;
		attr->sample_regs_user = UINT64_C(1) << 30;
	}
	if (read) {
		attr->sample_type |= PERF_SAMPLE_READ;
		attr->read_format |= PERF_FORMAT_GROUP;
	}
	setup->counters[setup->counter_count++] = (unsigned)i;
}

/* Numbers leaders as the plugin numbers counters, which do not include the SPE event. */
static int number_leaders(struct record_setup *setup, const struct source_record_job *job,
			  struct plumb_diagnostics *diagnostics)
{
	for (unsigned c = 0; c < setup->counter_count; c++) {
		const struct plumb_event_config *event = &job->events[setup->counters[c]];
		unsigned leader = c;

		if (is_read(job, setup->counters[c]))
			for (leader = 0; leader < setup->counter_count &&
					 setup->counters[leader] != event->leader;)
				leader++;
		if (leader == setup->counter_count)
			return refuse_event(diagnostics, "spe-group", event,
					    "cannot be in a group with SPE");
		setup->asked[c].leader = leader;
	}
	return 0;
}

static void set_common(struct record_setup *setup, const struct source_record_job *job, size_t i,
		       const char *name)
{
	struct plumb_recorded_event *event = &setup->events[i];

	event->attr.size = PERF_ATTR_SIZE_VER7;
	event->attr.flags |= common_flags(job);
	event->attr.read_format |= PERF_FORMAT_ID;
	setup->ids[i] = i + 1;
	event->ids = &setup->ids[i];
	event->id_count = 1;
	event->name = name;
}

/* Adds the event for mappings, names and threads: perf's dummy:u beside SPE. */
static void make_tracking(struct record_setup *setup, const struct source_record_job *job)
{
	size_t i = setup->recording.event_count;
	struct plumb_event_attr *attr = &setup->events[i].attr;

	setup->tracking = 0;
	if (setup->spe != SIZE_MAX) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_DUMMY;
		attr->sample_period = 1;
		attr->sample_type = common_type(job);
		set_common(setup, job, i, "dummy:u");
		setup->recording.event_count++;
		setup->tracking = i;
	}
	setup->events[setup->tracking].attr.flags |=
		PLUMB_ATTR_BIT(PLUMB_ATTR_MMAP) | PLUMB_ATTR_BIT(PLUMB_ATTR_MMAP2) |
		PLUMB_ATTR_BIT(PLUMB_ATTR_COMM) | PLUMB_ATTR_BIT(PLUMB_ATTR_COMM_EXEC) |
		PLUMB_ATTR_BIT(PLUMB_ATTR_TASK);
}

/* ---- The recording ----------------------------------------------------------------------------
 */

static void add_pmu(struct plumb_recording_setup *recording, uint32_t type, const char *name)
{
	recording->pmus[recording->pmu_count].type = type;
	recording->pmus[recording->pmu_count++].name = name;
}

static void describe_machine(struct record_setup *setup, const struct source_record_job *job)
{
	const char *sampled = job->sampled_error != 0 ? ", sampled" : "";
	struct plumb_recording_setup *recording = &setup->recording;

	char seed[32] = "";

	/* The default is not worth a word. */
	if (job->model->seed)
		snprintf(seed, sizeof(seed), ", seed %" PRIu64, job->model->seed);
	/* As perf writes it: without revision and variant. */
	snprintf(setup->cpuid, sizeof(setup->cpuid), "0x%016x", setup->core->midr & ~0xf0000fu);
	snprintf(setup->cpudesc, sizeof(setup->cpudesc), "%s%s%.150s (model)%s%s",
		 setup->core->name, job->model->core_file ? " changed by " : "",
		 job->model->core_file ? job->model->core_file : "", sampled, seed);
	recording->size = sizeof(*recording);
	recording->events = setup->events;
	recording->arch = "aarch64";
	recording->cpuid = setup->cpuid;
	recording->cpudesc = setup->cpudesc;
	recording->cpus_available = recording->cpus_online = MODEL_SHARED_THREADS;
	recording->clockid = -1;
	add_pmu(recording, PERF_TYPE_SOFTWARE, "software");
	add_pmu(recording, TYPE_SPE, MODEL_SPE);
	add_pmu(recording, TYPE_PMU, "armv8_pmuv3_0");
	if (job->exact)
		add_pmu(recording, TYPE_EXACT, "exact");
	/* The generic timer counts nanoseconds, and is the clock. */
	setup->time_conv =
		(struct plumb_time_conv){.shift = 10, .mult = 1 << 10, .cap_user_time_zero = true};
	recording->time_conv = &setup->time_conv;
	if (setup->spe == SIZE_MAX)
		return;
	setup->auxtrace_values[0] = TYPE_SPE;
	setup->auxtrace_values[1] = !job->per_thread;
	setup->auxtrace = (struct plumb_auxtrace_info){
		.type = 4, .values = setup->auxtrace_values, .count = 2};
	recording->auxtrace_info = &setup->auxtrace;
}

void record_setup_name_engine(struct record_setup *setup, const char *version)
{
	const size_t used = strlen(setup->cpudesc);

	snprintf(setup->cpudesc + used, sizeof(setup->cpudesc) - used, ", QEMU %s", version);
}

/* "exact/NAME/" */
static const char *const sampled_names[EXACT_EVENTS] = {
	[EXACT_LINE_ACCESSES] = "exact/line_accesses/",
	[EXACT_LINE_MOVES] = "exact/line_moves/",
	[EXACT_TOGETHER] = "exact/together/",
#define EXACT_EVENT(name)       [EXACT_##name] = "exact/" #name "/",
#define EXACT_SLOTS(name, text) [EXACT_SLOTS_##name] = "exact/" text "/",
#include "exact.def"
#undef EXACT_EVENT
#undef EXACT_SLOTS
};

static uint64_t exact_type(const struct source_record_job *job, unsigned event)
{
	const uint64_t type =
		common_type(job) | (job->sampled_error != 0 ? PERF_SAMPLE_STREAM_ID : 0);

	if (event == EXACT_TOGETHER)
		return type | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;
	if (event >= EXACT_COUNT)
		return type | PERF_SAMPLE_PERIOD | PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW |
		       PERF_SAMPLE_DATA_SRC;
	return type | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
}

static void make_exact(struct record_setup *setup, const struct source_record_job *job)
{
	for (unsigned e = 0; e < EXACT_EVENTS; e++) {
		struct plumb_event_attr *attr = &setup->events[e].attr;
		const bool own = e >= EXACT_COUNT || exact_events[e] == EVENT_COUNT;

		attr->type = TYPE_EXACT;
		attr->config = own ? CONFIG_NO_EVENT + e : model_event_codes[exact_events[e]];
		attr->sample_type = exact_type(job, e);
		/* Only that of exact/together/ matters, but perf before 5.8 wants them alike. */
		attr->read_format = PERF_FORMAT_GROUP;
		set_common(setup, job, e, sampled_names[e]);
	}
}

int record_setup_make(struct record_setup *setup, const struct source_record_job *job,
		      struct plumb_diagnostics *diagnostics)
{
	const struct plumb_spec *spec;
	int error = check_job(job, diagnostics);

	memset(setup, 0, sizeof(*setup));
	setup->spe = SIZE_MAX;
	if (error)
		return error;
	setup->core = find_core(job, diagnostics);
	if (!setup->core)
		return PLUMB_ERR_NOT_FOUND;
	spec = model_spec(setup->core->name);
	for (size_t i = 0; i < job->event_count && !error; i++) {
		error = model_check_event(spec, &job->events[i], diagnostics);
		if (error)
			break;
		if (job->events[i].kind == PLUMB_EVENT_SPE)
			error = make_spe(setup, job, i, diagnostics);
		else
			make_counter(setup, job, i);
		set_common(setup, job, place_of(job, i), job->events[i].name);
	}
	if (error || (error = number_leaders(setup, job, diagnostics)))
		return error;
	setup->recording.event_count = place_of(job, job->event_count);
	if (job->exact)
		make_exact(setup, job);
	make_tracking(setup, job);
	describe_machine(setup, job);
	return 0;
}

/*
 * Returns the ring's size: the requested one, rounded to a power of two that holds a few records.
 */
static uint32_t aux_bytes(const struct source_record_job *job)
{
	uint64_t wanted = (uint64_t)job->aux_pages * (uint64_t)sysconf(_SC_PAGESIZE), bytes = 8192;

	if (!job->aux_pages)
		return DEFAULT_AUX_BYTES;
	while (bytes < wanted && bytes < AUX_BYTES_MAX)
		bytes *= 2;
	return (uint32_t)bytes;
}

void record_setup_fill(const struct record_setup *setup, const struct source_record_job *job,
		       struct model_sampling *sampling)
{
	memset(sampling, 0, sizeof(*sampling));
	sampling->magic = MODEL_SAMPLING_MAGIC;
	sampling->struct_size = sizeof(*sampling);
	sampling->spe = setup->spe != SIZE_MAX;
	sampling->snapshot = job->snapshot;
	/* Exact profiles have paths of their own. */
	sampling->callchains = job->callchains && !job->exact;
	sampling->exact = job->exact;
	sampling->inherit = job->inherit;
	sampling->control = setup->control;
	sampling->window_interval = setup->window_interval;
	sampling->unit = setup->unit;
	sampling->counter_count = setup->counter_count;
	memcpy(sampling->counters, setup->asked, sizeof(sampling->counters));
	sampling->time_zero = TIME_ZERO;
	sampling->aux_bytes = sampling->spe ? aux_bytes(job) : 0;
	sampling->offset = (sizeof(*sampling) + 65535) & ~65535ull;
}
