/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums up a web server's access log: requests and time per client, statuses, percentiles of the
 * times. Written after the description of the published program log_analyzer: it calls the same
 * functions of the C library for each line, and its tables have the same sizes.
 * Usage: access_log FILE PASSES [copied]
 *
 * "copied" reads the file through a copy which the program makes itself, page by page, as the
 * kernel does for read(): from pages in no order, as in its cache of files, and after reading a
 * line of each of KERNEL_PAGES others, for the kernel's own data.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLIENTS      (1u << 17) /* a power of two */
#define ADDRESS_SIZE 48
#define LINE_SIZE    1024
#define TIMES_FIRST  (1u << 20)
#define STATUS_END   600
#define PAGE         4096
#define LINE         64
#define KERNEL_PAGES 48

struct client {
	char address[ADDRESS_SIZE];
	int requests;
	double milliseconds;
};

struct request {
	char address[ADDRESS_SIZE];
	int status;
	double milliseconds;
};

static struct client clients[CLIENTS];
static int statuses[STATUS_END];
static double *times;
static size_t time_count, time_room;
static unsigned client_count, invalid;

/* Returns the entry of a client, at or behind the place of its hash. */
static struct client *find_client(const char *address)
{
	unsigned hash = 5381;

	for (const char *c = address; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	for (unsigned tries = 0; tries < CLIENTS; tries++) {
		struct client *client = &clients[(hash + tries) % CLIENTS];

		if (!client->requests) {
			strncpy(client->address, address, ADDRESS_SIZE - 1);
			client->address[ADDRESS_SIZE - 1] = '\0';
			client_count++;
			return client;
		}
		if (strcmp(client->address, address) == 0)
			return client;
	}
	return NULL;
}

static const char *next_field(const char *c)
{
	while (*c && *c != ' ')
		c++;
	while (*c == ' ')
		c++;
	return c;
}

/* ADDRESS - - [DATE] "REQUEST" STATUS BYTES MILLISECONDS */
static int read_request(const char *line, struct request *request)
{
	const char *c = line;
	unsigned length = 0;

	while (*c && *c != ' ' && length < ADDRESS_SIZE - 1)
		request->address[length++] = *c++;
	request->address[length] = '\0';
	if (!length)
		return 0;
	c = strchr(c, '"');
	if (c)
		c = strchr(c + 1, '"');
	if (!c)
		return 0;
	for (c++; *c == ' ';)
		c++;
	request->status = atoi(c);
	if (request->status < 100 || request->status >= STATUS_END)
		return 0;
	request->milliseconds = atof(next_field(next_field(c)));
	return 1;
}

static void keep_time(double milliseconds)
{
	if (time_count == time_room) {
		time_room *= 2;
		times = realloc(times, time_room * sizeof(*times));
		if (!times)
			exit(1);
	}
	times[time_count++] = milliseconds;
}

static void sum_up(FILE *file)
{
	char line[LINE_SIZE];
	struct request request;

	memset(clients, 0, sizeof(clients));
	memset(statuses, 0, sizeof(statuses));
	time_count = client_count = invalid = 0;
	while (fgets(line, sizeof(line), file)) {
		struct client *client;

		if (!read_request(line, &request)) {
			invalid++;
			continue;
		}
		client = find_client(request.address);
		if (client) {
			client->requests++;
			client->milliseconds += request.milliseconds;
		}
		statuses[request.status]++;
		keep_time(request.milliseconds);
	}
}

/* A file in memory, whose pages are in no order. */
static struct {
	const char *memory;
	size_t bytes, pages;
} cached;

/* Returns where page `number` of the file is: the numbers are a permutation. */
static const char *cached_page(size_t number)
{
	return cached.memory + number * 4099 % cached.pages * PAGE;
}

/* Maps each page of a file on its own. Returns 0 if that fails. */
static int cache_file(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY);
	void *memory;

	if (fd < 0 || fstat(fd, &status) < 0)
		return 0;
	cached.bytes = (size_t)status.st_size;
	cached.pages = (cached.bytes + PAGE - 1) / PAGE;
	while (cached.pages % 4099 == 0)
		cached.pages++;
	memory = mmap(NULL, cached.pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 0;
	cached.memory = memory;
	for (size_t i = 0; i * PAGE < cached.bytes; i++)
		if (mmap((void *)cached_page(i), PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
			 (off_t)(i * PAGE)) == MAP_FAILED)
			return 0;
	close(fd);
	return 1;
}

static ssize_t read_copied(void *cookie, char *to, size_t size)
{
	static volatile char kernel[KERNEL_PAGES][PAGE];
	size_t *next = cookie, left = cached.bytes - *next;

	for (unsigned i = 0; i < KERNEL_PAGES; i++)
		(void)kernel[i][i * LINE % PAGE];
	if (size > left)
		size = left;
	if (size > PAGE - *next % PAGE)
		size = PAGE - *next % PAGE;
	memcpy(to, cached_page(*next / PAGE) + *next % PAGE, size);
	*next += size;
	return (ssize_t)size;
}

static FILE *open_copied(const char *path)
{
	static char buffer[PAGE];
	static size_t next;
	FILE *file;

	if (!cached.memory && !cache_file(path))
		return NULL;
	next = 0;
	file = fopencookie(&next, "r", (cookie_io_functions_t){.read = read_copied});
	if (file)
		setvbuf(file, buffer, _IOFBF, sizeof(buffer));
	return file;
}

static int compare_times(const void *a, const void *b)
{
	const double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static int compare_clients(const void *a, const void *b)
{
	return ((const struct client *)b)->requests - ((const struct client *)a)->requests;
}

int main(int count, char **arguments)
{
	const int passes = count > 2 ? atoi(arguments[2]) : 0;
	const int copies = count > 3 && strcmp(arguments[3], "copied") == 0;

	if (passes < 1)
		return 2;
	time_room = TIMES_FIRST;
	times = malloc(time_room * sizeof(*times));
	if (!times)
		return 1;
	for (int pass = 0; pass < passes; pass++) {
		FILE *file = copies ? open_copied(arguments[1]) : fopen(arguments[1], "r");

		if (!file)
			return 1;
		sum_up(file);
		fclose(file);
	}
	if (!time_count)
		return 1;
	qsort(times, time_count, sizeof(*times), compare_times);
	qsort(clients, CLIENTS, sizeof(*clients), compare_clients);
	printf("%zu requests of %u clients, %u invalid lines; p50 %.1f, p95 %.1f, p99 %.1f ms\n",
	       time_count, client_count, invalid, times[time_count * 50 / 100],
	       times[time_count * 95 / 100], times[time_count * 99 / 100]);
	for (int i = 0; i < 10 && clients[i].requests; i++)
		printf("%-20s %d requests, %.1f ms each\n", clients[i].address, clients[i].requests,
		       clients[i].milliseconds / clients[i].requests);
	return 0;
}
