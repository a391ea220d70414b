/* SPDX-License-Identifier: Apache-2.0 */
#include "source/model/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text_stream.h"

/* QEMU's own options, before the program and its arguments. */
#define OWN_WORDS 16

static bool has_sysroot(const struct model_command_parts *parts)
{
	return parts->sysroot && strcmp(parts->sysroot, "/") != 0;
}

/*
 * Tells whether the loader would find the machine's own libraries rather than the sysroot's: if it
 * has some for AArch64, and lists them in its cache, where a sysroot without a cache has none. A
 * loader and a C library of two packages may not work together.
 */
static bool mixes_libraries(const struct model_command_parts *parts)
{
	bool mixes;
	char *cache;

	if (!has_sysroot(parts) || !*parts->program->interpreter ||
	    access(parts->program->interpreter, F_OK) != 0 ||
	    asprintf(&cache, "%s/etc/ld.so.cache", parts->sysroot) < 0)
		return false;
	mixes = access(cache, F_OK) != 0;
	free(cache);
	return mixes;
}

/* The program's folders of libraries, which QEMU finds in the sysroot. NULL: out of memory. */
static char *library_path(void)
{
	static const char folders[] = "/lib:/usr/lib", name[] = "LD_LIBRARY_PATH=";
	const char *given = NULL;
	char *path;

	/* The program has this process's environment. */
	for (char **word = environ; *word && !given; word++)
		if (strncmp(*word, name, strlen(name)) == 0)
			given = *word + strlen(name);

	/* QEMU splits variables at commas. */
	if (given && (!*given || strchr(given, ',')))
		given = NULL;
	if (asprintf(&path, "%s%s%s%s", name, given ? given : "", given ? ":" : "", folders) < 0)
		return NULL;
	return path;
}

/* QEMU splits a plugin's options at commas; a doubled comma stands for one. */
static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == ',')
			fputc(',', out);
		fputc(*text, out);
	}
}

/* The number of words in argv before the program's own. */
static unsigned words_before(const struct model_command_parts *parts)
{
	return 7u + 2u * has_sysroot(parts) + 2u * (parts->qemu->reserve != NULL) +
	       2u * mixes_libraries(parts);
}

static void put_place(FILE *out, const char *name, const struct model_place *place)
{
	if (place->value)
		fprintf(out, ",%s%s=%llu", name, place->in_file ? "-offset" : "",
			(unsigned long long)place->value);
}

static void put_window(FILE *out, const struct model_command_parts *parts)
{
	const struct model_window_request *window = parts->window;
	const unsigned long long cycles_in_ms = 1000ull * parts->core->frequency_mhz;

	put_place(out, "from", &window->from);
	put_place(out, "to", &window->to);
	if (window->delay_ms)
		fprintf(out, ",delay=%llu", cycles_in_ms * window->delay_ms);
	if (window->timeout_ms)
		fprintf(out, ",timeout=%llu", cycles_in_ms * window->timeout_ms);
	if (window->max_instructions)
		fprintf(out, ",instructions=%llu", (unsigned long long)window->max_instructions);
}

