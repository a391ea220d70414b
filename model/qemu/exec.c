/* SPDX-License-Identifier: Apache-2.0 */
#include "qemu/exec.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "qemu/guest.h"

#define WORDS_MAX (1u << 16)   /* of an argument list or an environment */
#define WORD_MAX  (128u << 10) /* bytes of one; Linux's own limit */

static unsigned own_prefix;
static int inherited[EXEC_INHERITED] = {-1, -1, -1};

/* The descriptors a QEMU that counts needs stay open across exec, or do not. */
static void keep_on_exec(bool keep)
{
	for (int i = 0; i < EXEC_INHERITED; i++)
		if (inherited[i] >= 0)
			fcntl(inherited[i], F_SETFD, keep ? 0 : FD_CLOEXEC);
}

void exec_set_up(unsigned prefix, const int descriptors[EXEC_INHERITED])
{
	own_prefix = prefix;
	for (int i = 0; i < EXEC_INHERITED; i++)
		inherited[i] = descriptors[i];
	keep_on_exec(false);
}

static bool is_aarch64_program(const char *path)
{
	Elf64_Ehdr header;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = false;

	if (fd >= 0) {
		is = read(fd, &header, sizeof(header)) == sizeof(header) &&
		     !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
		     header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_AARCH64 &&
		     access(path, X_OK) == 0;
		close(fd);
	}
	return is;
}

/* A list of words of its own that grows, NULL-ended: an argument list or an environment. */
struct words {
	char **list; /* WORDS_MAX of them */
	size_t count;
};

/* False when there is no room for one more: the end's NULL and a few words of our own fit behind.
 */
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

/* QEMU's own command line, as the kernel has it: its size, 0 if it cannot be read. */
static size_t read_command_line(char *line, size_t size)
{
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return 0;
	while (used < size && (got = read(fd, line + used, size - used)) > 0)
		used += (size_t)got;
	close(fd);
	return used;
}

/* Appends QEMU's own words; without those that load the plugin, unless it is to count. */
static bool add_prefix(struct words *words, bool counted)
{
	static char line[1u << 20];
	size_t size = read_command_line(line, sizeof(line));
	bool after_plugin = false;
	char *at = line;

	for (unsigned i = 0; i < own_prefix; i++) {
		char *end = memchr(at, '\0', (size_t)(line + size - at));
		bool is_plugin;

		if (!end)
			return false;
		is_plugin = !strcmp(at, "-plugin");
		if ((counted || !(is_plugin || after_plugin)) && !add_word(words, at))
			return false;
		after_plugin = is_plugin;
		at = end + 1;
	}
	return true;
}

/* Appends "-0 NAME PROGRAM", where NAME is what the guest calls the program: its argv[0]. */
static bool add_program(struct words *words, const char *program, uint64_t argv)
{
	uint64_t first;

	if (!guest_read(argv, &first, sizeof(first)))
		return false;
	return add_word(words, "-0") &&
	       (first ? add_guest_word(words, first) : add_word(words, program)) &&
	       add_word(words, program);
}

/* Becomes the new QEMU. Returns if that fails. */
static void exec_command(const struct words *command, const struct words *environment, bool counted)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return;
	self[length] = '\0';
	keep_on_exec(counted);
	execve(self, command->list, environment->list);
	keep_on_exec(false);
}

void exec_under_qemu(uint64_t path, uint64_t argv, uint64_t envp, bool counted)
{
	struct words command = {0}, environment = {0};
	char program[PATH_MAX];

	if (!guest_read_string(path, program, sizeof(program)) || !is_aarch64_program(program))
		return;
	command.list = calloc(WORDS_MAX, sizeof(*command.list));
	environment.list = calloc(WORDS_MAX, sizeof(*environment.list));
	if (command.list && environment.list && add_prefix(&command, counted) &&
	    add_program(&command, program, argv) && add_guest_list(&command, argv, 1) &&
	    (!envp || add_guest_list(&environment, envp, 0)))
		exec_command(&command, &environment, counted);
	free_words(&command);
	free_words(&environment);
}
