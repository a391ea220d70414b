/* SPDX-License-Identifier: Apache-2.0 */
#include "browser/page.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/visible.h"
#include "tool/memory.h"
#include "tool/wrap.h"

#define WIDTH_LEAST    40
#define MESSAGE_INDENT 7 /* as wide as "plumb: " */

/* ---- The process ------------------------------------------------------------------------------
 */

static _Noreturn void print_page(const struct page_job *job, const struct browser_client *client,
				 const struct browser_place *place, unsigned width, pid_t parent)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGWINCH, SIGTSTP};
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	FILE *marks = fdopen(job->marks, "w");

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || nothing < 0 || !marks)
		_exit(1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	/* Not in the terminal's group: Ctrl-C is for the browser. */
	setpgid(0, 0);
	if (dup2(nothing, STDIN_FILENO) < 0 || dup2(job->text, STDOUT_FILENO) < 0 ||
	    dup2(job->messages, STDERR_FILENO) < 0)
		_exit(1);
	output_pretend(width, marks);
	exit(client->print(client->user, place));
}

static void close_job(const struct page_job *job)
{
	const int files[] = {job->alive, job->text, job->marks, job->messages};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i] >= 0)
			close(files[i]);
}

bool page_begin(struct page_job *job, const struct browser_client *client,
		const struct browser_place *place, unsigned width)
{
	const pid_t parent = getpid();
	int ends[2], error;

	*job = (struct page_job){
		.alive = -1,
		.text = memfd_create("page", MFD_CLOEXEC),
		.marks = memfd_create("marks", MFD_CLOEXEC),
		.messages = memfd_create("messages", MFD_CLOEXEC),
	};
	job->pid = -1;
	if (job->text >= 0 && job->marks >= 0 && job->messages >= 0 &&
	    pipe2(ends, O_CLOEXEC) == 0) {
		job->alive = ends[0];
		fflush(NULL);
		job->pid = fork();
		if (job->pid == 0)
			print_page(job, client, place, width, parent);
		error = errno;
		close(ends[1]);
		errno = error;
	}
	if (job->pid > 0)
		return true;
	error = errno;
	close_job(job);
	errno = error;
	return false;
}

