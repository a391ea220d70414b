/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/qemu.h"

#include "base/diagnostics.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/quote.h"

/* A program that does not answer within this time is not QEMU. */
#define ANSWER_MS 10000
/* The first QEMU with plugins that can do what the model needs. */
#define MAJOR_MIN 6

/* ---- hints -------------------------------------------------------------------------------- */

/* Finds the value of a line "KEY=value" or `KEY="value"` of os-release(5). NULL: none. */
static const char *value_of(char *line, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0 || line[length] != '=')
		return NULL;
	line += length + 1;
	line += *line == '"' || *line == '\'';
	line[strcspn(line, "\"'\n")] = '\0';
	return line;
}

static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (; *text; text += strcspn(text, " "), text += strspn(text, " "))
		if (strcspn(text, " ") == length && strncmp(text, word, length) == 0)
			return true;
	return false;
}

/* The parts of os-release(5) that tell which packages exist. */
struct system {
	bool debian, like_debian;
	long version;
};

static struct system read_system(const char *os_release)
{
	struct system system = {0};
	FILE *file = fopen(os_release, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		const char *value;

		if ((value = value_of(line, "ID")))
			system.debian = strcmp(value, "debian") == 0;
		else if ((value = value_of(line, "ID_LIKE")))
			system.like_debian = has_word(value, "debian");
		else if ((value = value_of(line, "VERSION_ID")))
			system.version = strtol(value, NULL, 10);
	}
	if (file)
		fclose(file);
	return system;
}

#define BUILD_IT                                                                                \
	"build an engine: scripts/build-engine in Plumb's source tree; if plumb is installed, " \
	"also make install"
#define OR_BUILD_IT \
	" or, if that does not support plugins, scripts/build-engine in Plumb's source tree"

const char *qemu_hint(const char *os_release, enum qemu_packaged packaged)
{
	const struct system system = read_system(os_release);

	/* Debian 13's qemu-user is linked statically, so it cannot load plugins. */
	if (system.debian && system.version == 12)
		return packaged == QEMU_ABSENT ? "run apt-get install qemu-user"
					       : "run apt-get install --reinstall qemu-user";
	if (system.debian && (system.version == 0 || system.version > 12))
		return BUILD_IT;
	if (system.like_debian && packaged == QEMU_ABSENT)
		return "run apt-get install qemu-user" OR_BUILD_IT;
	if (system.like_debian && packaged == QEMU_BROKEN)
		return "run apt-get install --reinstall qemu-user" OR_BUILD_IT;
	if (system.like_debian)
		return BUILD_IT;
	return "see \"On other systems\" in Plumb's README.md";
}

const char *qemu_newer_hint(const char *os_release)
{
	const struct system system = read_system(os_release);

	if (!system.debian || system.version != 12)
		return NULL;
	return "build QEMU 10: scripts/build-engine trixie in Plumb's source tree; if plumb is "
	       "installed, also make install";
}

const struct qemu_system *qemu_this_system(void)
{
	static const struct qemu_system etc = {"/usr/bin/qemu-aarch64", "/etc/os-release"};
	static const struct qemu_system usr = {"/usr/bin/qemu-aarch64", "/usr/lib/os-release"};

	return access(etc.os_release, R_OK) == 0 ? &etc : &usr;
}

/* ---- asking ------------------------------------------------------------------------------- */

/* Runs a program with one option, and reads what it prints, also on standard error. */
struct answer {
	char text[32768]; /* cut off there */
	int error;        /* an errno value if it could not be run or did not end; otherwise 0 */
	int status;       /* as waitpid() gives it */
};

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Reads until the other end is closed, the time is over, or `answer` is full. */
static void read_answer(int fd, struct answer *answer)
{
	const long long until = now_ms() + ANSWER_MS;
	struct pollfd end = {.fd = fd, .events = POLLIN};
	size_t used = 0;

	while (used < sizeof(answer->text) - 1) {
		long long left = until - now_ms();
		ssize_t got;

		if (left <= 0) {
			answer->error = ETIMEDOUT;
			break;
		}
		if (poll(&end, 1, (int)left) <= 0)
			continue;
		got = read(fd, answer->text + used, sizeof(answer->text) - 1 - used);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	answer->text[used] = '\0';
}

static void ask(const char *path, const char *option, struct answer *answer)
{
	char *argv[] = {(char *)(uintptr_t)path, (char *)(uintptr_t)option, NULL};
	posix_spawn_file_actions_t actions;
	bool stopped;
	int ends[2];
	pid_t pid;

	*answer = (struct answer){0};
	if (pipe2(ends, O_CLOEXEC)) {
		answer->error = errno;
		return;
	}
	posix_spawn_file_actions_init(&actions);
	/* Without one of them, QEMU would be there and have said nothing. */
	answer->error =
		posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!answer->error)
		answer->error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	if (!answer->error)
		answer->error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	if (!answer->error)
		answer->error = posix_spawn(&pid, path, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!answer->error) {
		read_answer(ends[0], answer);
		stopped = answer->error || strlen(answer->text) == sizeof(answer->text) - 1;
		/* It has printed enough, or has been silent for too long. */
		if (stopped)
			kill(pid, SIGKILL);
		while (waitpid(pid, &answer->status, 0) < 0 && errno == EINTR)
			;
		if (stopped)
			answer->status = 0;
	}
	close(ends[0]);
}

