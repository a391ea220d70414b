/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets as text, in the words of `perf report -D`. 6.1 and 6.12 leave out what they do not know.
 * Dumps print millions of packets, so nothing here goes through printf(3).
 */
#include <plumb/spe.h>
#include <string.h>

#include "spe/perf_version.h"

#define OLD_EVENTS                                                               \
	(UINT64_C(0xfff) | PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_PARTIAL_PREDICATE) | \
	 PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_EMPTY_PREDICATE))

static const char *const event_names[64] = {
	[PLUMB_SPE_EV_EXCEPTION] = "EXCEPTION-GEN",
	[PLUMB_SPE_EV_RETIRED] = "RETIRED",
	[PLUMB_SPE_EV_L1D_ACCESS] = "L1D-ACCESS",
	[PLUMB_SPE_EV_L1D_REFILL] = "L1D-REFILL",
	[PLUMB_SPE_EV_TLB_ACCESS] = "TLB-ACCESS",
	[PLUMB_SPE_EV_TLB_WALK] = "TLB-REFILL",
	[PLUMB_SPE_EV_NOT_TAKEN] = "NOT-TAKEN",
	[PLUMB_SPE_EV_MISPREDICTED] = "MISPRED",
	[PLUMB_SPE_EV_LLC_ACCESS] = "LLC-ACCESS",
	[PLUMB_SPE_EV_LLC_MISS] = "LLC-REFILL",
	[PLUMB_SPE_EV_REMOTE_ACCESS] = "REMOTE-ACCESS",
	[PLUMB_SPE_EV_MISALIGNED] = "ALIGNMENT",
	[PLUMB_SPE_EV_LATE_PREFETCH] = "LATE-PREFETCH",
	[PLUMB_SPE_EV_TRANSACTIONAL] = "TXN",
	[PLUMB_SPE_EV_PARTIAL_PREDICATE] = "SVE-PARTIAL-PRED",
	[PLUMB_SPE_EV_EMPTY_PREDICATE] = "SVE-EMPTY-PRED",
	[PLUMB_SPE_EV_L2D_ACCESS] = "L2D-ACCESS",
	[PLUMB_SPE_EV_L2D_MISS] = "L2D-MISS",
	[PLUMB_SPE_EV_CACHE_DATA_MODIFIED] = "HITM",
	[PLUMB_SPE_EV_RECENTLY_FETCHED] = "LFB",
	[PLUMB_SPE_EV_DATA_SNOOPED] = "SNOOPED",
	[PLUMB_SPE_EV_STREAMING_SVE] = "STREAMING-SVE",
	[PLUMB_SPE_EV_SHARED_SME] = "SMCU",
};

/* Bits 12 to 15 are the implementer's own. */
static bool has_late_prefetch(uint32_t midr)
{
	return midr >> 24 == 0x41 && (midr >> 4 & 0xfff) == 0xd0c; /* Neoverse N1 */
}

const char *plumb_spe_event_name(uint32_t midr, unsigned bit)
{
	if (bit == PLUMB_SPE_EV_LATE_PREFETCH && !has_late_prefetch(midr))
		return NULL;
	return bit < 64 ? event_names[bit] : NULL;
}

/* The longest text, all events at once, and some to spare. */
#define TEXT_MAX 512

/* ---- Pieces: each writes at `to` and returns the end of what it wrote ------------------------ */

#define PUT(to, words) ((char *)memcpy(to, words, sizeof(words) - 1) + sizeof(words) - 1)

static char *put_words(char *to, const char *words)
{
	return stpcpy(to, words);
}

static char *put_if(char *to, bool condition, const char *words)
{
	return condition ? put_words(to, words) : to;
}

static char *put_decimal(char *to, uint64_t number)
{
	char digits[20], *at = digits + sizeof(digits);
	size_t length;

	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	length = (size_t)(digits + sizeof(digits) - at);
	memcpy(to, at, length);
	return to + length;
}

