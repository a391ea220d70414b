/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a profile's rows: the largest first, and those of the same size by their texts. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "profile/profile.h"

static uint64_t size_of(const struct plumb_profile *profile, uint32_t row)
{
	return profile->callees ? profile->callees[row].sums.period : profile->rows[row].own.period;
}

/* Compares functions of the same name by their addresses. */
static int compare_starts(const struct plumb_profile *profile, uint32_t a, uint32_t b)
{
	for (size_t k = 0; k < profile->options.key_count; k++) {
		const uint64_t *x = row_values(profile, a) + 1 + 2 * k;
		const uint64_t *y = row_values(profile, b) + 1 + 2 * k;
		uint64_t starts[2];

		if ((profile->keys[k] != PLUMB_KEY_SYMBOL &&
		     profile->keys[k] != PLUMB_KEY_SYMBOL_TO &&
		     profile->keys[k] != PLUMB_KEY_DATA_SYMBOL) ||
		    !x[1] || !y[1] || (x[1] | y[1]) & 1)
			continue;
		starts[0] = plumb_symbol_start((const struct plumb_symbol *)(uintptr_t)x[0]);
		starts[1] = plumb_symbol_start((const struct plumb_symbol *)(uintptr_t)y[0]);
		if (starts[0] != starts[1])
			return starts[0] < starts[1] ? -1 : 1;
	}
	return 0;
}

int compare_row_texts(const struct plumb_profile *profile, uint32_t a, uint32_t b)
{
	const uint64_t *x = row_values(profile, a) + 1, *y = row_values(profile, b) + 1;
	int order = 0;

	for (size_t k = 0; order == 0 && k < profile->options.key_count; k++)
		order = key_compare(profile, profile->keys[k], x + 2 * k, y + 2 * k);
	return order ? order : compare_starts(profile, a, b);
}

static int compare_rows(const void *a, const void *b, void *user)
{
	const struct plumb_profile *profile = user;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t sizes[] = {size_of(profile, x), size_of(profile, y)};
	const uint64_t own[] = {profile->rows[x].own.period, profile->rows[y].own.period};
	int order;

	if (sizes[0] != sizes[1])
		return sizes[0] > sizes[1] ? -1 : 1;
	if (own[0] != own[1])
		return own[0] > own[1] ? -1 : 1;
	order = compare_row_texts(profile, x, y);
	/* The numbers of rows depend on which thread was first. */
	return order ? order
		     : memcmp(&profile->records[x], &profile->records[y],
			      sizeof(*profile->records));
}

/* ---- Sorting ----------------------------------------------------------------------------------
 */

/* Rows that are worth a thread. */
#define ROWS_FOR_THREAD 4096

/* A key with more values than this among the rows has many. */
#define VALUES_FEW 32

/* The values of a key among the rows, in the order of their texts. */
struct few_values {
	uint64_t at[VALUES_FEW][2];
	uint8_t ranks[VALUES_FEW]; /* equal texts have the same */
	size_t count;
};

/* Rows are compared by their size and the beginning of a text, as far as these tell; with callees,
 * the text is empty, as it is not what comes next. */
#define TEXT_KEPT ((size_t)16)
struct sorted_row {
	uint64_t size;
	uint64_t text[TEXT_KEPT / sizeof(uint64_t)]; /* the first byte is the highest */
	uint32_t row;
};

struct sorting {
	struct plumb_profile *profile;
	const uint32_t *rows;             /* in any order */
	struct sorted_row *sorted, *room; /* `count` of each */
	size_t count;
	unsigned threads; /* that may sort them */
	/* The first keys, which have few values; a byte of the text is the rank of each. */
	const struct few_values *few;
	size_t few_count;
};

/* Returns where a value is, or the number of values. */
static size_t find_few(const struct few_values *few, const uint64_t value[2])
{
	size_t i = 0;

	while (i < few->count && (few->at[i][0] != value[0] || few->at[i][1] != value[1]))
		i++;
	return i;
}

/* Finds the values of the k-th key. Returns false if there are many. */
static bool collect_few(const struct sorting *sorting, size_t k, struct few_values *few)
{
	const struct plumb_profile *profile = sorting->profile;
	const unsigned key = profile->keys[k];

	few->count = 0;
	for (size_t i = 0; i < sorting->count; i++) {
		const uint64_t *value = row_values(profile, sorting->rows[i]) + 1 + 2 * k;

		if (find_few(few, value) < few->count)
			continue;
		if (few->count == VALUES_FEW)
			return false;
		memcpy(few->at[few->count++], value, sizeof(*few->at));
	}
	for (size_t i = 0; i < few->count; i++) {
		few->ranks[i] = 0;
		for (size_t other = 0; other < few->count; other++)
			few->ranks[i] += key_compare(profile, key, few->at[other], few->at[i]) < 0;
	}
	return true;
}

