/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/exec.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "qemu/guest.h"

#define WORDS_MAX     (1u << 16)   /* of an argument list or an environment */
#define WORD_MAX      (128u << 10) /* bytes of one; Linux's own limit */
#define SCRIPT_LINE   256          /* of a script's first line, as in the kernel */
#define DEPTH_MAX     4            /* scripts interpreted by scripts, as in the kernel */
#define IDLE_OPTION   ",idle=1"    /* for a plugin that does not count */
#define BECAME_OPTION ",became=1"  /* for one that counts on, in what the program has become */

static unsigned own_prefix;
static const struct share *own_share;
static struct model_shared *own_shared;
static char engine[PATH_MAX], own_program[PATH_MAX];
static struct stat own_plugin; /* this plugin's file, as it was when it was loaded */
static const char *own_plugin_path;
static char own_line[1u << 20];
static size_t own_line_size;

/* What to run: an AArch64 program and, if a script named it, what comes before its arguments. */
struct target {
	char program[PATH_MAX];
	char *before[DEPTH_MAX * 2]; /* the last to be put first */
	size_t before_count;
	bool interpreted;
};

static size_t read_beginning(const char *path, void *bytes, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return 0;
	got = read(fd, bytes, size);
	close(fd);
	return got < 0 ? 0 : (size_t)got;
}

/* Reads QEMU's own command line from the kernel. */
static void read_command_line(void)
{
	int fd = open("/proc/thread-self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return;
	while (own_line_size < sizeof(own_line) &&
	       (got = read(fd, own_line + own_line_size, sizeof(own_line) - own_line_size)) > 0)
		own_line_size += (size_t)got;
	close(fd);
}

/* Returns the program's path, which follows QEMU's own options, "-0" and argv[0]. */
static void find_own_program(void)
{
	const char *at = own_line;

	for (unsigned i = 0; i < own_prefix + 2; i++) {
		const char *end = memchr(at, '\0', (size_t)(own_line + own_line_size - at));

		if (!end)
			return;
		at = end + 1;
	}
	if (!realpath(at, own_program))
		own_program[0] = '\0';
}

static void find_own_plugin(void)
{
	Dl_info info;

	if (dladdr(&own_plugin, &info) && info.dli_fname && stat(info.dli_fname, &own_plugin) == 0)
		own_plugin_path = info.dli_fname;
}

/*
 * Returns whether a new QEMU would load the same plugin. It refuses to start with one that it
 * cannot read, and another version's does not know these words.
 */
static bool plugin_in_reach(void)
{
	struct stat now;

	return own_plugin_path && access(own_plugin_path, R_OK) == 0 &&
	       stat(own_plugin_path, &now) == 0 && now.st_dev == own_plugin.st_dev &&
	       now.st_ino == own_plugin.st_ino && now.st_size == own_plugin.st_size &&
	       now.st_mtim.tv_sec == own_plugin.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == own_plugin.st_mtim.tv_nsec;
}

void exec_set_up(unsigned prefix, const struct share *share, struct model_shared *shared)
{
	ssize_t length = readlink("/proc/thread-self/exe", engine, sizeof(engine) - 1);

	engine[length > 0 ? length : 0] = '\0';
	own_prefix = prefix;
	own_share = share;
	own_shared = shared;
	find_own_plugin();
	read_command_line();
	find_own_program();
}

/* ---- What a path leads to ---------------------------------------------------------------------
 */

/* Returns what follows "/proc/self", or another name of that folder; or NULL. */
static const char *in_own_proc(const char *path)
{
	char own[32];
	const char *const names[] = {"/proc/self", "/proc/thread-self", own};

	snprintf(own, sizeof(own), "/proc/%d", getpid());
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t length = strlen(names[i]);

		if (strncmp(path, names[i], length) == 0 && path[length] == '/')
			return path + length;
	}
	return NULL;
}

/* Returns the descriptor that a path names: "/proc/self/fd/7" or "/dev/fd/7"; or -1. */
static int named_descriptor(const char *path)
{
	const char *rest = in_own_proc(path);
	char *end;
	long fd;

	if (!rest && strncmp(path, "/dev/fd/", 8) == 0)
		rest = path + 4;
	if (!rest || strncmp(rest, "/fd/", 4) != 0)
		return -1;
	fd = strtol(rest + 4, &end, 10);
	return *end || end == rest + 4 || fd < 0 || fd > INT_MAX ? -1 : (int)fd;
}

