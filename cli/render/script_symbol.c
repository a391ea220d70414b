/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code and data, with the symbol and file they are in, as perf script prints them. */
#include "render/script.h"

/* PERF_COUNT_SW_PAGE_FAULTS and so on. */
enum { PAGE_FAULTS = 2, MINOR_FAULTS = 5, MAJOR_FAULTS = 6 };

const struct plumb_location *script_locate(const struct script_printer *printer,
					   struct script_sample *sample)
{
	if (!sample->located)
		plumb_symbolizer_locate(printer->symbols, sample->task, sample->mode,
					sample->record->sample.ip, &sample->location);
	sample->located = true;
	return &sample->location;
}

/*
 * `inlined`: a function to name instead of the symbol, or NULL. `behind`: the place is one byte
 * behind the location, as struct script_frame has it.
 */
static void print_symbol(struct buffer *b, const struct plumb_location *location,
			 const char *inlined, bool offset, bool behind)
{
	const struct plumb_symbol *symbol = location ? location->symbol : NULL;
	uint64_t distance;

	if (!symbol) {
		buffer_text(b, "[unknown]");
		return;
	}
	buffer_foreign(b, inlined ? inlined : plumb_symbol_name(symbol));
	if (!offset)
		return;
	distance = location->address - plumb_symbol_start(symbol);
	if (location->address >= plumb_symbol_end(symbol))
		distance -= location->map_start;
	buffer_bytes(b, "+0x", 3);
	buffer_hex(b, distance + behind, 0);
}

static void print_file(struct script_printer *printer, const struct script_sample *sample,
		       const struct plumb_location *location, bool behind)
{
	const struct plumb_symbol_file *file = location ? location->file : NULL;
	struct buffer *b = printer->out;

	buffer_char(b, '(');
	buffer_foreign(b, file ? plumb_symbol_file_name(file) : "[unknown]");
	if (file && !plumb_symbol_file_is_kernel(file) &&
	    script_prints(printer->fields, sample->type, FIELD_DSOFF)) {
		buffer_bytes(b, "+0x", 3);
		buffer_hex(b, location->address + behind, 0);
	}
	buffer_char(b, ')');
}

void script_print_file(struct script_printer *printer, const struct script_sample *sample,
		       const struct plumb_location *location)
{
	print_file(printer, sample, location, false);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "FILE:LINE" or, if the line is unknown, the file's name and the place in it. */
static void print_line(struct buffer *b, const struct plumb_location *location, bool behind,
		       const struct plumb_source_frame *frame)
{
	if (frame->file && frame->line) {
		buffer_bytes(b, "\n  ", 3);
		buffer_foreign(b, base_name(frame->file));
		buffer_char(b, ':');
		buffer_decimal(b, frame->line, 0);
	} else {
		buffer_bytes(b, "\n  ", 3);
		buffer_foreign(b, base_name(plumb_symbol_file_name(location->file)));
		buffer_char(b, '[');
		buffer_hex(b, location->address + behind, 0);
		buffer_char(b, ']');
	}
}

static void print_source_line(struct script_printer *printer, const struct plumb_location *location,
			      bool behind)
{
	struct plumb_source_frame frame = {0};

	if (!location->file)
		return;
	plumb_symbolizer_source(printer->symbols, location, &frame, 1);
	print_line(printer->out, location, behind, &frame);
}

void script_print_source_line(struct script_printer *printer, const struct plumb_location *location)
{
	print_source_line(printer, location, false);
}

static void print_location(struct script_printer *printer, const struct script_sample *sample,
			   const struct plumb_location *location, const char *inlined, bool behind)
{
	const struct script_fields *fields = printer->fields;
	if (script_prints(fields, sample->type, FIELD_SYM)) {
		buffer_char(printer->out, ' ');
		print_symbol(printer->out, location, inlined,
			     script_prints(fields, sample->type, FIELD_SYMOFF), behind);
	}
	if (!inlined && script_prints(fields, sample->type, FIELD_DSO)) {
		buffer_char(printer->out, ' ');
		print_file(printer, sample, location, behind);
	}
}

void script_print_location(struct script_printer *printer, const struct script_sample *sample,
			   const struct plumb_location *location)
{
	print_location(printer, sample, location, NULL, false);
}

struct chain {
	struct script_printer *printer;
	const struct script_sample *sample;
};

static void print_frame(void *user, const struct script_frame *frame)
{
	const struct chain *chain = user;
	struct script_printer *printer = chain->printer;
	const struct plumb_location *location = frame->location;
	const bool in_user_file = location->file && !plumb_symbol_file_is_kernel(location->file);

	buffer_char(printer->out, '\t');
	/* perf 6.1 prints the place in a user's file. */
	buffer_hex(printer->out,
		   in_user_file && printer->version == PLUMB_PERF_6_1 ? location->address
								      : frame->ip,
		   16);
	print_location(printer, chain->sample, location, frame->inlined, frame->behind);
	if (script_prints(printer->fields, chain->sample->type, FIELD_SRCLINE)) {
		if (frame->source)
			print_line(printer->out, location, frame->behind, frame->source);
		else
			print_source_line(printer, location, frame->behind);
	}
	if (frame->inlined)
		buffer_text(printer->out, " (inlined)");
	buffer_char(printer->out, '\n');
}

void script_print_callchain(struct script_printer *printer, const struct script_sample *sample)
{
	struct chain chain = {printer, sample};

	script_each_frame(printer, sample, print_frame, &chain);
}

/* The address of a page fault is code or data that may have a name. */
static bool has_symbol(const struct plumb_event_attr *attr)
{
	if (attr->type == PLUMB_TYPE_SOFTWARE)
		return attr->config == PAGE_FAULTS || attr->config == MINOR_FAULTS ||
		       attr->config == MAJOR_FAULTS;
	return script_is_branch_trace(attr);
}

void script_print_address(struct script_printer *printer, const struct script_sample *sample)
{
	uint64_t address = sample->record->sample.address;
	struct plumb_location location;

	buffer_hex(printer->out, address, 16);
	if (!has_symbol(&sample->event->attr))
		return;
	plumb_symbolizer_locate(printer->symbols, sample->task,
				plumb_symbolizer_mode(sample->mode, address), address, &location);
	script_print_location(printer, sample, &location);
}