/* Writes the first bytes of what a row's texts are compared by. */
static void keep_text(const struct sorting *sorting, struct sorted_row *sorted)
{
	const struct plumb_profile *profile = sorting->profile;
	const uint64_t *values = row_values(profile, sorted->row) + 1;
	const size_t few = sorting->few_count;
	char kept[TEXT_KEPT + 1] = "";

	for (size_t k = 0; k < few; k++)
		kept[k] = (char)sorting->few[k].ranks[find_few(&sorting->few[k], values + 2 * k)];
	if (few < profile->options.key_count) {
		char room[PLUMB_PROFILE_TEXT];
		const char *text = key_text(profile, profile->keys[few], values + 2 * few, room);

		if (text)
			strncpy(kept + few, text, TEXT_KEPT - few);
	}
	for (size_t i = 0; i < TEXT_KEPT; i++)
		sorted->text[i / 8] = sorted->text[i / 8] << 8 | (uint8_t)kept[i];
}

/*
 * Returns whether `a` is not behind `b`. Which one is first cannot be predicted, so nothing depends
 * on it but the result; few pairs differ in nothing that is kept of them.
 */
static inline bool is_first(const struct sorted_row *a, const struct sorted_row *b,
			    const struct plumb_profile *profile)
{
	const bool same_begin = a->text[0] == b->text[0];
	const bool first = (a->text[0] < b->text[0]) | (same_begin & (a->text[1] < b->text[1]));
	const bool same = same_begin & (a->text[1] == b->text[1]);

	if ((a->size == b->size) & same)
		return compare_rows(&a->row, &b->row, (void *)(uintptr_t)profile) <= 0;
	return (a->size > b->size) | ((a->size == b->size) & first);
}

/* Merges two sorted parts of `from`, up to `middle` and from there up to `end`, into `to`. */
static void merge(const struct sorting *sorting, const struct sorted_row *from,
		  struct sorted_row *to, size_t middle, size_t end)
{
	const struct sorted_row *a = from, *b = from + middle;

	while (a < from + middle && b < from + end) {
		const bool first = is_first(a, b, sorting->profile);

		*to++ = *(first ? a : b);
		a += first;
		b += !first;
	}
	memcpy(to, a, (size_t)(from + middle - a) * sizeof(*to));
	to += from + middle - a;
	memcpy(to, b, (size_t)(from + end - b) * sizeof(*to));
}

/* Rows that are sorted one by one. */
#define RUN ((size_t)8)

static void sort_run(const struct sorting *sorting, struct sorted_row *run, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct sorted_row row = run[i];
		size_t at = i;

		for (; at && !is_first(&run[at - 1], &row, sorting->profile); at--)
			run[at] = run[at - 1];
		run[at] = row;
	}
}

/* Sorts rows by comparing them; `room` is for as many. */
static void sort_by_merging(const struct sorting *sorting, struct sorted_row *rows,
			    struct sorted_row *room, size_t count)
{
	struct sorted_row *from = rows, *to = room;

	for (size_t i = 0; i < count; i += RUN)
		sort_run(sorting, from + i, count - i < RUN ? count - i : RUN);
	for (size_t run = RUN; run < count; run *= 2) {
		struct sorted_row *merged = to;

		for (size_t i = 0; i < count; i += 2 * run) {
			const size_t left = count - i;

			merge(sorting, from + i, to + i, left < run ? left : run,
			      left < 2 * run ? left : 2 * run);
		}
		to = from;
		from = merged;
	}
	if (from != rows)
		memcpy(rows, from, count * sizeof(*from));
}

/* What rows are compared by, as words of which the first counts most, and smaller ones are first.
 */
#define SORTED_WORDS 3
static inline uint64_t sorted_word(const struct sorted_row *row, size_t word)
{
	return word ? row->text[word - 1] : ~row->size;
}