/* perf prints 64-bit values as signed. */
static char *put_signed(char *to, uint64_t number)
{
	if (number >> 63) {
		*to++ = '-';
		number = -number;
	}
	return put_decimal(to, number);
}

static char *put_hex(char *to, uint64_t number)
{
	const unsigned digits = number ? (67 - (unsigned)__builtin_clzll(number)) / 4 : 1;

	to = PUT(to, "0x");
	for (unsigned i = digits; i-- > 0;)
		*to++ = "0123456789abcdef"[number >> (4 * i) & 15];
	return to;
}

/* A packet without words of its own: its type, payload and index. */
static char *put_raw(char *to, const char *type, const struct plumb_spe_packet *packet)
{
	to = put_words(to, type);
	to = put_hex(PUT(to, " "), packet->payload);
	to = put_decimal(PUT(to, " ("), packet->index);
	return PUT(to, ")");
}

/* ---- Events ---------------------------------------------------------------------------------- */

/*
 * The architecture's events come first, then the implementer's, then those without a name by
 * number. Versions up to 6.12 know only the first.
 */
static char *put_events(char *to, uint64_t events, uint32_t midr, bool newer)
{
	const uint64_t own = PLUMB_SPE_EVENT_BIT(PLUMB_SPE_EV_LATE_PREFETCH);
	const char *before = " IMPDEF:";
	uint64_t unnamed = 0;

	to = PUT(to, "EV");
	if (!newer)
		events &= OLD_EVENTS;
	for (; events; events &= events - 1) {
		const unsigned bit = (unsigned)__builtin_ctzll(events);
		const char *name = plumb_spe_event_name(midr, bit);

		if (!name || own >> bit & 1)
			unnamed |= PLUMB_SPE_EVENT_BIT(bit);
		else
			to = put_words(PUT(to, " "), name);
	}
	if (unnamed & own && has_late_prefetch(midr)) {
		to = put_words(PUT(to, " "), event_names[PLUMB_SPE_EV_LATE_PREFETCH]);
		unnamed &= ~own;
	}
	for (; unnamed; unnamed &= unnamed - 1) {
		to = put_decimal(put_words(to, before), (unsigned)__builtin_ctzll(unnamed));
		before = ",";
	}
	return to;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static char *put_sve(char *to, uint64_t payload)
{
	to = put_decimal(PUT(to, "SVE-OTHER EVLEN "), 32u << (payload >> 4 & 7));
	to = put_if(to, payload & 2, " FP");
	return put_if(to, payload & 4, " PRED");
}

/* Up to 6.12, all that is not SVE is a select or something else. */
static char *put_old_other(char *to, uint64_t payload)
{
	if ((payload & 0x89) == 0x08)
		return put_sve(to, payload);
	return put_words(to, payload & 1 ? "OTHER COND-SELECT" : "OTHER INSN-OTHER");
}

static char *put_other(char *to, struct plumb_spe_operation op,
		       const struct plumb_spe_packet *packet)
{
	switch (op.subclass) {
	case PLUMB_SPE_SUB_NONE:
		to = PUT(to, "OTHER");
		to = put_if(to, op.flags & PLUMB_SPE_OP_SIMD, " ASE");
		to = put_if(to, op.flags & PLUMB_SPE_OP_FP, " FP");
		return put_words(to, op.flags & PLUMB_SPE_OP_CONDITIONAL ? " COND-SELECT"
									 : " INSN-OTHER");
	case PLUMB_SPE_SUB_SVE:
		return put_sve(to, packet->payload);
	case PLUMB_SPE_SUB_SME:
		to = put_decimal(PUT(to, "SME-OTHER ETS "), op.vector_bits);
		return put_if(to, op.flags & PLUMB_SPE_OP_FP, " FP");
	default:
		return put_raw(to, "OP-TYPE", packet);
	}
}

static char *put_vector(char *to, struct plumb_spe_operation op, bool newer)
{
	to = put_decimal(put_words(to, newer ? " SVE-SME-REG EVLEN " : " EVLEN "), op.vector_bits);
	to = put_if(to, op.flags & PLUMB_SPE_OP_PREDICATED, " PRED");
	return put_if(to, op.flags & PLUMB_SPE_OP_GATHER_SCATTER, " SG");
}

/* What a load or store does, as far as that version knows. */
static char *put_access(char *to, struct plumb_spe_operation op,
			const struct plumb_spe_packet *packet, enum plumb_perf_version version)
{
	const bool after_6_1 = version != PLUMB_PERF_6_1, newer = perf_is_newer(version);

	if (op.subclass == PLUMB_SPE_SUB_UNKNOWN && !perf_is_exact(version))
		return put_raw(to, "OP-TYPE", packet);
	to = put_words(to, packet->payload & 1 ? "ST" : "LD");
	switch (op.subclass) {
	case PLUMB_SPE_SUB_GENERAL:
		return PUT(to, " GP-REG");
	case PLUMB_SPE_SUB_SIMD_FP:
		return PUT(to, " SIMD-FP");
	case PLUMB_SPE_SUB_UNSPECIFIED:
		return PUT(to, " UNSPEC-REG");
	case PLUMB_SPE_SUB_NESTED_VIRTUAL:
		return PUT(to, " NV-SYSREG");
	case PLUMB_SPE_SUB_EXTENDED:
		to = put_if(to, op.flags & PLUMB_SPE_OP_ATOMIC, " AT");
		to = put_if(to, op.flags & PLUMB_SPE_OP_EXCLUSIVE, " EXCL");
		return put_if(to, op.flags & PLUMB_SPE_OP_ACQUIRE_RELEASE, " AR");
	case PLUMB_SPE_SUB_SVE_SME:
		return put_vector(to, op, newer);
	case PLUMB_SPE_SUB_TAG:
		return put_if(to, after_6_1, " MTE-TAG");
	case PLUMB_SPE_SUB_MEMORY_COPY:
		return put_if(to, after_6_1, " MEMCPY");
	case PLUMB_SPE_SUB_MEMORY_SET:
		return put_if(to, after_6_1, " MEMSET");
	case PLUMB_SPE_SUB_GCS:
		to = put_if(to, newer, " GCS");
		return put_if(to, newer && op.flags & PLUMB_SPE_OP_COMMON, " COMM");
	default:
		return to;
	}
}

static char *put_branch(char *to, struct plumb_spe_operation op, uint64_t payload,
			enum plumb_perf_version version)
{
	to = PUT(to, "B");
	to = put_if(to, op.flags & PLUMB_SPE_OP_CONDITIONAL, " COND");
	/* To 6.1, a branch is indirect only if it is nothing else but conditional. */
	if (version == PLUMB_PERF_6_1)
		return put_if(to, (payload & 0xfe) == 0x02, " IND");
	to = put_if(to, op.subclass == PLUMB_SPE_SUB_INDIRECT, " IND");
	to = put_if(to, op.flags & PLUMB_SPE_OP_GCS, " GCS");
	to = put_if(to, op.flags & PLUMB_SPE_OP_LINK, " CR-BL");
	to = put_if(to, op.flags & PLUMB_SPE_OP_RETURN, " CR-RET");
	return put_if(to, (payload >> 3 & 3) == 3, " CR-NON-BL-RET");
}

static char *put_operation(char *to, const struct plumb_spe_packet *packet,
			   enum plumb_perf_version version)
{
	const struct plumb_spe_operation op =
		plumb_spe_operation(packet->index, (uint8_t)packet->payload);

	switch (packet->index) {
	case PLUMB_SPE_OTHER:
		return perf_is_newer(version) ? put_other(to, op, packet)
					      : put_old_other(to, packet->payload);
	case PLUMB_SPE_LOAD_STORE:
		return put_access(to, op, packet, version);
	case PLUMB_SPE_BRANCH:
		return put_branch(to, op, packet->payload, version);
	default:
		return put_raw(to, "OP-TYPE", packet);
	}
}

/* ---- Addresses and counters ------------------------------------------------------------------ */

static char *put_code_address(char *to, const char *which, uint64_t payload)
{
	to = put_hex(put_words(to, which), plumb_spe_physical_address(payload));
	to = put_decimal(PUT(to, " el"), plumb_spe_exception_level(payload));
	return put_words(to, plumb_spe_non_secure(payload) ? " ns=1" : " ns=0");
}

static char *put_physical_address(char *to, uint64_t payload)
{
	to = put_hex(PUT(to, "PA "), plumb_spe_physical_address(payload));
	to = put_words(to, plumb_spe_non_secure(payload) ? " ns=1" : " ns=0");
	to = put_words(to, payload >> 62 & 1 ? " ch=1 pat=" : " ch=0 pat=");
	*to++ = "0123456789abcdef"[payload >> 56 & 15];
	return to;
}

static char *put_address(char *to, const struct plumb_spe_packet *packet,
			 enum plumb_perf_version version)
{
	switch (packet->index) {
	case PLUMB_SPE_PC:
		return put_code_address(to, "PC ", packet->payload);
	case PLUMB_SPE_BRANCH_TARGET:
		return put_code_address(to, "TGT ", packet->payload);
	case PLUMB_SPE_DATA_VIRTUAL:
		return put_hex(PUT(to, "VA "), packet->payload);
	case PLUMB_SPE_DATA_PHYSICAL:
		return put_physical_address(to, packet->payload);
	case PLUMB_SPE_PREVIOUS_TARGET:
		if (version != PLUMB_PERF_6_1)
			return put_code_address(to, "PBT ", packet->payload);
		__attribute__((fallthrough));
	default:
		return put_raw(to, "ADDR", packet);
	}
}

/* A counter without a name keeps the blank before it, as in perf. */
static char *put_counter(char *to, const struct plumb_spe_packet *packet)
{
	static const char *const names[] = {" TOT", " ISSUE", " XLAT"};

	to = put_decimal(PUT(to, "LAT "), packet->payload & 0xffff);
	return put_words(to, packet->index < 3 ? names[packet->index] : " ");
}

/* ---- Packets --------------------------------------------------------------------------------- */

static char *put_packet(char *to, const struct plumb_spe_packet *packet, uint32_t midr,
			enum plumb_perf_version version)
{
	switch (packet->type) {
	case PLUMB_SPE_PADDING:
	case PLUMB_SPE_ALIGNMENT:
		return PUT(to, "PAD");
	case PLUMB_SPE_END:
		return PUT(to, "END");
	case PLUMB_SPE_TIMESTAMP:
		return put_signed(PUT(to, "TS "), packet->payload);
	case PLUMB_SPE_EVENTS:
		return put_events(to, packet->payload, midr, perf_is_newer(version));
	case PLUMB_SPE_DATA_SOURCE:
		return put_signed(PUT(to, "DATA-SOURCE "), packet->payload);
	case PLUMB_SPE_OPERATION:
		return put_operation(to, packet, version);
	case PLUMB_SPE_CONTEXT:
		to = put_hex(PUT(to, "CONTEXT "), packet->payload);
		return put_decimal(PUT(to, " el"), packet->index + 1u);
	case PLUMB_SPE_COUNTER:
		return put_counter(to, packet);
	case PLUMB_SPE_ADDRESS:
		return put_address(to, packet, version);
	default:
		return PUT(to, "Bad packet!");
	}
}

int plumb_spe_packet_text(const struct plumb_spe_packet *packet, uint32_t midr,
			  enum plumb_perf_version version, char *text, size_t size)
{
	char whole[TEXT_MAX];
	const size_t length = (size_t)(put_packet(whole, packet, midr, version) - whole);
	const size_t shown = length < size ? length : size - !!size;

	if (size) {
		memcpy(text, whole, shown);
		text[shown] = '\0';
	}
	return (int)length;
}
