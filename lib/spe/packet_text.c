/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets as text: in the words of `perf report -D` 6.1, to the letter, and in full, with the names
 * that later versions gave to what 6.1 does not know.
 */
#include <inttypes.h>
#include <plumb/spe.h>
#include <stdio.h>

#define EVENTS_OF_6_1                                                            \
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

const char *plumb_spe_event_name(unsigned bit)
{
	return bit < 64 ? event_names[bit] : NULL;
}

/* Text that is cut off at its end, but of which the whole length is known. */
struct text {
	char *at;
	size_t room;
	size_t length;
};

static void add_piece(struct text *text, const char *piece, int size)
{
	for (int i = 0; i < size; i++, text->length++)
		if (text->length < text->room)
			text->at[text->length] = piece[i];
}

/* A piece of fewer than 100 bytes, by a format. */
#define add(text, ...)                                                    \
	do {                                                              \
		char piece[100];                                          \
		int length = snprintf(piece, sizeof(piece), __VA_ARGS__); \
                                                                          \
		add_piece(text, piece, length);                           \
	} while (0)

static void end_text(struct text *text)
{
	if (text->room)
		text->at[text->length < text->room ? text->length : text->room - 1] = '\0';
}

static void add_if(struct text *text, bool condition, const char *words)
{
	if (condition)
		add(text, "%s", words);
}

/* What no words are known for: the type, the payload, the index. */
static void add_raw(struct text *text, const char *type, const struct plumb_spe_packet *packet)
{
	add(text, "%s 0x%" PRIx64 " (%u)", type, packet->payload, packet->index);
}

/* Bits without a name come last, by number. */
static void add_events(struct text *text, uint64_t events, uint64_t named, bool full)
{
	const char *before = " IMPDEF:";

	add(text, "EV");
	for (unsigned bit = 0; bit < 64; bit++)
		if (events & named & PLUMB_SPE_EVENT_BIT(bit) && event_names[bit])
			add(text, " %s", event_names[bit]);
	for (unsigned bit = 0; full && bit < 64; bit++) {
		if (!(events & PLUMB_SPE_EVENT_BIT(bit)) || event_names[bit])
			continue;
		add(text, "%s%u", before, bit);
		before = ",";
	}
}

static unsigned vector_bits(uint64_t payload)
{
	return 32u << (payload >> 4 & 7);
}

/* What 6.1 makes of class 0: whatever is not SVE is a select or something else. */
static void add_other(struct text *text, uint64_t payload)
{
	if ((payload & 0x89) == 0x08) {
		add(text, "SVE-OTHER EVLEN %u", vector_bits(payload));
		add_if(text, payload & 2, " FP");
		add_if(text, payload & 4, " PRED");
	} else {
		add(text, "OTHER %s", payload & 1 ? "COND-SELECT" : "INSN-OTHER");
	}
}

static void add_access(struct text *text, uint64_t payload)
{
	add(text, "%s", payload & 1 ? "ST" : "LD");
	if ((payload & 0xe2) == 0x02) {
		add_if(text, payload & 4, " AT");
		add_if(text, payload & 8, " EXCL");
		add_if(text, payload & 16, " AR");
	}
	add_if(text, (payload & 0xfe) == 0x00, " GP-REG");
	add_if(text, (payload & 0xfe) == 0x04, " SIMD-FP");
	add_if(text, (payload & 0xfe) == 0x10, " UNSPEC-REG");
	add_if(text, (payload & 0xfe) == 0x30, " NV-SYSREG");
	if ((payload & 0x0a) == 0x08) {
		add(text, " EVLEN %u", vector_bits(payload));
		add_if(text, payload & 4, " PRED");
		add_if(text, payload & 0x80, " SG");
	}
}

/* To 6.1, a branch is indirect only if it is nothing else but conditional. */
static void add_branch(struct text *text, uint64_t payload)
{
	add(text, "B");
	add_if(text, payload & 1, " COND");
	add_if(text, (payload & 0xfe) == 0x02, " IND");
}

