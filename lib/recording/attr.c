/* SPDX-License-Identifier: Apache-2.0 */
/*
 * struct perf_event_attr, of any version: 64 bytes in the first, 144 with config4, and more to
 * come. What a version lacks is 0.
 */
#include "recording/reader.h"

#define ATTR_SIZE_FIRST 64u
#define ATTR_SIZE_KNOWN 144u

static uint64_t reverse_bits(uint64_t bits)
{
	uint64_t reversed = 0;

	for (unsigned i = 0; i < 64; i++)
		reversed |= (bits >> i & 1) << (63 - i);
	return reversed;
}

/*
 * Bit-fields are laid out from the least significant bit on little-endian machines, from the most
 * significant on others; but within a field of several bits, the order of these remains. precise_ip
 * is the one such field.
 */
static uint64_t take_flags(struct cursor *in, bool big_endian)
{
	const uint64_t low = PLUMB_ATTR_BIT(PLUMB_ATTR_PRECISE_IP), high = low << 1;
	uint64_t flags = take64(in), reversed;

	if (!big_endian)
		return flags;
	reversed = reverse_bits(flags);
	flags = reversed & ~(low | high);
	flags |= reversed & low ? high : 0;
	flags |= reversed & high ? low : 0;
	return flags;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

int attr_parse(struct plumb_recording *r, const uint8_t *bytes, size_t size, uint64_t offset,
	       struct plumb_event_attr *attr)
{
	struct cursor in = cursor_over(r, bytes, size);

	*attr = (struct plumb_event_attr){0};
	attr->type = take32(&in);
	attr->size = take32(&in);
	if (attr->size == 0)
		attr->size = ATTR_SIZE_FIRST;
	if (in.short_of || attr->size < ATTR_SIZE_FIRST || attr->size > size)
		return refuse(r, PLUMB_ERR_INVALID, "bad-attribute",
			      "the attribute at %#llx should have %u bytes, but only %zu are there",
			      (unsigned long long)offset, attr->size, size);
	in.end = bytes + attr->size;
	attr->config = take64(&in);
	attr->sample_period = take64(&in);
	attr->sample_type = take64(&in);
	attr->read_format = take64(&in);
	attr->flags = take_flags(&in, r->big_endian);
	attr->wakeup = take32(&in);
	attr->bp_type = take32(&in);
	attr->config1 = take64(&in);
	/* From here on there may be no more: then it is 0. */
	attr->config2 = take64(&in);
	attr->branch_sample_type = take64(&in);
	attr->sample_regs_user = take64(&in);
	attr->sample_stack_user = take32(&in);
	attr->clockid = (int32_t)take32(&in);
	attr->sample_regs_intr = take64(&in);
	attr->aux_watermark = take32(&in);
	attr->sample_max_stack = take16(&in);
	(void)take16(&in);
	attr->aux_sample_size = take32(&in);
	(void)take32(&in);
	attr->sig_data = take64(&in);
	attr->config3 = take64(&in);
	attr->config4 = take64(&in);
	if (attr->size > ATTR_SIZE_KNOWN &&
	    !all_zero(bytes + ATTR_SIZE_KNOWN, attr->size - ATTR_SIZE_KNOWN))
		reader_complain(
			r, COMPLAINT_ATTRIBUTE, offset,
			"an attribute of %u bytes uses more than the %u known bytes; its event's "
			"samples may be misread",
			attr->size, ATTR_SIZE_KNOWN);
	return 0;
}
