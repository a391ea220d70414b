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

void exec_set_up(unsigned prefix, const int descriptors[EXEC_INHERITED])
{
	own_prefix = prefix;
	for (int i = 0; i < EXEC_INHERITED; i++) {
		inherited[i] = descriptors[i];
		if (inherited[i] >= 0)
			fcntl(inherited[i], F_SETFD, FD_CLOEXEC);
	}
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

/* The guest's NULL-ended list of strings at `list` appended to `words`; false if unreadable. */
static bool read_list(uint64_t list, char **words, size_t *count, size_t skip)
{
	static char buffer[WORD_MAX];
	uint64_t at;

	for (size_t i = 0;; i++) {
		if (*count + 8 >= WORDS_MAX || !guest_read(list + 8 * i, &at, sizeof(at)))
			return false;
		if (!at)
			return true;
		if (i < skip)
			continue;
		if (!guest_read_string(at, buffer, sizeof(buffer)))
			return false;
		words[*count] = strdup(buffer);
		if (!words[(*count)++])
			return false;
	}
}

/* QEMU's own words, from the kernel, those of the plugin left out if it is not to count. */
static bool read_prefix(char **words, size_t *count, bool counted)
{
	static char line[1u << 20];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	ssize_t got;

	if (fd < 0)
		return false;
	while (size < sizeof(line) && (got = read(fd, line + size, sizeof(line) - size)) > 0)
		size += (size_t)got;
	close(fd);

	char *at = line;
	bool of_plugin = false; /* the word before was -plugin */

	for (unsigned i = 0; i < own_prefix; i++) {
		char *end = memchr(at, '\0', (size_t)(line + size - at));

		if (!end)
			return false;
		if (counted || (!of_plugin && strcmp(at, "-plugin") != 0))
			words[(*count)++] = at;
		of_plugin = !strcmp(at, "-plugin");
		at = end + 1;
	}
	return true;
}

void exec_under_qemu(uint64_t path, uint64_t argv, uint64_t envp, bool counted)
{
	char program[PATH_MAX], self[PATH_MAX];
	char **words, **environment;
	size_t count = 0, environment_count = 0;
	uint64_t first;
	ssize_t length;

	if (!guest_read_string(path, program, sizeof(program)) || !is_aarch64_program(program))
		return;
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	words = calloc(WORDS_MAX, sizeof(*words));
	environment = calloc(WORDS_MAX, sizeof(*environment));
	if (length < 0 || !words || !environment)
		goto fail;
	self[length] = '\0';
	if (!read_prefix(words, &count, counted))
		goto fail;
	words[count++] = (char *)(uintptr_t) "-0";
	if (!guest_read(argv, &first, sizeof(first)))
		goto fail;
	if (first) {
		static char name[WORD_MAX];

		if (!guest_read_string(first, name, sizeof(name)))
			goto fail;
		words[count++] = name;
	} else {
		words[count++] = program;
	}
	words[count++] = program;
	if (!read_list(argv, words, &count, 1) ||
	    (envp && !read_list(envp, environment, &environment_count, 0)))
		goto fail;
	for (int i = 0; counted && i < EXEC_INHERITED; i++)
		if (inherited[i] >= 0)
			fcntl(inherited[i], F_SETFD, 0);
	execve(self, words, environment);
	for (int i = 0; i < EXEC_INHERITED; i++)
		if (inherited[i] >= 0)
			fcntl(inherited[i], F_SETFD, FD_CLOEXEC);
fail:
	/* What was copied is left to the process: this happens once, if ever, in its life. */
	free(words);
	free(environment);
}
