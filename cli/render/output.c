/* SPDX-License-Identifier: Apache-2.0 */
#include "render/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "tool/complain.h"
#include "tool/inputs.h"
#include "tool/memory.h"
#include "tool/wrap.h"

#define WIDTH_DEFAULT  80
#define WIDTH_SMALLEST 40
#define WIDTH_LARGEST  10000 /* more is a mistake */
#define PROSE_WIDEST   100   /* longer lines are hard to read, however wide the terminal */

/*
 * Like the stream of a file, but remembers a failed write: ferror() alone cannot tell a full disk
 * from a reader that went away.
 */
static ssize_t sink_write(void *cookie, const char *bytes, size_t size)
{
	struct sink *sink = cookie;
	size_t done = 0;

	if (sink->collector)
		return (ssize_t)fwrite(bytes, 1, size, sink->collector);
	while (done < size && !sink->error) {
		ssize_t written = write(sink->descriptor, bytes + done, size - done);

		if (written >= 0)
			done += (size_t)written;
		else if (errno != EINTR)
			sink->error = errno;
	}
	return sink->error ? 0 : (ssize_t)done;
}

static int sink_close(void *cookie)
{
	struct sink *sink = cookie;

	if (!sink->collector && close(sink->descriptor) != 0 && !sink->error)
		sink->error = errno;
	return 0;
}

static void open_sink(struct output *out, int descriptor)
{
	const cookie_io_functions_t functions = {.write = sink_write, .close = sink_close};

	out->sink = memory_alloc(sizeof(*out->sink));
	out->sink->descriptor = descriptor;
	out->stream = fopencookie(out->sink, "w", functions);
	if (!out->stream) {
		complain("out of memory");
		exit(EXIT_OTHER);
	}
}

/* The file to remove if the process is ended half-way; read by a signal handler. */
static const char *volatile unfinished;

static void remove_unfinished(void)
{
	const char *path = unfinished;

	if (path)
		unlink(path); /* mkostemp() made it */
	unfinished = NULL;
}

static void on_signal(int number)
{
	remove_unfinished();
	signal(number, SIG_DFL);
	raise(number);
}

static bool locale_is_utf8(void)
{
	static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	/* As setlocale() would choose, but without loading a locale: the first that is set. */
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* One that only prints, such as an editor's: it has no colours, and pagers complain of it. */
static bool is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || strcmp(term, "dumb") == 0;
}

static bool wants_color(int when, bool terminal)
{
	const char *no_color = getenv("NO_COLOR");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	return terminal && !(no_color && *no_color) && !is_dumb();
}

/* Returns the columns to fit in: COLUMNS, as for git, perf and ls; else the terminal's, or 80. */
static unsigned width_of(int descriptor)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	uint64_t columns;

	if (!text || !number_read(text, WIDTH_LARGEST, &columns) || columns == 0)
		columns = ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	if (columns == 0)
		return WIDTH_DEFAULT;
	return columns < WIDTH_SMALLEST ? WIDTH_SMALLEST : (unsigned)columns;
}

