/* SPDX-License-Identifier: Apache-2.0 */
/* What the payloads of records say: operations, addresses, and the names of things. */
#include <plumb/spe.h>

static struct plumb_spe_operation read_other(unsigned payload)
{
	struct plumb_spe_operation op = {PLUMB_SPE_KIND_OTHER, PLUMB_SPE_SUB_UNKNOWN, 0, 0};

	if ((payload & 0xf8) == 0) {
		op.subclass = PLUMB_SPE_SUB_NONE;
		op.flags = (payload & 1 ? PLUMB_SPE_OP_CONDITIONAL : 0) |
			   (payload & 2 ? PLUMB_SPE_OP_FP : 0) |
			   (payload & 4 ? PLUMB_SPE_OP_SIMD : 0);
	} else if ((payload & 0x89) == 0x08) {
		op.subclass = PLUMB_SPE_SUB_SVE;
		op.flags = (payload & 2 ? PLUMB_SPE_OP_FP : 0) |
			   (payload & 4 ? PLUMB_SPE_OP_PREDICATED : 0);
		op.vector_bits = 32u << (payload >> 4 & 7);
	} else if ((payload & 0x89) == 0x88) {
		op.subclass = PLUMB_SPE_SUB_SME;
		op.flags = payload & 2 ? PLUMB_SPE_OP_FP : 0;
		op.vector_bits = 128u << ((payload >> 4 & 7) << 1 | (payload >> 2 & 1));
	}
	return op;
}

/* The subclasses that all bits but the store's tell. */
static uint8_t plain_access(unsigned payload)
{
	if (payload == 0x25)
		return PLUMB_SPE_SUB_MEMORY_SET;
	switch (payload & 0xfe) {
	case 0x00:
		return PLUMB_SPE_SUB_GENERAL;
	case 0x04:
		return PLUMB_SPE_SUB_SIMD_FP;
	case 0x10:
		return PLUMB_SPE_SUB_UNSPECIFIED;
	case 0x14:
		return PLUMB_SPE_SUB_TAG;
	case 0x20:
		return PLUMB_SPE_SUB_MEMORY_COPY;
	case 0x30:
		return PLUMB_SPE_SUB_NESTED_VIRTUAL;
	default:
		return PLUMB_SPE_SUB_UNKNOWN;
	}
}

static struct plumb_spe_operation read_access(unsigned payload)
{
	struct plumb_spe_operation op = {.kind = payload & 1 ? PLUMB_SPE_KIND_STORE
							     : PLUMB_SPE_KIND_LOAD};

	op.subclass = plain_access(payload);
	if ((payload & 0xe2) == 0x02) {
		op.subclass = PLUMB_SPE_SUB_EXTENDED;
		op.flags = (payload & 4 ? PLUMB_SPE_OP_ATOMIC : 0) |
			   (payload & 8 ? PLUMB_SPE_OP_EXCLUSIVE : 0) |
			   (payload & 16 ? PLUMB_SPE_OP_ACQUIRE_RELEASE : 0);
	} else if ((payload & 0x0a) == 0x08) {
		op.subclass = PLUMB_SPE_SUB_SVE_SME;
		op.flags = (payload & 4 ? PLUMB_SPE_OP_PREDICATED : 0) |
			   (payload & 0x80 ? PLUMB_SPE_OP_GATHER_SCATTER : 0);
		op.vector_bits = 32u << (payload >> 4 & 7);
	} else if ((payload & 0xfa) == 0x40) {
		op.subclass = PLUMB_SPE_SUB_GCS;
		op.flags = PLUMB_SPE_OP_GCS | (payload & 4 ? PLUMB_SPE_OP_COMMON : 0);
	}
	return op;
}

static struct plumb_spe_operation read_branch(unsigned payload)
{
	unsigned link = payload >> 3 & 3;

	return (struct plumb_spe_operation){
		.kind = PLUMB_SPE_KIND_BRANCH,
		.subclass = payload & 2 ? PLUMB_SPE_SUB_INDIRECT : PLUMB_SPE_SUB_DIRECT,
		.flags = (payload & 1 ? PLUMB_SPE_OP_CONDITIONAL : 0) |
			 (payload & 4 ? PLUMB_SPE_OP_GCS : 0) |
			 (link == 1 ? PLUMB_SPE_OP_LINK : 0) |
			 (link == 2 ? PLUMB_SPE_OP_RETURN : 0),
	};
}

struct plumb_spe_operation plumb_spe_operation(uint8_t op_class, uint8_t payload)
{
	switch (op_class) {
	case PLUMB_SPE_OTHER:
		return read_other(payload);
	case PLUMB_SPE_LOAD_STORE:
		return read_access(payload);
	case PLUMB_SPE_BRANCH:
		return read_branch(payload);
	default:
		return (struct plumb_spe_operation){PLUMB_SPE_KIND_UNKNOWN, PLUMB_SPE_SUB_UNKNOWN,
						    0, 0};
	}
}

const char *plumb_spe_kind_name(unsigned kind)
{
	switch (kind) {
	case PLUMB_SPE_KIND_LOAD:
		return "load";
	case PLUMB_SPE_KIND_STORE:
		return "store";
	case PLUMB_SPE_KIND_BRANCH:
		return "branch";
	default:
		return "other";
	}
}

const char *plumb_spe_subclass_name(unsigned subclass)
{
	static const char *const names[] = {
		[PLUMB_SPE_SUB_NONE] = "none",
		[PLUMB_SPE_SUB_SVE] = "sve",
		[PLUMB_SPE_SUB_SME] = "sme",
		[PLUMB_SPE_SUB_GENERAL] = "general",
		[PLUMB_SPE_SUB_SIMD_FP] = "simd-fp",
		[PLUMB_SPE_SUB_UNSPECIFIED] = "unspecified",
		[PLUMB_SPE_SUB_TAG] = "tag",
		[PLUMB_SPE_SUB_MEMORY_COPY] = "memory-copy",
		[PLUMB_SPE_SUB_MEMORY_SET] = "memory-set",
		[PLUMB_SPE_SUB_NESTED_VIRTUAL] = "nested-virtual",
		[PLUMB_SPE_SUB_EXTENDED] = "extended",
		[PLUMB_SPE_SUB_SVE_SME] = "sve-sme",
		[PLUMB_SPE_SUB_GCS] = "gcs",
		[PLUMB_SPE_SUB_DIRECT] = "direct",
		[PLUMB_SPE_SUB_INDIRECT] = "indirect",
		[PLUMB_SPE_SUB_UNKNOWN] = "unknown",
	};

	return subclass < sizeof(names) / sizeof(*names) ? names[subclass] : "unknown";
}

#define ADDRESS_BITS UINT64_C(0x00ffffffffffffff)

uint64_t plumb_spe_code_address(uint64_t payload)
{
	unsigned level = plumb_spe_exception_level(payload);
	uint64_t address = payload & ADDRESS_BITS;

	/* The payload has no room for bits 63:56, which of a kernel's address are all ones. */
	if ((level == 1 || level == 2) && address >> 48 == 0xff)
		address |= ~ADDRESS_BITS;
	return address;
}

uint64_t plumb_spe_virtual_address(uint64_t payload)
{
	uint64_t address = payload & ADDRESS_BITS;

	return address >> 55 ? address | ~ADDRESS_BITS : address;
}