static void add_operation(struct text *text, const struct plumb_spe_packet *packet)
{
	switch (packet->index) {
	case PLUMB_SPE_OTHER:
		add_other(text, packet->payload);
		break;
	case PLUMB_SPE_LOAD_STORE:
		add_access(text, packet->payload);
		break;
	case PLUMB_SPE_BRANCH:
		add_branch(text, packet->payload);
		break;
	default:
		add_raw(text, "OP-TYPE", packet);
		break;
	}
}

static void add_full_other(struct text *text, const struct plumb_spe_operation *op,
			   const struct plumb_spe_packet *packet)
{
	switch (op->subclass) {
	case PLUMB_SPE_SUB_NONE:
		add(text, "OTHER");
		add_if(text, op->flags & PLUMB_SPE_OP_SIMD, " ASE");
		add_if(text, op->flags & PLUMB_SPE_OP_FP, " FP");
		add(text, op->flags & PLUMB_SPE_OP_CONDITIONAL ? " COND-SELECT" : " INSN-OTHER");
		break;
	case PLUMB_SPE_SUB_SVE:
		add_other(text, packet->payload);
		break;
	case PLUMB_SPE_SUB_SME:
		add(text, "SME-OTHER ETS %u", op->vector_bits);
		add_if(text, op->flags & PLUMB_SPE_OP_FP, " FP");
		break;
	default:
		add_raw(text, "OP-TYPE", packet);
		break;
	}
}

static void add_full_access(struct text *text, const struct plumb_spe_operation *op,
			    const struct plumb_spe_packet *packet)
{
	switch (op->subclass) {
	case PLUMB_SPE_SUB_GENERAL:
	case PLUMB_SPE_SUB_SIMD_FP:
	case PLUMB_SPE_SUB_UNSPECIFIED:
	case PLUMB_SPE_SUB_NESTED_VIRTUAL:
	case PLUMB_SPE_SUB_EXTENDED:
		add_access(text, packet->payload);
		return;
	case PLUMB_SPE_SUB_UNKNOWN:
		add_raw(text, "OP-TYPE", packet);
		return;
	default:
		break;
	}
	add(text, "%s", op->kind == PLUMB_SPE_KIND_STORE ? "ST" : "LD");
	add_if(text, op->subclass == PLUMB_SPE_SUB_TAG, " MTE-TAG");
	add_if(text, op->subclass == PLUMB_SPE_SUB_MEMORY_COPY, " MEMCPY");
	add_if(text, op->subclass == PLUMB_SPE_SUB_MEMORY_SET, " MEMSET");
	add_if(text, op->subclass == PLUMB_SPE_SUB_GCS, " GCS");
	add_if(text, op->flags & PLUMB_SPE_OP_COMMON, " COMM");
	if (op->subclass == PLUMB_SPE_SUB_SVE_SME) {
		add(text, " SVE-SME-REG EVLEN %u", op->vector_bits);
		add_if(text, op->flags & PLUMB_SPE_OP_PREDICATED, " PRED");
		add_if(text, op->flags & PLUMB_SPE_OP_GATHER_SCATTER, " SG");
	}
}

static void add_full_branch(struct text *text, const struct plumb_spe_operation *op,
			    uint64_t payload)
{
	add(text, "B");
	add_if(text, op->flags & PLUMB_SPE_OP_CONDITIONAL, " COND");
	add_if(text, op->subclass == PLUMB_SPE_SUB_INDIRECT, " IND");
	add_if(text, op->flags & PLUMB_SPE_OP_GCS, " GCS");
	add_if(text, op->flags & PLUMB_SPE_OP_LINK, " CR-BL");
	add_if(text, op->flags & PLUMB_SPE_OP_RETURN, " CR-RET");
	add_if(text, (payload >> 3 & 3) == 3, " CR-NON-BL-RET");
}

