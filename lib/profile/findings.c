/* SPDX-License-Identifier: Apache-2.0 */
/* Makes findings from a diagnosis and sums of samples. */
#include "profile/findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "profile/callers.h"
#include "profile/evidence.h"
#include "profile/findings_ruled.h"
#include "profile/findings_waits.h"
#include "profile/findings_when.h"
#include "symbol/symbolizer.h"

#define RANGE_GAP  1048576 /* bytes between cache lines of one range of memory */
#define LINE_SHARE 0.05    /* of the data: a line with more is shown by itself */
#define PAGE       4096

#define TEXT_MOST 1000 /* bytes of a line of source: generated ones may have megabytes */

#define SPREAD_SHARE 10 /* percent: a function with less is not shown by itself */

struct plumb_findings_maker {
	struct plumb_findings_options options;
	struct evidence evidence;
	struct findings *made;
	int error;
};

/* ---- ranking ----------------------------------------------------------------------------------
 */

/* What is ranked: equal things are one. */
struct ranked {
	const void *identity;               /* a symbol, or a file's name */
	uint64_t number;                    /* a line, or an address */
	uint64_t end;                       /* of a range of data */
	const struct evidence_place *place; /* the heaviest */
	struct plumb_source_frame frame;
	double heaviest;
	struct sum sum;
};

static int compare_identity(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->identity != y->identity)
		return (uintptr_t)x->identity < (uintptr_t)y->identity ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Equal weights are ordered by address, so that the order is always the same. */
static int compare_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->sum.weight != y->sum.weight)
		return x->sum.weight > y->sum.weight ? -1 : 1;
	if (x->place->location.ip != y->place->location.ip)
		return x->place->location.ip < y->place->location.ip ? -1 : 1;
	return 0;
}

static void join(struct ranked *to, const struct ranked *from)
{
	to->sum.weight += from->sum.weight;
	to->sum.squares += from->sum.squares;
	to->sum.samples += from->sum.samples;
	if (from->heaviest > to->heaviest) {
		to->heaviest = from->heaviest;
		to->place = from->place;
		to->frame = from->frame;
	}
}

/* Joins equal neighbours. Returns how many are left. */
static size_t join_equals(struct ranked *at, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		if (left && compare_identity(&at[left - 1], &at[i]) == 0)
			join(&at[left - 1], &at[i]);
		else
			at[left++] = at[i];
	}
	return left;
}

/* Returns the places of a table that a loss has, to be freed; NULL: no memory. */
static struct ranked *rank(const struct evidence_table *table, unsigned loss, size_t *count)
{
	struct ranked *at = calloc(table->count + 1, sizeof(*at));

	*count = 0;
	for (size_t i = 0; at && i < table->count; i++) {
		const struct sum *sum = &table->at[i].sums[loss];

		if (sum->weight > 0)
			at[(*count)++] = (struct ranked){
				.place = &table->at[i], .heaviest = sum->weight, .sum = *sum};
	}
	return at;
}

/* ---- functions --------------------------------------------------------------------------------
 */

static const char *file_name(const struct plumb_symbol_file *file)
{
	const char *name = file ? plumb_symbol_file_name(file) : NULL;
	const char *slash = name ? strrchr(name, '/') : NULL;

	return slash && slash[1] ? slash + 1 : name;
}

/* Returns the function at a location, also one that has no symbol; NULL: unknown. */
static const struct plumb_symbol *function_at(const struct plumb_findings_maker *maker,
					      const struct plumb_location *location)
{
	if (location->symbol || !location->file)
		return location->symbol;
	return symbolizer_bounds(maker->evidence.symbolizer, location->file, location->address);
}

static const char *function_name(const struct plumb_findings_maker *maker,
				 const struct plumb_location *location)
{
	const struct plumb_symbol *function = function_at(maker, location);
	uint64_t address;

	if (function)
		return findings_copy(maker->made, plumb_symbol_name(function));
	if (!plumb_symbolizer_link_address(maker->evidence.symbolizer, location, &address))
		return findings_format(maker->made, "0x%" PRIx64, location->address);
	return findings_format(maker->made, "%s+0x%" PRIx64, file_name(location->file), address);
}

