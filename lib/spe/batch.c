/* SPDX-License-Identifier: Apache-2.0 */
/* Records read many at once, into columns. */
#include "spe/packet.h"

static void put_record(const struct plumb_spe_columns *to, size_t row,
		       const struct plumb_spe_record *record)
{
	if (to->has)
		to->has[row] = record->has;
	for (unsigned i = 0; i < 5; i++)
		if (to->addresses[i])
			to->addresses[i][row] = record->addresses[i];
	if (to->events)
		to->events[row] = record->events;
	if (to->data_source)
		to->data_source[row] = record->data_source;
	if (to->timestamp)
		to->timestamp[row] = record->timestamp;
	for (unsigned i = 0; i < 2; i++)
		if (to->contexts[i])
			to->contexts[i][row] = record->contexts[i];
	for (unsigned i = 0; i < 3; i++)
		if (to->counters[i])
			to->counters[i][row] = record->counters[i];
	if (to->op_class)
		to->op_class[row] = record->op_class;
	if (to->operation)
		to->operation[row] = record->operation;
	if (to->offset)
		to->offset[row] = record->offset;
	if (to->size)
		to->size[row] = record->size;
}

size_t plumb_spe_stream_batch(struct plumb_spe_stream *stream,
			      const struct plumb_spe_columns *columns)
{
	struct plumb_spe_record record;
	size_t row = 0;

	while (row < columns->room && plumb_spe_stream_next(stream, &record))
		put_record(columns, row++, &record);
	return row;
}
