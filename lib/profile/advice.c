/* SPDX-License-Identifier: Apache-2.0 */
#include <plumb/diagnosis.h>

#include <string.h>

#define ROW(name, brief, means, hint, groups) {#name, brief, means, hint, groups},
#define NO_ROW(name, brief, means, hint, groups)

static const struct plumb_advice nodes[] = {
#define NODE   ROW
#define PARTLY NO_ROW
#include "profile/nodes.def"
#undef NODE
#undef PARTLY
	{0},
};

static const struct plumb_advice partly[] = {
#define NODE   NO_ROW
#define PARTLY ROW
#include "profile/nodes.def"
#undef NODE
#undef PARTLY
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

const struct plumb_advice *plumb_advice_partly(const char *metric)
{
	return find(partly, metric);
}