bool qemu_was_interrupted(int status)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

/* ---- judging ------------------------------------------------------------------------------ */

/* Parses "qemu-aarch64 version 7.2.22 (Debian ...)". */
static bool read_version(const char *text, struct qemu *qemu)
{
	static const char before[] = "qemu-aarch64 version ";
	char *end;

	if (strncmp(text, before, strlen(before)) != 0)
		return false;
	text += strlen(before);
	snprintf(qemu->version, sizeof(qemu->version), "%.*s", (int)strcspn(text, "\r\n"), text);
	if (!isdigit((unsigned char)*text))
		return false;
	qemu->major = (unsigned)strtoul(text, &end, 10);
	if (*end != '.' || !isdigit((unsigned char)end[1]))
		return false;
	qemu->minor = (unsigned)strtoul(end + 1, NULL, 10);
	return true;
}

/* Finds the plugin interface of a QEMU; model/qemu/qemu_plugin.h has the table. */
static unsigned interface_of(const struct qemu *qemu)
{
	if (qemu->major < 9)
		return 1;
	return qemu->major == 9 && qemu->minor == 0 ? 2 : 3;
}

/* QEMU has threads, which count as processes: without them it says so, and aborts. */
static bool lacks_process(const struct answer *answer)
{
	return answer->error == EAGAIN || strstr(answer->text, strerror(EAGAIN));
}

/* The dynamic loader does not say why it cannot map a library. */
static bool lacks_memory(const struct answer *answer)
{
	return answer->error == ENOMEM || strstr(answer->text, strerror(ENOMEM)) ||
	       strstr(answer->text, "failed to map segment");
}

/* Someone killed it, or a limit: it is not to blame. */
static bool was_killed(const struct answer *answer)
{
	const int number = WIFSIGNALED(answer->status) ? WTERMSIG(answer->status) : 0;

	return number == SIGKILL || number == SIGXCPU;
}

static void judge_crowd(const struct place *where, struct plumb_diagnostics *diagnostics)
{
	struct rlimit limit;

	diagnostics_add(diagnostics, PLUMB_ERROR, "no-process", where,
			"cannot start QEMU: no process or thread is left");
	if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		plumb_diagnostics_hint(diagnostics,
				       "this user may have %llu processes and threads at a time "
				       "(ulimit -u): raise the limit, or end some",
				       (unsigned long long)limit.rlim_cur);
}

/* Adds the reason why there was no answer, and returns the error. */
static int judge_silence(const struct answer *answer, const struct place *where,
			 struct plumb_diagnostics *diagnostics)
{
	const int e = answer->error;
	bool full = lacks_process(answer);
	/* Nothing that could be installed makes room for another process. */
	bool crowded =
		full || lacks_memory(answer) || e == EMFILE || e == ENFILE || was_killed(answer);

	if (full)
		judge_crowd(where, diagnostics);
	else if (answer->error == ETIMEDOUT)
		diagnostics_add(diagnostics, PLUMB_ERROR, "not-qemu", where,
				"QEMU does not answer within %d s", ANSWER_MS / 1000);
	else if (answer->error)
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-qemu", where, "cannot start QEMU: %s",
				strerror(answer->error));
	else if (WIFSIGNALED(answer->status))
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-qemu", where,
				"cannot start QEMU: signal %d ended it (%s)",
				WTERMSIG(answer->status), strsignal(WTERMSIG(answer->status)));
	else
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-qemu", where,
				"cannot start QEMU: status %d%s%.*s", WEXITSTATUS(answer->status),
				*answer->text ? ", " : "", (int)strcspn(answer->text, "\r\n"),
				answer->text);
	if (!full && lacks_memory(answer))
		plumb_diagnostics_hint(diagnostics,
				       "QEMU requires more memory: free some, or raise the limit "
				       "(ulimit -v)");
	else if (was_killed(answer))
		plumb_diagnostics_hint(
			diagnostics, "the limit of processor time (ulimit -t) or a lack of memory "
				     "does that");
	return crowded ? PLUMB_ERR_BUSY : PLUMB_ERR_MACHINE;
}