/*
 * The kernel would run what a descriptor is open on; QEMU opens it when a descriptor that is to be
 * closed on exec is gone. Puts the file's name instead; what has none must stay open.
 */
static void replace_descriptor(char path[PATH_MAX], int fd)
{
	struct stat by_fd, by_name;
	char name[PATH_MAX];
	ssize_t length = readlink(path, name, sizeof(name) - 1);

	if (length > 0) {
		name[length] = '\0';
		if (fstat(fd, &by_fd) == 0 && stat(name, &by_name) == 0 &&
		    by_fd.st_dev == by_name.st_dev && by_fd.st_ino == by_name.st_ino) {
			memcpy(path, name, (size_t)length + 1);
			return;
		}
	}
	fcntl(fd, F_SETFD, 0);
}

/* Follows the names that mean the program itself or one of its descriptors. */
static void replace_own_names(char path[PATH_MAX])
{
	const char *rest = in_own_proc(path);
	int fd = named_descriptor(path);

	if (rest && strcmp(rest, "/exe") == 0 && own_program[0])
		memcpy(path, own_program, sizeof(own_program));
	else if (fd >= 0)
		replace_descriptor(path, fd);
}

static bool is_aarch64_elf(const void *bytes, size_t size)
{
	Elf64_Ehdr header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	return !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
	       header.e_machine == EM_AARCH64;
}

/* Splits "#! INTERPRETER [ARGUMENT]", the argument being the rest of the line. */
static char *split_line(char *line, char **argument)
{
	char *interpreter = line + 2 + strspn(line + 2, " \t"), *end;

	line[strcspn(line, "\n")] = '\0';
	end = line + strlen(line);
	while (end > interpreter && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	*argument = interpreter + strcspn(interpreter, " \t");
	if (**argument) {
		*(*argument)++ = '\0';
		*argument += strspn(*argument, " \t");
	}
	return interpreter;
}

/* Finds what runs `target->program`. Returns false if the kernel has to run or to refuse it. */
static bool find_program(struct target *target)
{
	for (unsigned depth = 0; depth <= DEPTH_MAX; depth++) {
		char line[SCRIPT_LINE + 1] = "", *interpreter, *argument;
		size_t size;

		replace_own_names(target->program);
		size = read_beginning(target->program, line, SCRIPT_LINE);
		if (access(target->program, X_OK) != 0)
			return false;
		if (is_aarch64_elf(line, size))
			return true;
		if (size < 3 || memcmp(line, "#!", 2) != 0 || depth == DEPTH_MAX)
			return false;
		interpreter = split_line(line, &argument);
		if (!*interpreter)
			return false;
		target->before[target->before_count++] = strdup(target->program);
		if (*argument)
			target->before[target->before_count++] = strdup(argument);
		snprintf(target->program, sizeof(target->program), "%s", interpreter);
		target->interpreted = true;
	}
	return false;
}

/* ---- The new command line ---------------------------------------------------------------------
 */

/* A growing list of words, ended by NULL: an argument list or an environment. */
struct words {
	char **list; /* WORDS_MAX of them */
	size_t count;
};

/* Returns false if there is no room for one more, and for the end's NULL and a few words of our
 * own. */
static bool add_word(struct words *words, const char *word)
{
	char *copy;

	if (words->count + 8 >= WORDS_MAX)
		return false;
	copy = strdup(word);
	if (!copy)
		return false;
	words->list[words->count++] = copy;
	return true;
}

static bool add_guest_word(struct words *words, uint64_t address)
{
	static char buffer[WORD_MAX];

	return guest_read_string(address, buffer, sizeof(buffer)) && add_word(words, buffer);
}

static void free_words(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->list[i]);
	free(words->list);
}

/* Appends the guest's NULL-ended list of strings at `list`, without its first `skip`. */
static bool add_guest_list(struct words *words, uint64_t list, size_t skip)
{
	uint64_t at;

	for (size_t i = 0;; i++) {
		if (!guest_read(list + 8 * i, &at, sizeof(at)))
			return false;
		if (!at)
			return true;
		if (i >= skip && !add_guest_word(words, at))
			return false;
	}
}

/* Appends the plugin and its words, for one that counts on or does not; or none out of reach. */
static bool add_plugin(struct words *words, const char *text, bool counted)
{
	const char *option = counted ? BECAME_OPTION : IDLE_OPTION;
	char *all = NULL;
	bool added;

	if (!plugin_in_reach())
		return true;
	if (!add_word(words, "-plugin"))
		return false;
	if (strstr(text, option))
		return add_word(words, text);
	if (asprintf(&all, "%s%s", text, option) < 0)
		return false;
	added = add_word(words, all);
	free(all);
	return added;
}