static void add_full_operation(struct text *text, const struct plumb_spe_packet *packet)
{
	struct plumb_spe_operation op =
		plumb_spe_operation(packet->index, (uint8_t)packet->payload);

	switch (packet->index) {
	case PLUMB_SPE_OTHER:
		add_full_other(text, &op, packet);
		break;
	case PLUMB_SPE_LOAD_STORE:
		add_full_access(text, &op, packet);
		break;
	case PLUMB_SPE_BRANCH:
		add_full_branch(text, &op, packet->payload);
		break;
	default:
		add_raw(text, "OP-TYPE", packet);
		break;
	}
}

static void add_code_address(struct text *text, const char *which, uint64_t payload)
{
	add(text, "%s 0x%" PRIx64 " el%u ns=%d", which, plumb_spe_physical_address(payload),
	    plumb_spe_exception_level(payload), plumb_spe_non_secure(payload));
}

static void add_address(struct text *text, const struct plumb_spe_packet *packet, bool full)
{
	uint64_t payload = packet->payload;

	switch (packet->index) {
	case PLUMB_SPE_PC:
		add_code_address(text, "PC", payload);
		break;
	case PLUMB_SPE_BRANCH_TARGET:
		add_code_address(text, "TGT", payload);
		break;
	case PLUMB_SPE_DATA_VIRTUAL:
		add(text, "VA 0x%" PRIx64, payload);
		break;
	case PLUMB_SPE_DATA_PHYSICAL:
		add(text, "PA 0x%" PRIx64 " ns=%d ch=%u pat=%x",
		    plumb_spe_physical_address(payload), plumb_spe_non_secure(payload),
		    (unsigned)(payload >> 62) & 1, (unsigned)(payload >> 56) & 0xf);
		break;
	case PLUMB_SPE_PREVIOUS_TARGET:
		if (full) {
			add_code_address(text, "PBT", payload);
			break;
		}
		__attribute__((fallthrough));
	default:
		add_raw(text, "ADDR", packet);
		break;
	}
}

/* Of a counter without a name, the blank stays, as in 6.1. */
static void add_counter(struct text *text, const struct plumb_spe_packet *packet)
{
	static const char *const names[] = {"TOT", "ISSUE", "XLAT"};
	bool named = packet->index < sizeof(names) / sizeof(*names);

	add(text, "LAT %u %s", (unsigned)(packet->payload & 0xffff),
	    named ? names[packet->index] : "");
}

static int packet_text(const struct plumb_spe_packet *packet, bool full, char *at, size_t room)
{
	struct text text = {at, room, 0};

	switch (packet->type) {
	case PLUMB_SPE_PADDING:
	case PLUMB_SPE_ALIGNMENT:
		add(&text, "PAD");
		break;
	case PLUMB_SPE_END:
		add(&text, "END");
		break;
	case PLUMB_SPE_TIMESTAMP:
		add(&text, "TS %" PRId64, (int64_t)packet->payload);
		break;
	case PLUMB_SPE_EVENTS:
		add_events(&text, packet->payload, full ? UINT64_MAX : EVENTS_OF_6_1, full);
		break;
	case PLUMB_SPE_DATA_SOURCE:
		add(&text, "DATA-SOURCE %" PRId64, (int64_t)packet->payload);
		break;
	case PLUMB_SPE_OPERATION:
		full ? add_full_operation(&text, packet) : add_operation(&text, packet);
		break;
	case PLUMB_SPE_CONTEXT:
		add(&text, "CONTEXT 0x%" PRIx64 " el%u", packet->payload, packet->index + 1u);
		break;
	case PLUMB_SPE_COUNTER:
		add_counter(&text, packet);
		break;
	case PLUMB_SPE_ADDRESS:
		add_address(&text, packet, full);
		break;
	default:
		add(&text, "Bad packet!");
		break;
	}
	end_text(&text);
	return (int)text.length;
}

int plumb_spe_packet_text(const struct plumb_spe_packet *packet, char *text, size_t size)
{
	return packet_text(packet, false, text, size);
}

int plumb_spe_packet_text_full(const struct plumb_spe_packet *packet, char *text, size_t size)
{
	return packet_text(packet, true, text, size);
}