/*
 * Checks whether the QEMU at qemu->path can run the model. Returns 0 with the versions filled in,
 * or an error.
 */
static int judge(struct qemu *qemu, struct answer *answer, struct plumb_diagnostics *diagnostics)
{
	const struct place where = {.file = qemu->path};

	ask(qemu->path, "--version", answer);
	if (qemu_was_interrupted(answer->status))
		return PLUMB_ERR_INTERRUPTED;
	if (answer->error || (answer->status && !read_version(answer->text, qemu)))
		return judge_silence(answer, &where, diagnostics);
	if (!read_version(answer->text, qemu)) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "not-qemu", &where,
				"not qemu-aarch64: it answers with another name");
		return PLUMB_ERR_MACHINE;
	}
	if (qemu->major < MAJOR_MIN) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "old-qemu", &where,
				"QEMU %u.%u is too old: the model requires %u.0 or later",
				qemu->major, qemu->minor, MAJOR_MIN);
		return PLUMB_ERR_MACHINE;
	}
	ask(qemu->path, "--help", answer);
	if (qemu_was_interrupted(answer->status))
		return PLUMB_ERR_INTERRUPTED;
	if (answer->error)
		return judge_silence(answer, &where, diagnostics);
	if (!strstr(answer->text, "-plugin ")) {
		diagnostics_add(diagnostics, PLUMB_ERROR, "no-plugins", &where,
				"QEMU %u.%u does not support plugins, which the model "
				"requires",
				qemu->major, qemu->minor);
		return PLUMB_ERR_MACHINE;
	}
	return 0;
}

/* ---- addresses ---------------------------------------------------------------------------- */

/*
 * How many bytes of addresses newer versions reserve for the program. They begin at a third of them
 * to place what the program maps, which makes that 0x5500000000: where older versions begin.
 */
#define RESERVED 0xff00000000

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)

/*
 * From 8.1 on, QEMU leaves it to the host's kernel where in its own memory the program's mappings
 * go, unless it has reserved addresses for the program. Then these are the same on every run.
 */
static const char *addresses_to_reserve(const struct qemu *qemu)
{
	void *probe;

	if (qemu->major < 9 || sizeof(size_t) < sizeof(uint64_t))
		return NULL;
	/* A limit of the process or of the host's CPU may forbid it; QEMU would not start. */
	probe = mmap(NULL, (size_t)RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		     -1, 0);
	if (probe == MAP_FAILED)
		return NULL;
	munmap(probe, (size_t)RESERVED);
	return TEXT(RESERVED);
}

/* ---- choosing ----------------------------------------------------------------------------- */

static int find_plugin(const char *folder, struct qemu *qemu, struct plumb_diagnostics *diagnostics)
{
	char name[QUOTE_ROOM];

	snprintf(qemu->plugin, sizeof(qemu->plugin), "%s/plumb-model-%u.so", folder,
		 interface_of(qemu));
	if (access(qemu->plugin, R_OK) == 0)
		return 0;
	plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-plugin", NULL,
			      "cannot read the model's plugin %s: %s", quote(name, qemu->plugin),
			      strerror(errno));
	plumb_diagnostics_hint(diagnostics, "install plumb again with make install");
	return PLUMB_ERR_MACHINE;
}

/* Tells the caller about one candidate; `refusal`: why it cannot run the model, or NULL. */
static void tell(const struct plumb_model_options *options, const struct qemu *qemu,
		 const struct plumb_diagnostic *refusal)
{
	const struct plumb_model_engine engine = {
		.path = qemu->path,
		.version = qemu->version,
		.refusal = refusal ? refusal->message : NULL,
	};

	if (options->engine)
		options->engine(options->user, &engine);
}

/* Tells the caller about the refused candidates from `first` on, up to but without `end`. */
static void tell_refused(const struct plumb_model_options *options, const struct qemu *asked,
			 const struct plumb_diagnostics *refusals, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		tell(options, &asked[i], plumb_diagnostics_get(refusals, i));
}

static void copy_refusal(struct plumb_diagnostics *to, const struct plumb_diagnostics *from,
			 size_t i)
{
	const struct plumb_diagnostic *refusal = plumb_diagnostics_get(from, i);

	if (!refusal)
		return;
	diagnostics_add(to, PLUMB_ERROR, refusal->id, &(struct place){.file = refusal->file}, "%s",
			refusal->message);
	if (refusal->hint)
		plumb_diagnostics_hint(to, "%s", refusal->hint);
}

