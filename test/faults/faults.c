/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one call fail, in the process whose program FAULTS_OF names and in none that it starts:
 * load it with LD_PRELOAD. FAULTS_KIND says what fails (`kinds` below), FAULTS_CALL which call of
 * that kind: 1 is the first after main() began. When it has failed, the file FAULTS_MARK is made;
 * if it is not there at the end, there were fewer calls.
 *
 * Calls that the C library makes by itself are out of reach, but for those of malloc(): that is how
 * stdio writes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { NOTHING, MEMORY, SHORT, INTERRUPTED, FULL, DESCRIPTORS };

static const char *const kinds[] = {
	[MEMORY] = "malloc", [SHORT] = "short",        [INTERRUPTED] = "EINTR",
	[FULL] = "ENOSPC",   [DESCRIPTORS] = "EMFILE",
};

static enum kind kind;
static long wanted;
static atomic_long calls;
static pid_t owner;
static char mark[PATH_MAX];

/* glibc's own, which need no looking up: that would allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

__attribute__((constructor)) static void set_up(void)
{
	const char *of = getenv("FAULTS_OF"), *what = getenv("FAULTS_KIND");
	const char *call = getenv("FAULTS_CALL"), *file = getenv("FAULTS_MARK");
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0 || !of || !what || !call || !file)
		return;
	self[length] = '\0';
	if (strcmp(self, of) != 0)
		return;
	snprintf(mark, sizeof(mark), "%s", file);
	owner = getpid();
	wanted = strtol(call, NULL, 10);
	for (size_t i = MEMORY; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(kinds[i], what, strlen(kinds[i])) == 0)
			kind = (enum kind)i;
}

/* Returns whether this call, which is of the kind, is the one to fail. */
static bool fails(enum kind of)
{
	int error = errno;
	long fd;

	if (of != kind || getpid() != owner || atomic_fetch_add(&calls, 1) + 1 != wanted)
		return false;
	fd = syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0)
		syscall(SYS_close, fd);
	errno = error;
	return true;
}

static bool fails_with(enum kind of, int error)
{
	if (!fails(of))
		return false;
	errno = error;
	return true;
}

#define NEXT(name)                     \
	static __typeof__(name) *next; \
	if (!next)                     \
	next = (__typeof__(next))(__UINTPTR_TYPE__)dlsym(RTLD_NEXT, #name)

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved */

/* ---- memory ------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
	return fails_with(MEMORY, ENOMEM) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails_with(MEMORY, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails_with(MEMORY, ENOMEM) ? NULL : __libc_realloc(old, size);
}

/* ---- reading and writing ------------------------------------------------------------------ */

/* Messages must arrive, whatever else does not. */
static bool write_fails(int fd)
{
	return fd != STDERR_FILENO && (fails_with(INTERRUPTED, EINTR) || fails_with(FULL, ENOSPC));
}

static size_t written_at_most(int fd, size_t size)
{
	return fd != STDERR_FILENO && size > 1 && fails(SHORT) ? size / 2 : size;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	NEXT(write);
	return write_fails(fd) ? -1 : next(fd, bytes, written_at_most(fd, size));
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	NEXT(pwrite);
	return write_fails(fd) ? -1 : next(fd, bytes, written_at_most(fd, size), at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	NEXT(writev);
	if (write_fails(fd))
		return -1;
	if (count > 0 && written_at_most(fd, parts[0].iov_len) != parts[0].iov_len)
		return write(fd, parts[0].iov_base, parts[0].iov_len / 2);
	return next(fd, parts, count);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	NEXT(pwritev);
	if (write_fails(fd))
		return -1;
	if (count > 0 && written_at_most(fd, parts[0].iov_len) != parts[0].iov_len)
		return pwrite(fd, parts[0].iov_base, parts[0].iov_len / 2, at);
	return next(fd, parts, count, at);
}

ssize_t read(int fd, void *bytes, size_t size)
{
	NEXT(read);
	return fails_with(INTERRUPTED, EINTR) ? -1 : next(fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	NEXT(pread);
	return fails_with(INTERRUPTED, EINTR) ? -1 : next(fd, bytes, size, at);
}

int poll(struct pollfd *fds, nfds_t count, int timeout)
{
	NEXT(poll);
	return fails_with(INTERRUPTED, EINTR) ? -1 : next(fds, count, timeout);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	NEXT(waitpid);
	return fails_with(INTERRUPTED, EINTR) ? -1 : next(pid, status, options);
}

/* ---- descriptors -------------------------------------------------------------------------- */

int open(const char *path, int flags, ...)
{
	va_list arguments;
	unsigned mode;

	NEXT(open);
	va_start(arguments, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, unsigned) : 0;
	va_end(arguments);
	return fails_with(DESCRIPTORS, EMFILE) ? -1 : next(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	return fails_with(DESCRIPTORS, EMFILE) ? NULL : next(path, mode);
}

int mkostemp(char *pattern, int flags)
{
	NEXT(mkostemp);
	return fails_with(DESCRIPTORS, EMFILE) ? -1 : next(pattern, flags);
}

int pipe2(int ends[2], int flags)
{
	NEXT(pipe2);
	return fails_with(DESCRIPTORS, EMFILE) ? -1 : next(ends, flags);
}

int memfd_create(const char *name, unsigned flags)
{
	NEXT(memfd_create);
	return fails_with(DESCRIPTORS, EMFILE) ? -1 : next(name, flags);
}

int fcntl(int fd, int command, ...)
{
	va_list arguments;
	long argument;

	NEXT(fcntl);
	va_start(arguments, command);
	argument = va_arg(arguments, long);
	va_end(arguments);
	if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fails_with(DESCRIPTORS, EMFILE))
		return -1;
	return next(fd, command, argument);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
