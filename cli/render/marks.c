/* SPDX-License-Identifier: Apache-2.0 */
#include "render/marks.h"

#include <math.h>
#include <string.h>

static void write_record(struct output *out, const struct mark_record *record)
{
	fputc(MARK_BYTE, out->stream);
	fwrite(record, sizeof(*record), 1, out->marks);
}

void marks_heading(struct output *out, const struct mark_column *columns, size_t count)
{
	const struct mark_record record = {.kind = MARK_HEADING,
					   .share = NAN,
					   .field_count = (uint32_t)count,
					   .size = (uint32_t)(count * sizeof(*columns))};

	if (!marks_wanted(out))
		return;
	write_record(out, &record);
	fwrite(columns, sizeof(*columns), count, out->marks);
}

static void write_row(struct output *out, struct mark_record record, const uint8_t *keys,
		      const char *const *texts, size_t count)
{
	if (!marks_wanted(out))
		return;
	for (size_t i = 0; i < count; i++)
		if (texts[i]) {
			record.field_count++;
			record.size += (uint32_t)(sizeof(struct mark_text) + strlen(texts[i]));
		}
	write_record(out, &record);
	for (size_t i = 0; i < count; i++)
		if (texts[i]) {
			const struct mark_text text = {keys[i], (uint32_t)strlen(texts[i])};

			fwrite(&text, sizeof(text), 1, out->marks);
			fwrite(texts[i], 1, text.length, out->marks);
		}
}

void marks_row(struct output *out, uint32_t group, double share, const uint8_t *keys,
	       const char *const *texts, size_t count)
{
	const struct mark_record record = {.kind = MARK_ROW, .group = group, .share = share};

	write_row(out, record, keys, texts, count);
}

void marks_below(struct output *out, uint32_t group, double share, const uint8_t *keys,
		 const char *const *texts, size_t count)
{
	const struct mark_record record = {.kind = MARK_BELOW, .group = group, .share = share};

	write_row(out, record, keys, texts, count);
}

void marks_more(struct output *out)
{
	const struct mark_record record = {.kind = MARK_MORE, .share = NAN};

	if (marks_wanted(out))
		write_record(out, &record);
}
