/* SPDX-License-Identifier: Apache-2.0 */
/* Strings, a hash table with chains, allocation, formatted output: what libraries are used for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 256

struct word {
	struct word *next;
	unsigned count;
	char text[];
};

static struct word *buckets[BUCKETS];

static unsigned hash(const char *text)
{
	unsigned value = 5381;

	while (*text)
		value = value * 33 + (unsigned char)*text++;
	return value % BUCKETS;
}

static void note(const char *text)
{
	struct word **bucket = &buckets[hash(text)], *word = *bucket;

	while (word && strcmp(word->text, text) != 0)
		word = word->next;
	if (!word) {
		word = malloc(sizeof(*word) + strlen(text) + 1);
		if (!word)
			exit(1);
		strcpy(word->text, text);
		word->count = 0;
		word->next = *bucket;
		*bucket = word;
	}
	word->count++;
}

int main(void)
{
	char text[4096], *copy, *rest, *word;
	unsigned most = 0, kinds = 0;
	size_t used = 0;

	for (int i = 0; i < 300; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "w%x %.2f ", i * 7 % 90,
					 i / 16.);
	for (int round = 0; round < 20; round++) {
		copy = strdup(text);
		if (!copy)
			return 1;
		rest = copy;
		while ((word = strsep(&rest, " ")))
			note(word);
		free(copy);
	}
	for (int i = 0; i < BUCKETS; i++)
		for (struct word *w = buckets[i]; w; w = w->next) {
			kinds++;
			most = w->count > most ? w->count : most;
		}
	printf("%u %u\n", kinds, most);
	return 0;
}
