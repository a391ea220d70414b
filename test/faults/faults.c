/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes one call fail, in the process whose program FAULTS_OF names and in none that it starts:
 * load it with LD_PRELOAD. FAULTS_KIND says what fails (`kinds` below), FAULTS_CALL which call of
 * that kind: 1 is the first after main() began. When it has failed, the file FAULTS_MARK is made;
 * if it is not there at the end, there were fewer calls. The file FAULTS_PLACES, if it is named,
 * gets eight bytes for each call: who called, and who called that, as a number.
 *
 * Calls that the C library makes by itself are out of reach, but for those of malloc(): that is how
 * stdio writes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { NOTHING, MEMORY, SHORT, INTERRUPTED, FULL, DESCRIPTORS, KILLED };

static const char *const kinds[] = {
	[MEMORY] = "malloc", [SHORT] = "short",        [INTERRUPTED] = "EINTR",
	[FULL] = "ENOSPC",   [DESCRIPTORS] = "EMFILE", [KILLED] = "SIGKILL",
};

static enum kind kind;
static long wanted;
static atomic_long calls;
static pid_t owner;
static char mark[PATH_MAX];
static int places = -1;

/* The C library's own, which need no looking up: that would allocate. AddressSanitizer's, if any.
 */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__interceptor_malloc(size_t size) __attribute__((weak));
extern void *__interceptor_calloc(size_t count, size_t size) __attribute__((weak));
extern void *__interceptor_realloc(void *old, size_t size) __attribute__((weak));

__attribute__((constructor)) static void set_up(void)
{
	const char *of = getenv("FAULTS_OF"), *what = getenv("FAULTS_KIND");
	const char *call = getenv("FAULTS_CALL"), *file = getenv("FAULTS_MARK");
	const char *list = getenv("FAULTS_PLACES");
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0 || !of || !what || !call || !file)
		return;
	self[length] = '\0';
	if (strcmp(self, of) != 0)
		return;
	snprintf(mark, sizeof(mark), "%s", file);
	if (list) {
		places = (int)syscall(SYS_openat, AT_FDCWD, list,
				      O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
		/* The first time it allocates, which is not to be counted. */
		(void)backtrace((void *[1]){NULL}, 1);
	}
	owner = getpid();
	wanted = strtol(call, NULL, 10);
	for (size_t i = MEMORY; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(kinds[i], what, strlen(kinds[i])) == 0)
			kind = (enum kind)i;
}

/* Writes down who calls. */
static void note_place(void)
{
	void *callers[32];
	uint64_t place = 1;

	if (places < 0)
		return;
	for (int i = backtrace(callers, sizeof(callers) / sizeof(*callers)) - 1; i >= 0; i--)
		place = (place ^ (uintptr_t)callers[i]) * UINT64_C(0x100000001b3);
	(void)!syscall(SYS_write, places, &place, sizeof(place));
}

/* LLVM, which is C++ without exceptions, ends the process if memory runs out: it is left alone. */
static bool is_llvm(const void *caller)
{
	static const char *const names[] = {"libLLVM", "libstdc++"};
	Dl_info info;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strstr(info.dli_fname, names[i]))
			return true;
	return false;
}

/* Returns whether this call, which is of the kind, is the one to fail. */
static bool fails(enum kind of)
{
	int error = errno;
	long fd;

	if (of != kind || getpid() != owner)
		return false;
	note_place();
	if (atomic_fetch_add(&calls, 1) + 1 != wanted)
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

#define MEMORY_FAILS \
	(kind == MEMORY && !is_llvm(__builtin_return_address(0)) && fails_with(MEMORY, ENOMEM))

void *malloc(size_t size)
{
	if (MEMORY_FAILS)
		return NULL;
	return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (MEMORY_FAILS)
		return NULL;
	return __interceptor_calloc ? __interceptor_calloc(count, size)
				    : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	if (MEMORY_FAILS)
		return NULL;
	return __interceptor_realloc ? __interceptor_realloc(old, size) : __libc_realloc(old, size);
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

static bool is_killed(int fd)
{
	return fd != STDERR_FILENO && fails(KILLED);
}

/* What is written before: half of it, but of a page of the file all or nothing, as Linux has it. */
static size_t written_before(size_t size, off_t at)
{
	off_t end = (at + (off_t)(size / 2)) / 4096 * 4096;

	return end > at ? (size_t)(end - at) : 0;
}

static ssize_t killed(ssize_t written)
{
	raise(SIGKILL);
	return written;
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	NEXT(write);
	if (is_killed(fd))
		return killed(0);
	return write_fails(fd) ? -1 : next(fd, bytes, written_at_most(fd, size));
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	NEXT(pwrite);
	if (is_killed(fd))
		return killed(next(fd, bytes, written_before(size, at), at));
	return write_fails(fd) ? -1 : next(fd, bytes, written_at_most(fd, size), at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	NEXT(writev);
	if (is_killed(fd))
		return killed(0);
	if (write_fails(fd))
		return -1;
	if (count > 0 && written_at_most(fd, parts[0].iov_len) != parts[0].iov_len)
		return write(fd, parts[0].iov_base, parts[0].iov_len / 2);
	return next(fd, parts, count);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	NEXT(pwritev);
	if (count > 0 && is_killed(fd))
		return killed(
			pwrite(fd, parts[0].iov_base, written_before(parts[0].iov_len, at), at));
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