/* Copies rows in the order of one byte; rows that have the same stay in their order. */
static void sort_by_byte(const struct sorted_row *from, struct sorted_row *to, size_t count,
			 size_t word, unsigned shift)
{
	size_t places[UINT8_MAX + 1] = {0}, before = 0;

	for (size_t i = 0; i < count; i++)
		places[sorted_word(&from[i], word) >> shift & UINT8_MAX]++;
	for (size_t byte = 0; byte <= UINT8_MAX; byte++) {
		const size_t with = places[byte];

		places[byte] = before;
		before += with;
	}
	for (size_t i = 0; i < count; i++)
		to[places[sorted_word(&from[i], word) >> shift & UINT8_MAX]++] = from[i];
}

/* Sorts rows byte by byte, from the one that counts least on; most bytes are the same in all. */
static void sort_by_bytes(struct sorted_row *rows, struct sorted_row *room, size_t count)
{
	struct sorted_row *from = rows, *to = room;

	for (size_t word = SORTED_WORDS; word--;) {
		uint64_t differ = 0;

		for (size_t i = 1; i < count; i++)
			differ |= sorted_word(&from[i], word) ^ sorted_word(&from[0], word);
		for (unsigned shift = 0; shift < 64; shift += 8) {
			struct sorted_row *sorted = to;

			if (!(differ >> shift & UINT8_MAX))
				continue;
			sort_by_byte(from, to, count, word, shift);
			to = from;
			from = sorted;
		}
	}
	if (from != rows)
		memcpy(rows, from, count * sizeof(*from));
}

static bool is_kept_same(const struct sorted_row *a, const struct sorted_row *b)
{
	return a->size == b->size && a->text[0] == b->text[0] && a->text[1] == b->text[1];
}

static void sort_alone(const struct sorting *sorting)
{
	const size_t count = sorting->count;
	struct sorted_row *rows = sorting->sorted;
	size_t end;

	for (size_t i = 0; i < count; i++) {
		rows[i] = (struct sorted_row){
			.size = size_of(sorting->profile, sorting->rows[i]),
			.row = sorting->rows[i],
		};
		if (!sorting->profile->callees)
			keep_text(sorting, &rows[i]);
	}
	sort_by_bytes(rows, sorting->room, count);
	/* Those that differ in nothing that is kept of them are compared. */
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && is_kept_same(&rows[i], &rows[end]);)
			end++;
		if (end - i > 1)
			sort_by_merging(sorting, rows + i, sorting->room, end - i);
	}
}

/* Sorts halves in two threads, each of which may have more. */
static void *sort(void *user)
{
	struct sorting *sorting = user;
	const size_t middle = sorting->count / 2;
	struct sorting first = *sorting, second = *sorting;
	pthread_t thread;
	bool started;

	if (sorting->threads < 2 || sorting->count < 2 * (size_t)ROWS_FOR_THREAD) {
		sort_alone(sorting);
		return NULL;
	}
	first.count = middle;
	first.threads = sorting->threads / 2;
	second.rows += middle;
	second.sorted += middle;
	second.room += middle;
	second.count -= middle;
	second.threads -= first.threads;
	started = threads_start(&thread, sort, &first);
	sort(&second);
	if (started)
		pthread_join(thread, NULL);
	else
		sort(&first);
	memcpy(sorting->room, sorting->sorted, sorting->count * sizeof(*sorting->sorted));
	merge(sorting, sorting->room, sorting->sorted, middle, sorting->count);
	return NULL;
}

/* Sorts many rows. `few` has room for the values of all keys. Returns false if out of memory. */
static bool sort_many(struct sorting *sorting, struct few_values *few, uint32_t *rows)
{
	const struct plumb_profile *profile = sorting->profile;

	while (!profile->callees && sorting->few_count < profile->options.key_count &&
	       collect_few(sorting, sorting->few_count, &few[sorting->few_count]))
		sorting->few_count++;
	sorting->sorted = reallocarray(NULL, 2 * sorting->count, sizeof(*sorting->sorted));
	if (!sorting->sorted)
		return false;
	sorting->room = sorting->sorted + sorting->count;
	sort(sorting);
	for (size_t i = 0; i < sorting->count; i++)
		rows[i] = sorting->sorted[i].row;
	free(sorting->sorted);
	return true;
}

void rows_sort(struct plumb_profile *profile, uint32_t *rows, size_t count)
{
	struct few_values few[PLUMB_PROFILE_KEYS_MAX];
	struct sorting sorting = {
		.profile = profile,
		.rows = rows,
		.count = count,
		.few = few,
		.threads = threads_to_use(profile->options.threads),
	};

	if (count < ROWS_FOR_THREAD || !sort_many(&sorting, few, rows))
		qsort_r(rows, count, sizeof(*rows), compare_rows, profile);
}