static int wait_for(const struct page_job *job)
{
	int status = 0;

	while (waitpid(job->pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILURE;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool page_has_ended(const struct page_job *job)
{
	struct pollfd alive = {.fd = job->alive, .events = POLLIN};

	return poll(&alive, 1, 0) > 0;
}

void page_cancel(struct page_job *job)
{
	kill(job->pid, SIGKILL);
	wait_for(job);
	close_job(job);
}

/* Reads a whole file, and adds a zero. */
static char *read_file(int file, size_t *length)
{
	struct stat status;
	ssize_t got = 1;
	char *text;

	*length = 0;
	if (fstat(file, &status) != 0)
		return memory_alloc(1);
	text = memory_alloc((size_t)status.st_size + 1);
	while (*length < (size_t)status.st_size && got > 0) {
		got = pread(file, text + *length, (size_t)status.st_size - *length, (off_t)*length);
		if (got > 0)
			*length += (size_t)got;
	}
	return text;
}

/* ---- Lines and marks --------------------------------------------------------------------------
 */

static void read_marks(struct page *page, size_t length)
{
	size_t at = 0, room = 0;

	while (length - at >= sizeof(struct mark_record)) {
		struct page_mark mark;

		memcpy(&mark.record, page->mark_bytes + at, sizeof(mark.record));
		at += sizeof(mark.record);
		if (mark.record.size > length - at)
			break;
		mark.fields = page->mark_bytes + at;
		at += mark.record.size;
		if (page->mark_count == room) {
			room = room ? 2 * room : 64;
			page->marks = memory_resize(page->marks, room, sizeof(*page->marks));
		}
		page->marks[page->mark_count++] = mark;
	}
}

static void read_lines(struct page *page, size_t length)
{
	const char *at = page->text, *end = at + length;
	size_t room = 0, mark = 0, heading = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct page_line line = {.text = at,
					 .length = (size_t)((newline ? newline : end) - at)};

		at += line.length + 1;
		if (line.length && *line.text == MARK_BYTE) {
			line.text++;
			line.length--;
			if (mark < page->mark_count)
				line.mark = &page->marks[mark++];
		}
		if (page->line_count == room) {
			room = room ? 2 * room : 64;
			page->lines = memory_resize(page->lines, room, sizeof(*page->lines));
		}
		if (line.mark && line.mark->record.kind == MARK_HEADING)
			heading = page->line_count + 1;
		else if (line.mark)
			line.heading = heading; /* of all but MARK_HEADING */
		page->lines[page->line_count++] = line;
	}
}

/* Returns messages with lines of `width` columns at most, and sets `*length`. */
static char *wrap_messages(const char *text, size_t width, size_t *length)
{
	FILE *stream;
	char *wrapped;

	stream = memory_stream(&wrapped, length);
	while (*text) {
		const size_t whole = strcspn(text, "\n"), spaces = strspn(text, " ");
		char *message = memory_copy(text + spaces, whole > spaces ? whole - spaces : 0);
		const char *rest = message;
		size_t indent = spaces;
		struct wrap_line line;

		while (wrap_next(&rest, width - MESSAGE_INDENT, &line)) {
			fprintf(stream, "%*s%.*s\n", (int)indent, "", (int)line.length, line.at);
			indent = MESSAGE_INDENT;
		}
		free(message);
		text += whole + (text[whole] == '\n');
	}
	memory_stream_close(stream, &wrapped);
	return wrapped;
}

void page_finish(struct page_job *job, struct page *page, size_t width)
{
	size_t length, messages;

	*page = (struct page){.status = wait_for(job)};
	page->mark_bytes = read_file(job->marks, &length);
	read_marks(page, length);
	page->text = read_file(job->text, &length);
	page->silent = length == 0;
	page->message = read_file(job->messages, &messages);
	if (page->silent) {
		free(page->text);
		page->text = wrap_messages(page->message, width < WIDTH_LEAST ? WIDTH_LEAST : width,
					   &length);
	}
	read_lines(page, length);
	while (messages && page->message[messages - 1] == '\n')
		page->message[--messages] = '\0';
	close_job(job);
}

bool page_warns(const struct page *page)
{
	return !page->silent && page->message && *page->message;
}

size_t page_prefix(const char *message)
{
	static const char prefix[] = "plumb: ";

	return strncmp(message, prefix, sizeof(prefix) - 1) == 0 ? sizeof(prefix) - 1 : 0;
}

void page_free(struct page *page)
{
	free(page->lines);
	free(page->marks);
	free(page->text);
	free(page->mark_bytes);
	free(page->message);
	*page = (struct page){0};
}

const char *page_text(const struct page_mark *mark, uint32_t key, size_t *length)
{
	struct mark_text text;
	size_t at = 0;

	if (!mark || (mark->record.kind != MARK_ROW && mark->record.kind != MARK_BELOW))
		return NULL;
	while (mark->record.size - at >= sizeof(text)) {
		memcpy(&text, mark->fields + at, sizeof(text));
		at += sizeof(text);
		if (text.length > mark->record.size - at)
			return NULL;
		if (text.key == key) {
			*length = text.length;
			return mark->fields + at;
		}
		at += text.length;
	}
	return NULL;
}

size_t page_columns(const struct page_mark *heading)
{
	return heading->record.size / sizeof(struct mark_column);
}

bool page_column(const struct page_mark *heading, size_t c, struct mark_column *column)
{
	if (c >= page_columns(heading))
		return false;
	memcpy(column, heading->fields + c * sizeof(*column), sizeof(*column));
	return true;
}

size_t page_character(const char *text, size_t length, uint32_t *code, size_t *columns)
{
	const size_t size = visible_character(text, length, code);

	*columns = wrap_columns(text, size);
	return size;
}

size_t page_escape(const char *text, size_t length)
{
	size_t at = 2;

	if (length < 3 || text[0] != '\033' || text[1] != '[')
		return 0;
	while (at < length && ((text[at] >= '0' && text[at] <= '9') || text[at] == ';'))
		at++;
	return at < length ? at + 1 : length;
}

bool page_is_row(const struct page_line *line)
{
	return line && line->mark &&
	       (line->mark->record.kind == MARK_ROW || line->mark->record.kind == MARK_BELOW);
}

bool page_has_rows(const struct page *page)
{
	for (size_t at = 0; at < page->line_count; at++)
		if (page_is_row(&page->lines[at]))
			return true;
	return false;
}

size_t page_width(const struct page_line *line)
{
	size_t columns = 0, wide;
	uint32_t code;

	for (size_t at = 0; at < line->length;) {
		const size_t step = page_escape(line->text + at, line->length - at);

		if (step) {
			at += step;
			continue;
		}
		at += page_character(line->text + at, line->length - at, &code, &wide);
		columns += wide;
	}
	return columns;
}

size_t page_cell(const struct page_line *line, struct mark_column column, char *room, size_t size)
{
	size_t at = 0, used = 0, begun = 0, wide;
	uint32_t code;

	for (uint32_t c = 0; at < line->length && (!column.end || c < column.end);) {
		size_t step = page_escape(line->text + at, line->length - at);

		if (step) {
			at += step;
			continue;
		}
		step = page_character(line->text + at, line->length - at, &code, &wide);
		if (c >= column.begin && used + step < size) {
			memcpy(room + used, line->text + at, step);
			used += step;
		}
		c += (uint32_t)wide;
		at += step;
	}
	while (used && room[used - 1] == ' ')
		used--;
	while (begun < used && room[begun] == ' ')
		begun++;
	memmove(room, room + begun, used - begun);
	room[used - begun] = '\0';
	return used - begun;
}