/* Formats the plugin's path and arguments. NULL: out of memory. */
static char *plugin_words(const struct model_command_parts *parts)
{
	const struct program *program = parts->program;
	char *text = NULL;
	size_t size;
	FILE *out = text_stream(&text, &size);

	if (!out)
		return NULL;
	put_escaped(out, parts->qemu->plugin);
	fprintf(out, ",core=%s,reader=%d,key=%llu,shared=%d,prefix=%u,children=%d",
		parts->core->name, getpid(), (unsigned long long)parts->key, parts->shared_fd,
		words_before(parts), parts->children);
	if (parts->interval_ms)
		fprintf(out, ",interval=%llu",
			1000ull * parts->core->frequency_mhz * parts->interval_ms);
	if (parts->seed)
		fprintf(out, ",seed=%llu", (unsigned long long)parts->seed);
	if (parts->sampled)
		fprintf(out, ",sampled=%u,resets=%d", parts->sampled, parts->qemu->major >= 10);
	if (parts->sampled_after)
		fprintf(out, ",sampled-after=%llu", (unsigned long long)parts->sampled_after);
	if (parts->what_if)
		fprintf(out, ",what-if=%u", parts->what_if);
	if (parts->page_bytes)
		fprintf(out, ",page=%u", parts->page_bytes);
	if (parts->huge_pages)
		fprintf(out, ",huge=1");
	if (parts->conditions.page_fault_cycles)
		fprintf(out, ",page-fault=%u", parts->conditions.page_fault_cycles);
	if (parts->conditions.system_call_cycles)
		fprintf(out, ",system-call=%u", parts->conditions.system_call_cycles);
	if (parts->conditions.wrong_path_loads)
		fprintf(out, ",wrong-loads=1");
	if (parts->reference)
		fprintf(out, ",reference=1");
	if (parts->host_threads)
		fprintf(out, ",threads=%u", parts->host_threads);
	if (parts->mark_call)
		fprintf(out, ",mark=%u", parts->mark_call);
	if (parts->sampling_fd >= 0)
		fprintf(out, ",sampling=%d", parts->sampling_fd);
	fprintf(out, ",begins=%llu,inode=%llu", (unsigned long long)program->begins,
		(unsigned long long)program->inode);
	put_window(out, parts);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* Tells whether this QEMU is 7.1 or later, which has neoverse-n1 and can leave out SME. */
static bool is_7_1(const struct qemu *qemu)
{
	return qemu->major > 7 || (qemu->major == 7 && qemu->minor >= 1);
}

/* Tells whether this QEMU has its CPU `name`. */
static bool engine_has(const struct qemu *qemu, const char *name)
{
	/* Later than it has the last one: versions between two tested ones have other faults. */
	return qemu->major >= 9 || (is_7_1(qemu) && strcmp(name, "neoverse-n1") == 0);
}

/*
 * The CPU is QEMU's nearest to the core, under the core's name, or else the one that has
 * everything, with vectors of the core's length. PAuth's real cipher costs time and changes
 * nothing.
 */
static char *cpu_words(const struct model_command_parts *parts)
{
	const struct core_params *core = parts->core;
	const bool own = engine_has(parts->qemu, core->engine_cpu);
	char *text = NULL;
	size_t size;
	FILE *out = text_stream(&text, &size);

	if (!out)
		return NULL;
	fprintf(out, "%s,midr=0x%x", own ? core->engine_cpu : "max", core->midr);
	if (!own && core->sve)
		fprintf(out, ",sve-max-vq=%u", core->vector_bytes / 16u);
	else if (core->sve) /* the core may be a copy of QEMU's, with shorter ones */
		fprintf(out, ",sve-default-vector-length=%u", core->vector_bytes);
	if (!own && is_7_1(parts->qemu))
		fprintf(out, "%s,sme=off", core->sve ? "" : ",sve=off");
	if (!own || core->sve)
		fprintf(out, ",pauth-impdef=on");
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static size_t count_words(char *const *words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

/*
 * Shells pass the path of what they run in "_". It would differ in length if another command, such
 * as taskset, ran this one, and move the program's stack. Returns false if out of memory.
 */
static bool make_environment(struct model_command *command, const char *path)
{
	size_t n = 0;

	command->environment = calloc(count_words(environ) + 2, sizeof(*command->environment));
	if (asprintf(&command->underscore, "_=%s", path) < 0)
		command->underscore = NULL;
	if (!command->environment || !command->underscore)
		return false;
	for (char **word = environ; *word; word++)
		if (strncmp(*word, "_=", 2) != 0)
			command->environment[n++] = *word;
	command->environment[n] = command->underscore;
	return true;
}

bool model_command_make(struct model_command *command, const struct model_command_parts *parts)
{
	const size_t arguments = count_words(parts->argv);
	char **argv = calloc(OWN_WORDS + arguments + 1, sizeof(*argv));
	const bool mixes = mixes_libraries(parts);
	size_t n = 0;

	*command = (struct model_command){.argv = argv};
	command->libraries = mixes ? library_path() : NULL;
	command->cpu = cpu_words(parts);
	command->plugin = plugin_words(parts);
	if (!argv || !command->cpu || !command->plugin || (mixes && !command->libraries) ||
	    !make_environment(command, parts->path))
		return false;
		/* execve() takes pointers to non-const strings, but nobody writes to them. */
#define WORD(text) (argv[n++] = (char *)(uintptr_t)(text))
	WORD(parts->qemu->path);
	WORD("-cpu");
	WORD(command->cpu);
	WORD("-seed"); /* the same AT_RANDOM in every run */
	WORD("1");
	WORD("-plugin");
	WORD(command->plugin);
	if (parts->qemu->reserve) {
		WORD("-R");
		WORD(parts->qemu->reserve);
	}
	if (has_sysroot(parts)) {
		WORD("-L");
		WORD(parts->sysroot);
	}
	if (mixes) {
		WORD("-E");
		WORD(command->libraries);
	}
	WORD("-0");
	WORD(arguments ? parts->argv[0] : parts->path);
	WORD(parts->path);
	for (size_t i = 1; i < arguments; i++)
		WORD(parts->argv[i]);
#undef WORD
	return true;
}

void model_command_free(struct model_command *command)
{
	free(command->argv);
	free(command->cpu);
	free(command->plugin);
	free(command->environment);
	free(command->underscore);
	free(command->libraries);
}