/* Appends QEMU's own words. */
static bool add_prefix(struct words *words, bool counted)
{
	bool after_plugin = false;
	const char *at = own_line;

	for (unsigned i = 0; i < own_prefix; i++) {
		const char *end = memchr(at, '\0', (size_t)(own_line + own_line_size - at));
		bool is_plugin = !after_plugin && !strcmp(at, "-plugin");

		if (!end || (after_plugin && !add_plugin(words, at, counted)) ||
		    (!after_plugin && !is_plugin && !add_word(words, at)))
			return false;
		after_plugin = is_plugin;
		at = end + 1;
	}
	return true;
}

/*
 * Appends "-0 NAME PROGRAM", where NAME is what the guest calls the program, its argv[0], and what
 * a script puts before the other arguments.
 */
static bool add_program(struct words *words, const struct target *target, uint64_t argv)
{
	uint64_t first;

	if (!guest_read(argv, &first, sizeof(first)))
		return false;
	if (!add_word(words, "-0") ||
	    !(first && !target->interpreted ? add_guest_word(words, first)
					    : add_word(words, target->program)) ||
	    !add_word(words, target->program))
		return false;
	for (size_t i = target->before_count; i > 0; i--)
		if (!add_word(words, target->before[i - 1]))
			return false;
	return true;
}

/* Tells the reader what could not be run, so that it can report it. */
static void note_refused(const char *program)
{
	uint32_t free = 0;

	if (!own_shared || !atomic_compare_exchange_strong(&own_shared->refused, &free, 1))
		return;
	snprintf(own_shared->refused_name, sizeof(own_shared->refused_name), "%s", program);
	atomic_store(&own_shared->refused, 2);
}

/* Becomes the new QEMU. Returns only if that fails. */
static void become(struct target *target, uint64_t argv, uint64_t envp, bool counted)
{
	struct words command = {0}, environment = {0};
	bool in_reach = !counted || share_in_reach(own_share);

	if (access(engine, X_OK) != 0) {
		note_refused(target->program);
		return;
	}
	command.list = calloc(WORDS_MAX, sizeof(*command.list));
	environment.list = calloc(WORDS_MAX, sizeof(*environment.list));
	if (command.list && environment.list && add_prefix(&command, counted && in_reach) &&
	    add_program(&command, target, argv) && add_guest_list(&command, argv, 1) &&
	    (!envp || add_guest_list(&environment, envp, 0))) {
		/* Until the new plugin counts: whatever may keep it from that. */
		if (counted && own_shared)
			atomic_fetch_add(&own_shared->uncounted_execs, 1);
		execve(engine, command.list, environment.list);
		if (counted && own_shared)
			atomic_fetch_sub(&own_shared->uncounted_execs, 1);
	}
	free_words(&command);
	free_words(&environment);
}

static void run_target(struct target *target, uint64_t argv, uint64_t envp, bool counted)
{
	if (find_program(target))
		become(target, argv, envp, counted);
	for (size_t i = 0; i < target->before_count; i++)
		free(target->before[i]);
	free(target);
}

void exec_under_qemu(uint64_t path, uint64_t argv, uint64_t envp, bool counted)
{
	exec_at_under_qemu(AT_FDCWD, path, argv, envp, 0, counted);
}

void exec_at_under_qemu(int folder, uint64_t path, uint64_t argv, uint64_t envp, int flags,
			bool counted)
{
	struct target *target = calloc(1, sizeof(*target));
	char *program = target ? target->program : NULL, name[PATH_MAX];
	int length = 0;

	if (!target || !guest_read_string(path, name, sizeof(name)) || flags & ~AT_EMPTY_PATH ||
	    (!*name && !(flags & AT_EMPTY_PATH))) {
		free(target);
		return;
	}
	if (!*name)
		length = snprintf(program, PATH_MAX, "/proc/self/fd/%d", folder);
	else if (*name == '/' || folder == AT_FDCWD)
		length = snprintf(program, PATH_MAX, "%s", name);
	else
		length = snprintf(program, PATH_MAX, "/proc/self/fd/%d/%s", folder, name);
	if (length < PATH_MAX)
		run_target(target, argv, envp, counted);
	else
		free(target);
}
