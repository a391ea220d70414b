/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/advice.h"

#include <string.h>

#define ROW(name, brief, means, hint, groups) {#name, brief, means, hint, groups},
#define NO_ROW(name, brief, means, hint, groups)

static const struct plumb_advice nodes[] = {
#define NODE   ROW
#define PARTLY NO_ROW
#define HITS   NO_ROW
#define MISSES NO_ROW
#include "profile/nodes.def"
	{0},
};

static const struct plumb_advice partly[] = {
#define NODE   NO_ROW
#define PARTLY ROW
#define HITS   NO_ROW
#define MISSES NO_ROW
#include "profile/nodes.def"
	{0},
};

static const struct plumb_advice hits[] = {
#define NODE   NO_ROW
#define PARTLY NO_ROW
#define HITS   ROW
#define MISSES NO_ROW
#include "profile/nodes.def"
	{0},
};

static const struct plumb_advice misses[] = {
#define NODE   NO_ROW
#define PARTLY NO_ROW
#define HITS   NO_ROW
#define MISSES ROW
#include "profile/nodes.def"
	{0},
};

static const struct plumb_advice *find(const struct plumb_advice *advice, const char *metric)
{
	while (advice->metric && strcmp(advice->metric, metric) != 0)
		advice++;
	return advice->metric ? advice : NULL;
}

const struct plumb_advice *plumb_advice(const char *metric)
{
	return find(nodes, metric);
}

const struct plumb_advice *advice_partly(const char *metric)
{
	return find(partly, metric);
}

const struct plumb_advice *advice_beyond_l2(const char *metric, double last_level_hits)
{
	if (last_level_hits >= PLUMB_MOSTLY_SHARE)
		return find(hits, metric);
	if (last_level_hits <= 100 - PLUMB_MOSTLY_SHARE)
		return find(misses, metric);
	return NULL;
}

bool advice_is_beyond_l2(const char *metric)
{
	return find(hits, metric);
}
