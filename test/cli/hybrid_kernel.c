/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test equipment, loaded with LD_PRELOAD: a kernel whose sysfs is the folder HYBRID_ROOT, and whose
 * core PMUs count what HYBRID_COUNTS says, a file of lines "TYPE CODE COUNT ENABLED RUNNING". An
 * event that no line has counts 0 all the time. HYBRID_FREE is the number of counters; HYBRID_LOG
 * gets a line for each event opened: type, code, process (task or all), CPU and whether execve(2)
 * enables it.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
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
static struct {
	uint32_t type;
	uint64_t code;
	int members; /* of its group, with it */
	bool samples;
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
	int fd;

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
	opened[fd].type = attr->type;
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
	return 0;
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");

	if (fd >= 0 && fd < FILES)
		opened[fd].type = 0;
	return real(fd);
}