static size_t count_engines(const char *const *engines)
{
	size_t count = 0;

	while (engines[count])
		count++;
	return count;
}

static bool same_file(const char *a, const char *b)
{
	struct stat one, other;

	return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* Tells from a refusal whether that engine is broken, or whole but not enough for the model. */
static enum qemu_packaged packaged_as(const struct plumb_diagnostic *refusal)
{
	return refusal && (strcmp(refusal->id, "no-plugins") == 0 ||
			   strcmp(refusal->id, "old-qemu") == 0)
		       ? QEMU_LIMITED
		       : QEMU_BROKEN;
}

/*
 * Finds out about the distribution's engine, which may be among the refused ones. If it was not
 * asked yet, because another one was requested or it is not in PATH, asks it now.
 */
static int ask_packaged(const char *path, const struct qemu *asked, size_t count,
			const struct plumb_diagnostics *refusals, struct answer *answer,
			enum qemu_packaged *packaged)
{
	struct plumb_diagnostics *again;
	struct qemu qemu = {.path = path};
	int error;

	*packaged = QEMU_ABSENT;
	if (access(path, F_OK) != 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (same_file(asked[i].path, path)) {
			*packaged = packaged_as(plumb_diagnostics_get(refusals, i));
			return 0;
		}
	again = plumb_diagnostics_new();
	if (!again)
		return PLUMB_ERR_NO_MEMORY;
	error = judge(&qemu, answer, again);
	*packaged = error == 0 ? QEMU_WORKS : packaged_as(plumb_diagnostics_get(again, 0));
	plumb_diagnostics_free(again);
	return error == PLUMB_ERR_INTERRUPTED ? error : 0;
}

/* None of the `count` engines can run the model: returns the first one's error. */
static int find_none(const struct qemu_system *system, const struct plumb_model_options *options,
		     const struct qemu *asked, const struct plumb_diagnostics *refusals,
		     size_t count, struct answer *answer, struct plumb_diagnostics *diagnostics)
{
	enum qemu_packaged packaged;
	int error = ask_packaged(system->packaged, asked, count, refusals, answer, &packaged);

	if (error < 0)
		return error;
	if (count) {
		copy_refusal(diagnostics, refusals, 0);
		tell_refused(options, asked, refusals, 1, count);
	} else {
		plumb_diagnostics_add(diagnostics, PLUMB_ERROR, "no-qemu", NULL,
				      "the model requires qemu-aarch64, which is not in PATH");
	}
	if (packaged == QEMU_WORKS)
		diagnostics_remedy(diagnostics, "use-engine", system->packaged, "use %s",
				   system->packaged);
	else
		plumb_diagnostics_hint(diagnostics, "%s", qemu_hint(system->os_release, packaged));
	return PLUMB_ERR_MACHINE;
}

int qemu_choose(const struct qemu_system *system, const struct plumb_model_options *options,
		struct qemu *qemu, struct plumb_diagnostics *diagnostics)
{
	const size_t count = count_engines(options->engines);
	struct plumb_diagnostics *refusals = plumb_diagnostics_new();
	struct qemu *asked = calloc(count + 1, sizeof(*asked));
	struct answer *answer = malloc(sizeof(*answer));
	int error = PLUMB_ERR_MACHINE;
	size_t i;

	if (!refusals || !asked || !answer) {
		error = PLUMB_ERR_NO_MEMORY;
		goto out;
	}
	for (i = 0; i < count && error == PLUMB_ERR_MACHINE; i++) {
		asked[i].path = options->engines[i];
		error = judge(&asked[i], answer, refusals);
	}
	if (error == 0) {
		*qemu = asked[i - 1];
		tell_refused(options, asked, refusals, 0, i - 1);
		tell(options, qemu, NULL);
		qemu->reserve = addresses_to_reserve(qemu);
		error = find_plugin(options->plugin_dir, qemu, diagnostics);
	} else if (error == PLUMB_ERR_BUSY) {
		/*
		 * This one might work if there were room for it; another one would count
		 * differently.
		 */
		tell_refused(options, asked, refusals, 0, i - 1);
		copy_refusal(diagnostics, refusals, i - 1);
	} else if (error == PLUMB_ERR_MACHINE) {
		error = find_none(system, options, asked, refusals, count, answer, diagnostics);
	}
out:
	free(answer);
	free(asked);
	plumb_diagnostics_free(refusals);
	return error;
}