static void add_functions(struct plumb_findings_maker *maker, struct ranked *at, size_t count,
			  unsigned loss, struct plumb_finding_places *places)
{
	for (size_t i = 0; i < count; i++) {
		const struct plumb_location *location = &at[i].place->location;
		const struct plumb_symbol *function = function_at(maker, location);

		at[i].identity = function ? (const void *)function : (const void *)location->file;
		at[i].number = function ? 0 : location->address;
	}
	qsort(at, count, sizeof(*at), compare_identity);
	count = join_equals(at, count);
	qsort(at, count, sizeof(*at), compare_weight);
	for (size_t i = 0; i < count && i < PLUMB_PLACES_MAX; i++) {
		struct plumb_finding_place *place = &places->at[places->count++];

		place->name = function_name(maker, &at[i].place->location);
		place->file = findings_copy(maker->made, file_name(at[i].place->location.file));
		evidence_share(&at[i].sum, &maker->evidence.losses[loss].code, places->exact,
			       place);
	}
}

/* ---- lines ------------------------------------------------------------------------------------
 */

static void set_text(struct plumb_findings_maker *maker, const struct ranked *ranked,
		     struct plumb_finding_place *place)
{
	const char *folder =
		symbolizer_source_folder(maker->evidence.symbolizer, &ranked->place->location);
	char *text = maker->options.source_line
			     ? maker->options.source_line(maker->options.user, ranked->frame.file,
							  folder, ranked->frame.line)
			     : NULL;

	if (text && strlen(text) > TEXT_MOST) {
		size_t length = TEXT_MOST;

		/* Not within a character. */
		while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
		text[length] = '\0';
	}
	place->text = findings_copy(maker->made, text);
	free(text);
}

/* Adds places whose lines were looked up; a line of 0 is unknown. */
static void add_known_lines(struct plumb_findings_maker *maker, struct ranked *at, size_t count,
			    unsigned loss, struct plumb_finding_places *places)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!at[i].frame.file || !at[i].frame.line)
			continue;
		/* Names of files are the symbolizer's, and may be there twice. */
		at[i].identity = findings_intern(maker->made, at[i].frame.file);
		at[i].number = at[i].frame.line;
		at[known++] = at[i];
	}
	qsort(at, known, sizeof(*at), compare_identity);
	known = join_equals(at, known);
	qsort(at, known, sizeof(*at), compare_weight);
	for (size_t i = 0; i < known && i < PLUMB_PLACES_MAX; i++) {
		struct plumb_finding_place *place = &places->at[places->count++];
		const struct plumb_location *location = &at[i].place->location;

		place->name = at[i].frame.function
				      ? findings_copy(maker->made, at[i].frame.function)
				      : function_name(maker, location);
		place->file = findings_copy(maker->made, at[i].frame.file);
		place->line = at[i].frame.line;
		set_text(maker, &at[i], place);
		evidence_share(&at[i].sum, &maker->evidence.losses[loss].code, places->exact,
			       place);
	}
}

static void add_lines(struct plumb_findings_maker *maker, struct ranked *at, size_t count,
		      unsigned loss, struct plumb_finding_places *places)
{
	for (size_t i = 0; i < count; i++)
		plumb_symbolizer_source(maker->evidence.symbolizer, &at[i].place->location,
					&at[i].frame, 1);
	add_known_lines(maker, at, count, loss, places);
}

/* A caller's line is its own, if it has one, and not that of a header that is inlined there. */
static void add_callers(struct plumb_findings_maker *maker, struct ranked *at, size_t count,
			unsigned loss, struct plumb_finding_places *places)
{
	for (size_t i = 0; i < count; i++)
		callers_own_line(maker->evidence.symbolizer, &at[i].place->location, &at[i].frame);
	add_known_lines(maker, at, count, loss, places);
}

