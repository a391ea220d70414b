/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only process of the virtual machine besides those it is there for: runs the commands of
 * /commands, one a line, and tells on the console how each went:
 *
 *     #begin COMMAND...      its standard output and error follow, line by line, after "1 " or "2 "
 *     3 BYTES                in hexadecimal, of what "send FILE" sends
 *     #end STATUS            as a shell has it; 128 + signal
 *
 * Words are parted by one blank each. A line that begins with "user " is run without privileges;
 * "write FILE TEXT", "send FILE", "copy FILE FILE", "mkdir FOLDER" and "load MODULE" are done here.
 * At the end the machine is turned off.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 32
#define NOBODY    65534

static const char *const outputs[] = {"/tmp/1", "/tmp/2"};

static void mount_all(void)
{
	static const char *const types[][2] = {{"proc", "/proc"},
					       {"sysfs", "/sys"},
					       {"devtmpfs", "/dev"},
					       {"tmpfs", "/tmp"},
					       {"cgroup2", "/groups"}};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		mkdir(types[i][1], 0755);
		if (mount(types[i][0], types[i][1], types[i][0], 0, NULL))
			perror(types[i][1]);
	}
}

static int write_file(char *const *words)
{
	FILE *file = words[1] && words[2] ? fopen(words[1], "w") : NULL;

	if (!file)
		return 1;
	fputs(words[2], file);
	return fclose(file) ? 1 : 0;
}

static int send_file(char *const *words)
{
	FILE *file = words[1] ? fopen(words[1], "r") : NULL;
	unsigned char bytes[512];
	size_t size;

	if (!file)
		return 1;
	while ((size = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		fputs("3 ", stdout);
		for (size_t i = 0; i < size; i++)
			printf("%02x", bytes[i]);
		putchar('\n');
	}
	fclose(file);
	return 0;
}

static int copy_file(char *const *words)
{
	FILE *from = words[1] && words[2] ? fopen(words[1], "r") : NULL;
	FILE *to = from ? fopen(words[2], "w") : NULL;
	char bytes[4096];
	size_t size;

	while (to && (size = fread(bytes, 1, sizeof(bytes), from)) > 0)
		fwrite(bytes, 1, size, to);
	if (from)
		fclose(from);
	return to && fclose(to) == 0 ? 0 : 1;
}

static int make_folder(char *const *words)
{
	return words[1] && mkdir(words[1], 0755) == 0 ? 0 : 1;
}

/* The words after the module's path are its parameters. */
static int load_module(char *const *words)
{
	char parameters[1024] = "";
	int fd = words[1] ? open(words[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return 1;
	for (int i = 2; words[i]; i++) {
		strncat(parameters, words[i], sizeof(parameters) - strlen(parameters) - 1);
		strncat(parameters, " ", sizeof(parameters) - strlen(parameters) - 1);
	}
	if (syscall(SYS_finit_module, fd, parameters, 0)) {
		printf("2 %s: %m\n", words[1]);
		return 1;
	}
	close(fd);
	return 0;
}

static _Noreturn void become(char *const *words, bool privileged)
{
	for (int i = 0; i < 2; i++) {
		int fd = open(outputs[i], O_WRONLY | O_CREAT | O_TRUNC, 0644);

		if (fd < 0 || dup2(fd, i + 1) < 0)
			_exit(126);
		close(fd);
	}
	if (!privileged && (setgid(NOBODY) || setuid(NOBODY)))
		_exit(126);
	execv(words[0], words);
	_exit(127);
}

static int run(char *const *words, bool privileged)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		become(words, privileged);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 126;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void show_outputs(void)
{
	static char line[1 << 20];

	for (int i = 0; i < 2; i++) {
		FILE *file = fopen(outputs[i], "r");

		while (file && fgets(line, sizeof(line), file)) {
			line[strcspn(line, "\n")] = '\0';
			printf("%d %s\n", i + 1, line);
		}
		if (file)
			fclose(file);
		unlink(outputs[i]);
	}
}

static void command(char *line)
{
	char *words[WORDS_MAX + 1] = {NULL}, *place = NULL;
	char **first = words;
	int status, count = 0;
	bool user;

	printf("#begin %s\n", line);
	for (char *word = strtok_r(line, " ", &place); word && count < WORDS_MAX;
	     word = strtok_r(NULL, " ", &place))
		words[count++] = word;
	if (count == 0)
		return;
	user = strcmp(words[0], "user") == 0;
	first += user;
	fflush(stdout);
	status = !*first                        ? 126
		 : strcmp(*first, "write") == 0 ? write_file(first)
		 : strcmp(*first, "send") == 0  ? send_file(first)
		 : strcmp(*first, "copy") == 0  ? copy_file(first)
		 : strcmp(*first, "mkdir") == 0 ? make_folder(first)
		 : strcmp(*first, "load") == 0  ? load_module(first)
						: run(first, !user);
	show_outputs();
	printf("#end %d\n", status);
	fflush(stdout);
}

int main(void)
{
	static char line[4096];
	FILE *commands;

	mount_all();
	commands = fopen("/commands", "r");
	while (commands && fgets(line, sizeof(line), commands)) {
		line[strcspn(line, "\n")] = '\0';
		command(line);
	}
	puts("#done");
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