/* The program to page with, or NULL for none. */
static const char *pager_command(void)
{
	const char *command = getenv("PLUMB_PAGER");

	if (is_dumb())
		return NULL;
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	return *command == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* Output works without a pager, too, so errors here are not reported. */
static void start_pager(struct output *out)
{
	int ends[2];

	if (!pager_command() || pipe2(ends, O_CLOEXEC) != 0)
		return;
	out->pager = fork();
	if (out->pager == 0) {
		dup2(ends[0], STDIN_FILENO);
		/* Leave if it fits a screen, keep colours, keep the screen. */
		setenv("LESS", "FRX", 0);
		/* Only now, because setenv() may move what getenv() returned. */
		execl("/bin/sh", "sh", "-c", pager_command(), (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (out->pager < 0) {
		close(ends[1]);
		out->pager = 0;
		return;
	}
	out->sink->descriptor = ends[1];
	/* Interrupting is for the pager to handle; this process has yet to wait for it. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
}

/* An existing file that is not a plain one, such as a device or a pipe, is written in place; so is
 * what is open already, behind what it has. */
static bool open_special(struct output *out, const char *path)
{
	const int how = file_is_descriptor(path) ? O_APPEND : 0;
	struct stat status;
	int descriptor;

	if (stat(path, &status) != 0 || (S_ISREG(status.st_mode) && !how) ||
	    S_ISDIR(status.st_mode))
		return false;
	descriptor = open(path, O_WRONLY | O_CLOEXEC | how);
	if (descriptor >= 0)
		open_sink(out, descriptor);
	return true;
}

/* A new file beside `path`, with the rights that `path` has or would have been given. */
static void open_temporary(struct output *out, const char *path)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	struct stat status;
	mode_t mode = umask(0);
	int descriptor;

	umask(mode);
	mode = 0666 & ~mode;
	out->path = file_follow(path); /* links stay */
	if (!out->path)
		return;
	if (stat(out->path, &status) == 0) {
		if (S_ISDIR(status.st_mode) || access(out->path, W_OK) != 0) {
			errno = S_ISDIR(status.st_mode) ? EISDIR : errno;
			return;
		}
		mode = status.st_mode & 07777;
	}
	out->temporary = memory_format("%s.XXXXXX", out->path);
	descriptor = mkostemp(out->temporary, O_CLOEXEC);
	if (descriptor < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return;
	}
	unfinished = out->temporary;
	atexit(remove_unfinished);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signal(signals[i], on_signal) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	fchmod(descriptor, mode);
	open_sink(out, descriptor);
}

/* What output_pretend() asked for; `marks` is NULL without it. */
static struct {
	unsigned width;
	FILE *marks;
} pretended;

void output_pretend(unsigned width, FILE *marks)
{
	pretended.width = width < WIDTH_SMALLEST ? WIDTH_SMALLEST : width;
	pretended.marks = marks;
}

/* What output_collect() asked for. */
static FILE *collector;

void output_collect(FILE *instead)
{
	collector = instead;
}

static int open_collector(struct output *out)
{
	*out = (struct output){.name = "memory", .width = WIDTH_LARGEST, .utf8 = true};
	open_sink(out, -1);
	out->sink->collector = collector;
	return EXIT_FINE;
}

bool output_is_file(const struct common_options *options)
{
	return options->output && strcmp(options->output, "-") != 0;
}

static void say_not_opened(const char *path, int number)
{
	char why[PATH_MAX];

	file_why_not_written(path, number, why, sizeof(why));
	complain("cannot write %s: %s", path, why);
}

int output_open(struct output *out, const struct common_options *options)
{
	const char *path = output_is_file(options) ? options->output : NULL;

	if (collector)
		return open_collector(out);
	*out = (struct output){
		.name = path ? path : "standard output",
		.width = width_of(path ? -1 : STDOUT_FILENO),
		.utf8 = locale_is_utf8(),
	};
	if (path) {
		if (inputs_refuse(path))
			return EXIT_USAGE;
		if (!open_special(out, path))
			open_temporary(out, path);
		if (!out->stream) {
			say_not_opened(path, errno);
			free(out->path);
			return EXIT_OTHER;
		}
	} else if (pretended.marks) {
		open_sink(out, STDOUT_FILENO);
		out->width = pretended.width;
		out->marks = pretended.marks;
	} else {
		open_sink(out, STDOUT_FILENO);
		out->terminal = isatty(STDOUT_FILENO);
	}
	out->color = wants_color(options->color, out->terminal || out->marks);
	if (out->terminal && !options->no_pager)
		start_pager(out);
	return EXIT_FINE;
}

/* Opens the file itself, emptied or to be appended to, rather than one beside it. */
static int open_in_place(struct output *out, const struct common_options *options)
{
	const bool behind = options->append || file_is_descriptor(options->output);
	const int how = behind ? O_APPEND : O_TRUNC;
	struct stat status;
	int descriptor;

	if (inputs_refuse(options->output))
		return EXIT_USAGE;
	descriptor = open(options->output, O_WRONLY | O_CREAT | how | O_CLOEXEC, 0666);
	*out = (struct output){
		.name = options->output,
		.width = width_of(-1),
		.utf8 = locale_is_utf8(),
	};
	if (descriptor < 0) {
		say_not_opened(out->name, errno);
		return EXIT_OTHER;
	}
	out->appended = fstat(descriptor, &status) == 0 && status.st_size > 0;
	open_sink(out, descriptor);
	out->color = wants_color(options->color, false);
	return EXIT_FINE;
}

/* Returns the descriptor to write beside a program's output, and its name for messages. */
static int descriptor_beside(const struct common_options *options, const char **name)
{
	*name = "standard error";
	if (options->output || options->log_fd == STDOUT_FILENO) {
		*name = "standard output";
		return STDOUT_FILENO;
	}
	if (options->log_fd && options->log_fd != STDERR_FILENO) {
		*name = "the descriptor of --log-fd";
		return (int)options->log_fd;
	}
	return STDERR_FILENO;
}

int output_open_beside(struct output *out, const struct common_options *options)
{
	struct common_options unpaged = *options;
	const char *name;
	int descriptor;

	if (output_is_file(options) && options->append)
		return open_in_place(out, options);
	unpaged.no_pager = true;
	if (output_is_file(options))
		return output_open(out, &unpaged);
	descriptor = descriptor_beside(options, &name);
	*out = (struct output){
		.name = name,
		.width = width_of(descriptor),
		.utf8 = locale_is_utf8(),
		.terminal = isatty(descriptor),
	};
	out->color = wants_color(options->color, out->terminal);
	/* Closing the output must not close the stream for errors. */
	descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (descriptor < 0) {
		complain("cannot write %s: %s", out->name, strerror(errno));
		return EXIT_OTHER;
	}
	open_sink(out, descriptor);
	return EXIT_FINE;
}

int output_open_stream(struct output *out, const struct common_options *options)
{
	static char interval[1 << 18]; /* the most that is written at once; one output is open */
	int status = output_is_file(options) ? open_in_place(out, options)
					     : output_open_beside(out, options);

	if (status == EXIT_FINE)
		setvbuf(out->stream, interval, _IOFBF, sizeof(interval));
	return status;
}

int output_check_descriptor(const struct common_options *options)
{
	const int flags = fcntl((int)options->log_fd, F_GETFL);

	if (!options->log_fd || (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY))
		return EXIT_FINE;
	complain("cannot write to --log-fd %u: %s", options->log_fd,
		 strerror(flags < 0 ? errno : EBADF));
	return EXIT_USAGE;
}

int output_check_beside(const struct common_options *options)
{
	const char *path = options->output;
	struct output out;
	struct stat status;
	int result;

	if (!output_is_file(options))
		return EXIT_FINE;
	if (inputs_refuse(path))
		return EXIT_USAGE;
	if (stat(path, &status) == 0 && !S_ISDIR(status.st_mode) &&
	    (!S_ISREG(status.st_mode) || file_is_descriptor(path))) {
		if (access(path, W_OK) == 0)
			return EXIT_FINE;
		complain("cannot write %s: %s", path, strerror(errno));
		return EXIT_OTHER;
	}
	result = output_open_beside(&out, options);
	if (result == EXIT_FINE)
		output_discard(&out);
	return result;
}

static void wait_for_pager(const struct output *out)
{
	if (out->pager > 0)
		while (waitpid(out->pager, NULL, 0) < 0 && errno == EINTR)
			;
}

/* Whatever is left, including the unfinished file. */
static void release(struct output *out)
{
	remove_unfinished();
	free(out->left_out);
	free(out->temporary);
	free(out->path);
	free(out->sink);
}

/* Prints once why writing failed. A reader that has seen enough is not an error. */
static void say_failed(struct output *out, int error)
{
	if (error && error != EPIPE && !out->sink->said)
		complain("cannot write %s: %s", out->name, strerror(error));
	out->sink->said = error != 0;
}

void output_flush(struct output *out)
{
	fflush(out->stream);
	say_failed(out, out->sink->error);
}

int output_close(struct output *out, int status)
{
	int error;

	fclose(out->stream);
	error = out->sink->error;
	wait_for_pager(out);
	if (out->temporary && !error && file_rename(out->temporary, out->path) != 0)
		error = errno;
	if (out->temporary && !error)
		unfinished = NULL;
	say_failed(out, error);
	release(out);
	return error ? EXIT_OTHER : status;
}

void output_discard(struct output *out)
{
	fclose(out->stream);
	wait_for_pager(out);
	release(out);
}

void output_style(struct output *out, enum style style)
{
	static const char *const codes[] = {
		[STYLE_PLAIN] = "0", [STYLE_HEADING] = "1",  [STYLE_NAME] = "36", [STYLE_DIM] = "2",
		[STYLE_GOOD] = "32", [STYLE_WARNING] = "33", [STYLE_BAD] = "31",
	};

	if (out->color)
		fprintf(out->stream, "\033[%sm", codes[style]);
}

void output_bytes(struct output *out, enum style style, const char *text, size_t length)
{
	if (style != STYLE_PLAIN && length > 0)
		output_style(out, style);
	wrap_put(out->stream, text, length);
	if (style != STYLE_PLAIN && length > 0)
		output_style(out, STYLE_PLAIN);
}

void output_text(struct output *out, enum style style, const char *text)
{
	output_bytes(out, style, text, strlen(text));
}

void output_format(struct output *out, enum style style, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = memory_vformat(format, arguments);
	va_end(arguments);
	output_text(out, style, text);
	free(text);
}

void output_spaces(struct output *out, size_t count)
{
	static const char blanks[] =
		"                                                                ";

	for (; count >= sizeof(blanks); count -= sizeof(blanks) - 1)
		fwrite(blanks, 1, sizeof(blanks) - 1, out->stream);
	fwrite(blanks, 1, count, out->stream);
}

size_t output_prose_width(const struct output *out)
{
	return out->width < PROSE_WIDEST ? out->width : PROSE_WIDEST;
}

size_t output_flow(struct output *out, enum style style, size_t column, size_t indent,
		   const char *text)
{
	const size_t width = output_prose_width(out);
	size_t start = column > indent ? column : indent;
	struct wrap_line line;
	bool first = true;

	while (wrap_next(&text, width > start ? width - start : 1, &line)) {
		if (!first)
			fputc('\n', out->stream);
		if (line.length > 0)
			output_spaces(out, first ? start - column : start);
		output_bytes(out, style, line.at, line.length);
		column = line.length > 0 ? start + line.columns : 0;
		start = indent;
		first = false;
	}
	return column;
}

void output_wrapped(struct output *out, enum style style, size_t column, size_t indent,
		    const char *text)
{
	output_flow(out, style, column, indent, text);
	fputc('\n', out->stream);
}

bool output_is_narrow(const struct output *out)
{
	return out->terminal || out->marks;
}

void output_no_room(struct output *out, size_t indent, const char *names)
{
	char *note;

	if (out->left_out && strcmp(out->left_out, names) == 0)
		return;
	free(out->left_out);
	out->left_out = memory_copy(names, strlen(names));
	note = memory_format("%u columns have no room for %s: %s", out->width, names,
			     out->marks ? "press w for a wider page" : "use a wider terminal");
	output_spaces(out, indent);
	output_wrapped(out, STYLE_DIM, indent, indent, note);
	free(note);
}

bool output_fits(const struct output *out, size_t columns)
{
	return columns <= output_prose_width(out);
}
