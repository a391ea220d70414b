/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code and data, with the symbol and file they are in, as perf script prints them. */
#include "render/script.h"

/* PERF_COUNT_SW_PAGE_FAULTS and so on. */
enum { PAGE_FAULTS = 2, MINOR_FAULTS = 5, MAJOR_FAULTS = 6 };

/* The most frames that perf prints of a chain. */
#define FRAMES_MAX 127

const struct plumb_location *script_locate(const struct script_printer *printer,
					   struct script_sample *sample)
{
	if (!sample->located)
		plumb_symbolizer_locate(printer->symbols, sample->task, sample->mode,
					sample->record->sample.ip, &sample->location);
	sample->located = true;
	return &sample->location;
}

static void print_symbol(struct buffer *b, const struct plumb_location *location, bool offset)
{
	const struct plumb_symbol *symbol = location ? location->symbol : NULL;
	uint64_t distance;

	if (!symbol) {
		buffer_text(b, "[unknown]");
		return;
	}
	buffer_foreign(b, plumb_symbol_name(symbol));
	if (!offset)
		return;
	distance = location->address - plumb_symbol_start(symbol);
	if (location->address >= plumb_symbol_end(symbol))
		distance -= location->map_start;
	buffer_bytes(b, "+0x", 3);
	buffer_hex(b, distance, 0);
}

static void print_file(struct buffer *b, const struct plumb_location *location)
{
	buffer_bytes(b, " (", 2);
	buffer_foreign(b, location && location->file ? plumb_symbol_file_name(location->file)
						     : "[unknown]");
	buffer_char(b, ')');
}

void script_print_location(struct script_printer *printer, const struct script_sample *sample,
			   const struct plumb_location *location)
{
	const struct script_fields *fields = printer->fields;

	if (script_prints(fields, sample->type, FIELD_SYM)) {
		buffer_char(printer->out, ' ');
		print_symbol(printer->out, location,
			     script_prints(fields, sample->type, FIELD_SYMOFF));
	}
	if (script_prints(fields, sample->type, FIELD_DSO))
		print_file(printer->out, location);
}

static void print_frame(struct script_printer *printer, const struct script_sample *sample,
			enum plumb_cpu_mode mode, uint64_t ip)
{
	struct plumb_location location;
	bool user;

	plumb_symbolizer_locate(printer->symbols, sample->task, mode, ip, &location);
	user = location.file && !plumb_symbol_file_is_kernel(location.file);
	buffer_char(printer->out, '\t');
	/* perf 6.1 prints the place in a user's file. */
	buffer_hex(printer->out, user && printer->version == PLUMB_PERF_6_1 ? location.address : ip,
		   16);
	script_print_location(printer, sample, &location);
	buffer_char(printer->out, '\n');
}

/* False for a mark that is none: then the chain is damaged, and nothing of it is shown. */
static bool change_mode(uint64_t mark, enum plumb_cpu_mode *mode)
{
	switch (mark) {
	case PLUMB_CONTEXT_HV:
		*mode = PLUMB_MODE_HYPERVISOR;
		return true;
	case PLUMB_CONTEXT_KERNEL:
		*mode = PLUMB_MODE_KERNEL;
		return true;
	case PLUMB_CONTEXT_USER:
		*mode = PLUMB_MODE_USER;
		return true;
	default:
		return false;
	}
}

void script_print_callchain(struct script_printer *printer, struct script_sample *sample)
{
	const struct plumb_sample *s = &sample->record->sample;
	enum plumb_cpu_mode mode = PLUMB_MODE_USER;
	unsigned frames = 0;

	for (size_t i = 0; i < s->callchain_length; i++) {
		if (s->callchain[i] >= PLUMB_CONTEXT_MARKS && !change_mode(s->callchain[i], &mode))
			return;
	}
	mode = PLUMB_MODE_USER;
	for (size_t i = 0; i < s->callchain_length && frames < FRAMES_MAX; i++) {
		if (s->callchain[i] >= PLUMB_CONTEXT_MARKS) {
			change_mode(s->callchain[i], &mode);
			continue;
		}
		print_frame(printer, sample, mode, s->callchain[i]);
		frames++;
	}
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
