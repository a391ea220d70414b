/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test equipment, loaded with LD_PRELOAD: a kernel whose sysfs is the folder HYBRID_ROOT, and whose
 * core PMUs count what HYBRID_COUNTS says, a file of lines "TYPE CODE COUNT ENABLED RUNNING". An
 * event that no line has counts 0 all the time. HYBRID_FREE is the number of counters;
 * HYBRID_REFUSES is a type of PMU that counts nothing; HYBRID_LOG gets a line for each event
 * opened: type, code, process (task or all), CPU and whether execve(2) enables it. HYBRID_SAMPLES
 * has lines "TYPE TID TIMES CODE:COUNT...": the first group of that type takes so many samples of
 * this thread, between each of which its events count as much.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES 4096
#define RING  (64 << 20)
/* HYBRID_SPLIT is the first CPU of the second type; from this number on, all PMUs have all CPUs. */
#define ONE_TYPE 1024
static struct file {
	uint32_t type;
	uint64_t code;
	int members; /* of its group, with it */
	int leader, output;
	bool samples, is_group;
	uint64_t fields, format; /* of samples, and of what they read */
	uint64_t count, head;    /* for samples, and in its ring */
} opened[FILES];

static const char *moved(const char *path, char room[4096])
{
	const char *root = getenv("HYBRID_ROOT");

	if (!root || (strncmp(path, "/sys/", 5) != 0 && strncmp(path, "/proc/sys/", 10) != 0))
		return path;
	snprintf(room, 4096, "%s%s", root, path);
	return room;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) =
		(FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
	char room[4096];

	return real(moved(path, room), mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

DIR *opendir(const char *path)
{
	DIR *(*real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
	char room[4096];

	return real(moved(path, room));
}

int scandir(const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
	    int (*compare)(const struct dirent **, const struct dirent **))
{
	int (*real)(const char *, struct dirent ***, int (*)(const struct dirent *),
		    int (*)(const struct dirent **, const struct dirent **)) =
		(int (*)(const char *, struct dirent ***, int (*)(const struct dirent *),
			 int (*)(const struct dirent **, const struct dirent **)))dlsym(RTLD_NEXT,
											"scandir");
	char room[4096];

	return real(moved(path, room), entries, filter, compare);
}

int scandir64(const char *path, struct dirent64 ***entries, int (*filter)(const struct dirent64 *),
	      int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	/* The same struct on 64-bit machines. */
	return scandir(path, (struct dirent ***)entries, (int (*)(const struct dirent *))filter,
		       (int (*)(const struct dirent **, const struct dirent **))compare);
}

static void note(const struct perf_event_attr *attr, int pid, int cpu)
{
	const char *path = getenv("HYBRID_LOG");
	FILE *log = path ? fopen(path, "ae") : NULL;

	if (!log)
		return;
	fprintf(log, "%u 0x%04llx %s %d%s%s%s\n", attr->type, (unsigned long long)attr->config,
		pid < 0 ? "all" : "task", cpu, attr->enable_on_exec ? " exec" : "",
		attr->sample_type & PERF_SAMPLE_READ ? " read" : "",
		attr->sample_type & PERF_SAMPLE_CALLCHAIN ? " chain" : "");
	fclose(log);
}

/* The cycle counter is one of its own; the others share HYBRID_FREE. */
static int open_event(const struct perf_event_attr *attr, int pid, int cpu, int group)
{
	const int most = getenv("HYBRID_FREE") ? atoi(getenv("HYBRID_FREE")) : 6;
	const int split = getenv("HYBRID_SPLIT") ? atoi(getenv("HYBRID_SPLIT")) : 0;
	const char *refuses = getenv("HYBRID_REFUSES");
	int fd;

	if (refuses && attr->type == (uint32_t)atoi(refuses))
		return -EINVAL;
	if (cpu >= 0 && split < ONE_TYPE && attr->type != PERF_TYPE_SOFTWARE &&
	    (attr->type == 8) != (cpu < split))
		return -ENOENT;
	if (attr->type < 8 && attr->type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	if (group >= 0 && group < FILES && attr->config != 0x11 && opened[group].members >= most)
		return -EINVAL;
	fd = memfd_create("event", MFD_CLOEXEC);
	if (fd < 0 || fd >= FILES)
		return -EMFILE;
	/* Room for a ring, in which nothing ever is. */
	if (ftruncate(fd, RING) < 0)
		return -ENOSPC;
	opened[fd] = (struct file){
		.type = attr->type,
		.leader = group >= 0 ? group : fd,
		.output = fd,
		.is_group = attr->sample_type & PERF_SAMPLE_READ,
		.fields = attr->sample_type,
		.format = attr->read_format,
	};
	opened[fd].code = attr->config;
	opened[fd].samples = attr->sample_type & PERF_SAMPLE_IP;
	opened[fd].members = attr->config != 0x11;
	if (group >= 0 && group < FILES)
		opened[group].members += attr->config != 0x11;
	note(attr, pid, cpu);
	return fd;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open) {
		const int fd = open_event((const struct perf_event_attr *)a[0], (int)a[1],
					  (int)a[2], (int)a[3]);

		if (fd >= 0)
			return fd;
		errno = -fd;
		return -1;
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t read(int fd, void *to, size_t size)
{
	ssize_t (*real)(int, void *, size_t) =
		(ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	uint64_t values[3] = {0, 1000000, 1000000};
	const char *path = getenv("HYBRID_COUNTS");
	unsigned long long code, count, enabled, running;
	unsigned type;
	FILE *file;

	if (fd < 0 || fd >= FILES || !opened[fd].type)
		return real(fd, to, size);
	file = path ? fopen(path, "re") : NULL;
	while (file && fscanf(file, "%u %llx %llu %llu %llu", &type, &code, &count, &enabled,
			      &running) == 5)
		if (type == opened[fd].type && (code == opened[fd].code || code == 0xffff)) {
			values[0] = count;
			values[1] = enabled;
			values[2] = running;
		}
	if (file)
		fclose(file);
	if (opened[fd].samples) /* none was lost */
		memset(values, 0, sizeof(values));
	size = size < sizeof(values) ? size : sizeof(values);
	memcpy(to, values, size);
	return (ssize_t)size;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, ...) =
		(int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
	va_list list;
	void *argument;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (fd < 0 || fd >= FILES || !opened[fd].type)
		return real(fd, request, argument);
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = (uint64_t)fd;
	if (request == PERF_EVENT_IOC_SET_OUTPUT && (int)(intptr_t)argument >= 0)
		opened[fd].output = (int)(intptr_t)argument;
	return 0;
}

/* Writes what a sample of the group of `leader` reads. Returns where it ends. */
static uint64_t *put_read(uint64_t *at, int leader)
{
	const uint64_t format = opened[leader].format;
	uint64_t *number = at++;

	if (!(format & PERF_FORMAT_GROUP))
		abort();
	*number = 0;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*at++ = 1000000;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*at++ = 1000000;
	for (int fd = 0; fd < FILES; fd++) {
		if (!opened[fd].type || opened[fd].leader != leader)
			continue;
		++*number;
		*at++ = opened[fd].count;
		if (format & PERF_FORMAT_ID)
			*at++ = (uint64_t)fd;
		if (format & PERF_FORMAT_LOST)
			*at++ = 0;
	}
	return at;
}

static void put_sample(int leader, uint32_t tid, uint64_t period)
{
	static uint64_t time = 1000000000;
	const uint64_t fields = opened[leader].fields;
	struct file *ring = &opened[opened[leader].output];
	uint64_t words[512], *at = words + 1;
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
					   .misc = PERF_RECORD_MISC_USER};
	const struct {
		uint64_t field, value;
	} values[] = {
		{PERF_SAMPLE_IDENTIFIER, (uint64_t)leader},
		{PERF_SAMPLE_IP, 0x1000},
		{PERF_SAMPLE_TID, (uint64_t)tid << 32 | tid},
		{PERF_SAMPLE_TIME, time += 1000},
		{PERF_SAMPLE_ADDR, 0},
		{PERF_SAMPLE_ID, (uint64_t)leader},
		{PERF_SAMPLE_STREAM_ID, (uint64_t)leader},
		{PERF_SAMPLE_CPU, 0},
		{PERF_SAMPLE_PERIOD, period},
	};
	uint64_t known = PERF_SAMPLE_READ;

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		known |= values[i].field;
		if (fields & values[i].field)
			*at++ = values[i].value;
	}
	if (fields & ~known)
		abort();
	at = put_read(at, leader);
	header.size = (uint16_t)((at - words) * sizeof(*words));
	memcpy(words, &header, sizeof(header));
	if (pwrite(opened[leader].output, words, header.size,
		   (off_t)((uint64_t)sysconf(_SC_PAGESIZE) + ring->head)) != header.size)
		abort();
	ring->head += header.size;
	if (pwrite(opened[leader].output, &ring->head, sizeof(ring->head),
		   offsetof(struct perf_event_mmap_page, data_head)) != sizeof(ring->head))
		abort();
}

/* Takes the samples of a line of HYBRID_SAMPLES. */
static void take_samples(char *line)
{
	uint64_t added[FILES] = {0}, period = 0;
	unsigned type, tid, times;
	int leader = 0, read = 0;

	if (sscanf(line, "%u %u %u%n", &type, &tid, &times, &read) != 3)
		abort();
	while (leader < FILES && !(opened[leader].type == type && opened[leader].is_group &&
				   opened[leader].leader == leader))
		leader++;
	if (leader == FILES)
		return;
	for (char *word = strtok(line + read, " \n"); word; word = strtok(NULL, " \n"))
		for (int fd = 0; fd < FILES; fd++)
			if (opened[fd].type && opened[fd].leader == leader &&
			    opened[fd].code == strtoull(word, NULL, 16))
				added[fd] = strtoull(strchr(word, ':') + 1, NULL, 0);
	period = added[leader];
	for (unsigned n = 0; n < times; n++) {
		for (int fd = 0; fd < FILES; fd++)
			opened[fd].count += added[fd];
		put_sample(leader, tid, period);
	}
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int (*real)(struct pollfd *, nfds_t, int) =
		(int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
	static bool taken;
	const char *path = getenv("HYBRID_SAMPLES");
	FILE *file = path && count && !taken ? fopen(path, "re") : NULL;
	char line[1024];

	taken |= count > 0;
	while (file && fgets(line, sizeof(line), file))
		take_samples(line);
	if (file)
		fclose(file);
	return real(fds, count, timeout);
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");

	if (fd >= 0 && fd < FILES)
		opened[fd].type = 0;
	return real(fd);
}