/* ---- data -------------------------------------------------------------------------------------
 */

/* Joins lines of memory to ranges, unless one of them stands out. Returns how many are left. */
static size_t join_ranges(struct ranked *at, size_t count, const struct sum *whole, bool lines)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		const struct plumb_symbol *symbol = at[i].place->location.symbol;

		at[i].identity = at[i].place->variable || lines ? symbol : NULL;
		at[i].number =
			at[i].place->variable ? plumb_symbol_start(symbol) : at[i].place->line;
		at[i].end = at[i].number + EVIDENCE_LINE;
	}
	qsort(at, count, sizeof(*at), compare_identity);
	for (size_t i = 0; i < count; i++) {
		struct ranked *last = left ? &at[left - 1] : NULL;

		if (last && !lines && !last->place->variable && !at[i].place->variable &&
		    at[i].number - last->end <= RANGE_GAP &&
		    at[i].sum.weight < LINE_SHARE * whole->weight &&
		    last->heaviest < LINE_SHARE * whole->weight) {
			last->end = at[i].end;
			join(last, &at[i]);
		} else {
			at[left++] = at[i];
		}
	}
	return left;
}

static int compare_start(const void *a, const void *b)
{
	const struct evidence_variable *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Of a line's variables, those with less than this of its weight are not named. */
#define VARIABLE_SHARE 0.05

/* Names a line by the variables in it: each may be what the cores share, or why they wait. */
static const char *line_name(struct findings *findings, const struct evidence_place *place)
{
	struct evidence_variable at[EVIDENCE_VARIABLES] = {0};
	const char *name = "";
	double whole = 0;
	unsigned count = 0;

	for (unsigned i = 0; i < place->variable_count; i++)
		whole += place->variables[i].weight;
	for (unsigned i = 0; i < place->variable_count; i++)
		if (place->variables[i].weight >= VARIABLE_SHARE * whole)
			at[count++] = place->variables[i];
	qsort(at, count, sizeof(*at), compare_start);
	for (unsigned i = 0; i < count && name; i++) {
		const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
		const char *symbol = plumb_symbol_name(at[i].symbol);

		/* The variable may begin within the line. */
		name = place->line > at[i].start
			       ? findings_format(findings, "%s%s%s+0x%" PRIx64, name, between,
						 symbol, place->line - at[i].start)
			       : findings_format(findings, "%s%s%s", name, between, symbol);
	}
	return name;
}

static const char *data_name(struct findings *findings, const struct ranked *ranked)
{
	const struct plumb_location *location = &ranked->place->location;
	const uint64_t first = ranked->number;

	if (ranked->place->variable)
		return findings_copy(findings, plumb_symbol_name(location->symbol));
	if (ranked->place->variable_count)
		return line_name(findings, ranked->place);
	if (ranked->end - first > EVIDENCE_LINE)
		return findings_format(findings, "memory at 0x%" PRIx64, first / PAGE * PAGE);
	return findings_format(findings, "line 0x%" PRIx64, first);
}

static void add_data(struct plumb_findings_maker *maker, struct ranked *at, size_t count,
		     unsigned loss, struct plumb_finding_places *places)
{
	const struct evidence_loss *of = &maker->evidence.losses[loss];

	count = join_ranges(at, count, &of->data, of->data_weigh == WEIGH_SHARED);
	qsort(at, count, sizeof(*at), compare_weight);
	for (size_t i = 0; i < count && i < PLUMB_PLACES_MAX; i++) {
		struct plumb_finding_place *place = &places->at[places->count++];
		const struct plumb_location *location = &at[i].place->location;

		place->name = data_name(maker->made, &at[i]);
		place->file = findings_copy(maker->made, file_name(location->file));
		place->bytes = at[i].place->variable ? plumb_symbol_end(location->symbol) -
							       plumb_symbol_start(location->symbol)
						     : at[i].end - at[i].number;
		evidence_share(&at[i].sum, &of->data, places->exact, place);
	}
}

/* ---- the whole --------------------------------------------------------------------------------
 */

typedef void add_places(struct plumb_findings_maker *maker, struct ranked *at, size_t count,
			unsigned loss, struct plumb_finding_places *places);

static void add_ranked(struct plumb_findings_maker *maker, const struct evidence_table *table,
		       unsigned loss, add_places *add, struct plumb_finding_places *places)
{
	size_t count;
	struct ranked *at = rank(table, loss, &count);

	if (!at)
		maker->error = PLUMB_ERR_NO_MEMORY;
	else
		add(maker, at, count, loss, places);
	free(at);
}

/* Call chains are known of lost slots only. */
#define SHARED_OUT "moves of lines, shared among callers by lost slots"

static const char *basis_of(struct findings *findings, const struct evidence_loss *loss,
			    bool shared_out)
{
	if (loss->basis == EVIDENCE_EXACT && shared_out)
		return SHARED_OUT;
	if (loss->basis == EVIDENCE_EXACT)
		return weigh_exact_basis(loss->cause);
	if (loss->basis == EVIDENCE_SPE && shared_out && loss->callers_event)
		return findings_format(findings, "%s, shared among callers by samples of %s",
				       weigh_basis(loss->cause->spe), loss->callers_event);
	if (loss->basis == EVIDENCE_SPE)
		return weigh_basis(loss->cause->spe);
	return loss->event ? findings_format(findings, "samples of %s", loss->event) : "samples";
}

/* Returns what shows more. */
static enum plumb_finding_view view_of(const struct plumb_finding *finding)
{
	const struct plumb_finding_place *function = finding->functions.at;

	if (!finding->functions.count)
		return PLUMB_VIEW_NONE;
	if (strcmp(finding->cause, PLUMB_STEP_SHARING) == 0)
		return PLUMB_VIEW_SHARING;
	return function->share >= SPREAD_SHARE && strncmp(function->name, "0x", 2) != 0
		       ? PLUMB_VIEW_FUNCTION
		       : PLUMB_VIEW_SAMPLES;
}

/* What the code at its places tells says more than what the core counted there. */
static void advise_on_code(struct plumb_findings_maker *maker, unsigned loss,
			   struct plumb_finding *finding, const struct plumb_finding_places *waits)
{
	const struct waits_advice *advice = waits_advice(&maker->evidence, loss);
	const char *hint = waits->count ? waits_hint(waits->at) : NULL;

	/* An operation that holds up the core says more than where the core has no room meanwhile.
	 */
	if (hint) {
		finding->brief = findings_format(maker->made, "waits for %s", waits->at[0].name);
		finding->helps = hint;
	} else if (advice) {
		finding->brief = advice->brief;
		finding->helps = advice->hint;
	}
}

/* Returns whether what libgcc's helpers for atomics have of a loss was shared out. */
static bool is_shared_out(const struct plumb_findings_maker *maker,
			  const struct evidence_loss *loss)
{
	return maker->evidence.shared_out && loss->cause && loss->cause->spe == WEIGH_SHARED &&
	       (loss->basis == EVIDENCE_EXACT || loss->callers_event);
}

/* Adds the functions and lines that have a part of the samples. */
static void add_code(struct plumb_findings_maker *maker, unsigned part,
		     struct plumb_finding_places *functions, struct plumb_finding_places *lines,
		     struct plumb_finding_places *callers)
{
	const struct evidence_loss *evidence = &maker->evidence.losses[part];
	const bool exact = evidence->basis == EVIDENCE_EXACT;
	const bool shared_out = is_shared_out(maker, evidence);
	/* SPE records have no callers: what is known of them was shared out. */
	const bool spe_callers = evidence->basis == EVIDENCE_SPE && evidence->callers_event;

	functions->basis = basis_of(maker->made, evidence, shared_out);
	functions->samples = exact ? 0 : evidence->code.samples;
	/* How it was shared out is an estimate, without an interval, as is what is exact. */
	functions->exact = exact || shared_out;
	*lines = *callers = *functions;
	callers->exact = functions->exact || spe_callers;
	add_ranked(maker, &maker->evidence.code, part, add_functions, functions);
	add_ranked(maker, &maker->evidence.code, part, add_lines, lines);
	add_ranked(maker, &maker->evidence.callers, part, add_callers, callers);
	functions->exact = lines->exact = callers->exact = exact;
	if (spe_callers)
		callers->basis = basis_of(maker->made, evidence, true);
	if (exact && evidence->data_weigh == WEIGH_SHARED && maker->evidence.calls_shared_out) {
		callers->basis = SHARED_OUT;
		callers->exact = false;
	}
}

/* A share of fewer samples has no interval: estimate.c. */
#define DATA_SAMPLES_LEAST 2

static void make(struct plumb_findings_maker *maker, unsigned i)
{
	const struct plumb_loss *loss = &maker->evidence.diagnosis->losses[i];
	const struct evidence_loss *evidence = &maker->evidence.losses[i];
	const struct plumb_metric *metric = &maker->evidence.spec->metrics[loss->metric];
	struct findings *made = maker->made;
	struct plumb_finding_places *waits = &made->waits[made->given.finding_count];
	struct plumb_finding_places *callers = &made->callers[made->given.finding_count];
	struct plumb_finding *finding = &made->at[made->given.finding_count++];

	finding->node = findings_copy(made, metric->name);
	finding->cause = findings_copy(made, loss->cause);
	finding->slots = loss->slots;
	finding->brief = findings_copy(made, loss->advice ? loss->advice->brief : metric->title);
	finding->means = findings_copy(made, loss->advice ? loss->advice->means : NULL);
	finding->helps = findings_copy(made, loss->advice ? loss->advice->hint : NULL);
	if (evidence->code.weight > 0) {
		add_code(maker, i, &finding->functions, &finding->lines, callers);
		waits->basis = finding->lines.basis;
		waits->exact = finding->lines.exact;
		waits->samples = finding->lines.samples;
		waits_of_code(&maker->evidence, i, waits);
		advise_on_code(maker, i, finding, waits);
		/* How they were shared out is an estimate, without an interval. */
		if (is_shared_out(maker, evidence))
			finding->functions.exact = finding->lines.exact = callers->exact = false;
	}
	if (evidence->data.weight > 0 && (evidence->data_basis == EVIDENCE_EXACT ||
					  evidence->data.samples >= DATA_SAMPLES_LEAST)) {
		finding->data.exact = evidence->data_basis == EVIDENCE_EXACT;
		finding->data.basis = finding->data.exact ? weigh_exact_basis(evidence->cause)
							  : weigh_basis(evidence->data_weigh);
		if (!finding->data.exact)
			finding->data.samples = evidence->data.samples;
		add_ranked(maker, &maker->evidence.data, i, add_data, &finding->data);
	}
	finding->view = view_of(finding);
}

/* Adds that code, data or callers were left out to the warnings. */
static void warn_of_limits(struct plumb_findings_maker *maker)
{
	const struct evidence *evidence = &maker->evidence;
	struct findings *made = maker->made;

	if (evidence->full)
		findings_warn(made, findings_format(made,
						    "samples are at more than %u places of code or "
						    "data: shares of further ones are missing",
						    EVIDENCE_PLACES_MAX));
	if (evidence->callers_full)
		findings_warn(made,
			      findings_format(made,
					      "samples are at more than %u places or callers: "
					      "who called is known of the first ones only",
					      EVIDENCE_PLACES_MAX));
}

static void describe(struct plumb_findings_maker *maker)
{
	const struct plumb_findings_options *about = &maker->options;
	const struct plumb_diagnosis *d = maker->evidence.diagnosis;
	struct plumb_findings *given = &maker->made->given;

	given->source = findings_copy(maker->made, about->source);
	given->label = findings_copy(maker->made, about->label);
	given->cpu = findings_copy(maker->made, about->cpu);
	given->midr = about->midr;
	given->command = findings_copy_list(maker->made, about->command);
	given->target = findings_copy(maker->made, about->target);
	given->seconds = about->seconds;
	given->runs = about->runs;
	given->exit_status = about->exit_status;
	given->signal = about->signal;
	given->interrupted = about->interrupted;
	given->warnings = findings_copy_list(maker->made, about->warnings);
	given->recording = findings_copy(maker->made, about->recording);
	given->tie = findings_copy(maker->made, about->tie);
	given->verdict = d->verdict;
	given->work = d->work;
	given->least = d->verdict == PLUMB_VERDICT_WORK ? PLUMB_RUNNER_UP : PLUMB_WORTH;
	given->ruled_out_count = ruled_out(about->counted, d, given->least, maker->made->ruled_out);
	for (unsigned i = 0; i < given->ruled_out_count; i++)
		maker->made->ruled_out[i].node =
			findings_copy(maker->made, maker->made->ruled_out[i].node);
	given->undivided_count = undivided(about->counted, d, given->least, maker->made->undivided);
	for (unsigned i = 0; i < given->undivided_count; i++)
		maker->made->undivided[i].node =
			findings_copy(maker->made, maker->made->undivided[i].node);
	given->whole = "slots";
	if (d->loss.metric != PLUMB_NONE &&
	    !strstr(maker->evidence.spec->metrics[d->loss.metric].units, "slots"))
		given->whole = "cycles";
}

int plumb_findings_maker_new(const struct plumb_findings_options *options,
			     const struct plumb_recording *recording,
			     struct plumb_symbolizer *symbolizer,
			     struct plumb_findings_maker **maker)
{
	struct plumb_findings_maker *made = calloc(1, sizeof(*made));

	*maker = NULL;
	if (!made)
		return PLUMB_ERR_NO_MEMORY;
	if (!sized_read(&made->options, sizeof(made->options), options) || !made->options.counted ||
	    !made->options.diagnosed || !recording != !symbolizer) {
		free(made);
		return PLUMB_ERR_ARGUMENT;
	}
	made->made = findings_new();
	if (!made->made) {
		free(made);
		return PLUMB_ERR_NO_MEMORY;
	}
	evidence_begin(&made->evidence, made->options.diagnosed,
		       made->options.counted->plan->selection->spec, recording, symbolizer);
	*maker = made;
	return 0;
}

void plumb_findings_maker_free(struct plumb_findings_maker *maker)
{
	if (!maker)
		return;
	evidence_free(&maker->evidence);
	plumb_findings_free(maker->made ? &maker->made->given : NULL);
	free(maker);
}

int plumb_findings_maker_add(struct plumb_findings_maker *maker,
			     const struct plumb_samples_item *item)
{
	if (item->record->type != PLUMB_RECORD_SAMPLE)
		return plumb_symbolizer_add(maker->evidence.symbolizer, item->record);
	return evidence_add(&maker->evidence, item);
}

int plumb_findings_maker_finish(struct plumb_findings_maker *maker,
				struct plumb_findings **findings)
{
	const struct evidence_loss *work =
		&maker->evidence.losses[maker->evidence.diagnosis->loss_count];

	*findings = NULL;
	describe(maker);
	if (evidence_finish(&maker->evidence) < 0)
		return PLUMB_ERR_NO_MEMORY;
	for (unsigned i = 0; i < maker->evidence.diagnosis->loss_count; i++)
		make(maker, i);
	warn_of_limits(maker);
	if (work->code.weight > 0)
		add_code(maker, maker->evidence.diagnosis->loss_count,
			 &maker->made->work_at.functions, &maker->made->work_at.lines,
			 &maker->made->work_at.callers);
	if (when_find(maker->options.counted, maker->evidence.diagnosis, maker->options.intervals,
		      maker->options.interval_count, maker->made->when) < 0)
		return PLUMB_ERR_NO_MEMORY;
	if (maker->made->error < 0 || maker->error < 0)
		return PLUMB_ERR_NO_MEMORY;
	*findings = &maker->made->given;
	maker->made = NULL;
	return 0;
}
