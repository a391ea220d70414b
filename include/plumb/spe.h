/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes bytes of the Statistical Profiling Extension to packets and records.
 *
 * The Arm Architecture Reference Manual, DDI 0487, defines the format in "The Statistical Profiling
 * Extension sample record protocol". Everything is little-endian. No function here allocates unless
 * its comment says so. Any number of threads may call them at once, each on its own data. All input
 * is treated as hostile: no length, index or order of packets can do harm.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_SPE_H
#define PLUMB_SPE_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Packets ------------------------------------------------------------------------------- */

enum plumb_spe_packet_type {
	PLUMB_SPE_PADDING,
	PLUMB_SPE_END,       /* ends a record without a timestamp */
	PLUMB_SPE_TIMESTAMP, /* also ends a record */
	PLUMB_SPE_EVENTS,
	PLUMB_SPE_DATA_SOURCE,
	PLUMB_SPE_OPERATION, /* .index: enum plumb_spe_class, or a reserved number */
	PLUMB_SPE_CONTEXT,   /* .index: 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2 */
	PLUMB_SPE_COUNTER,   /* .index: enum plumb_spe_counter, 0 to 31 */
	PLUMB_SPE_ADDRESS,   /* .index: enum plumb_spe_address, 0 to 31 */
	PLUMB_SPE_ALIGNMENT, /* skips to the next multiple of .payload bytes */
	PLUMB_SPE_INVALID,   /* one byte that cannot begin a packet */
};

enum plumb_spe_class {
	PLUMB_SPE_OTHER = 0,
	PLUMB_SPE_LOAD_STORE = 1, /* also atomics */
	PLUMB_SPE_BRANCH = 2,     /* also exception returns */
};

enum plumb_spe_counter {
	PLUMB_SPE_TOTAL_LATENCY = 0,
	PLUMB_SPE_ISSUE_LATENCY = 1,
	PLUMB_SPE_TRANSLATION_LATENCY = 2,
};

enum plumb_spe_address {
	PLUMB_SPE_PC = 0,
	PLUMB_SPE_BRANCH_TARGET = 1,
	PLUMB_SPE_DATA_VIRTUAL = 2,
	PLUMB_SPE_DATA_PHYSICAL = 3,
	PLUMB_SPE_PREVIOUS_TARGET = 4,
};

/*
 * The longest packet: two bytes of header and eight of payload. Only alignments are longer, up to
 * 65537 bytes.
 */
#define PLUMB_SPE_PACKET_MAX 10

struct plumb_spe_packet {
	uint64_t payload;      /* zero-extended */
	uint32_t size;         /* in bytes, including those that an alignment skips */
	uint8_t type;          /* enum plumb_spe_packet_type */
	uint8_t index;         /* depends on the type, or 0 */
	uint8_t header_bytes;  /* 1, or 2 with an extended header */
	uint8_t payload_bytes; /* 0, 1, 2, 4 or 8 */
};

/*
 * Decodes the first packet of the `size` bytes at `bytes`. `offset` is its offset in its buffer, to
 * which alignments are relative. Returns the number of bytes consumed, which is 1 for
 * PLUMB_SPE_INVALID, or 0 if the packet is longer than `size`.
 */
PLUMB_API int plumb_spe_decode_packet(const uint8_t *bytes, size_t size, uint64_t offset,
				      struct plumb_spe_packet *packet);

/*
 * The version of perf to follow where versions differ. NEWEST does what perf 7.3 does, without its
 * errors. The others reproduce their version's errors, so that output can be compared.
 */
enum plumb_perf_version {
	PLUMB_PERF_NEWEST = 0,
	PLUMB_PERF_6_1 = 601,
	PLUMB_PERF_6_12 = 612,
	PLUMB_PERF_7_3 = 703,
};
/* Reads "6.1", "6.12" or "7.3". Returns the version, or PLUMB_ERR_NOT_FOUND. */
PLUMB_API int plumb_perf_version(const char *text);

/*
 * Formats a packet like `perf report -D`: "LAT 12 ISSUE", "PC 0x4005d0 el0 ns=1". `text` always
 * ends with NUL; it may be NULL if `size` is 0. Returns the length, as snprintf() does. `midr` is
 * that of the core that made the packet, or 0 if unknown. Alignments are "PAD"; bytes that cannot
 * begin a packet are "Bad packet!". Versions up to 6.12 leave out what they do not know: later
 * events, SME, memory copies, guarded control stacks, calls and returns.
 */
PLUMB_API int plumb_spe_packet_text(const struct plumb_spe_packet *packet, uint32_t midr,
				    enum plumb_perf_version version, char *text, size_t size);

/* ---- Records ------------------------------------------------------------------------------- */

/* Bits of .has: the members that the record's packets set. All other members are 0. */
enum plumb_spe_has {
	PLUMB_SPE_HAS_PC = 1u << 0, /* address i: 1u << i, up to PREVIOUS_TARGET */
	PLUMB_SPE_HAS_BRANCH_TARGET = 1u << 1,
	PLUMB_SPE_HAS_DATA_VIRTUAL = 1u << 2,
	PLUMB_SPE_HAS_DATA_PHYSICAL = 1u << 3,
	PLUMB_SPE_HAS_PREVIOUS_TARGET = 1u << 4,
	PLUMB_SPE_HAS_TOTAL_LATENCY = 1u << 5,
	PLUMB_SPE_HAS_ISSUE_LATENCY = 1u << 6,
	PLUMB_SPE_HAS_TRANSLATION_LATENCY = 1u << 7,
	PLUMB_SPE_HAS_EVENTS = 1u << 8,
	PLUMB_SPE_HAS_OPERATION = 1u << 9,
	PLUMB_SPE_HAS_DATA_SOURCE = 1u << 10,
	PLUMB_SPE_HAS_CONTEXT_EL1 = 1u << 11,
	PLUMB_SPE_HAS_CONTEXT_EL2 = 1u << 12,
	PLUMB_SPE_HAS_TIMESTAMP = 1u << 13,
	PLUMB_SPE_HAS_END = 1u << 14,    /* ended by an END packet, not by a timestamp */
	PLUMB_SPE_HAS_OTHERS = 1u << 15, /* had packets without a member: higher indexes */
};

/*
 * One record, with its undecoded payloads; functions below decode them on request. If a packet
 * occurs twice, the last one is used.
 */
struct plumb_spe_record {
	uint64_t offset;       /* of its first byte in its buffer (see plumb_spe_stream) */
	uint32_t size;         /* bytes to the end of its last packet, at most UINT32_MAX */
	uint32_t has;          /* bits of enum plumb_spe_has */
	uint64_t addresses[5]; /* payloads, by enum plumb_spe_address */
	uint64_t events;
	uint64_t data_source;
	uint64_t timestamp;
	uint32_t contexts[2]; /* by packet index */
	uint16_t counters[3]; /* by enum plumb_spe_counter */
	uint8_t op_class;     /* enum plumb_spe_class, or reserved: 3 */
	uint8_t operation;    /* payload of the operation packet */
	uint8_t events_bytes; /* size of the packet's payload: 1, 2, 4, 8; 0: no packet */
	uint8_t data_source_bytes;
};

/* Event bits, DDI 0487 "Events packet"; the page of each is in doc/spe.md. */
enum plumb_spe_event {
	PLUMB_SPE_EV_EXCEPTION = 0,
	PLUMB_SPE_EV_RETIRED = 1,
	PLUMB_SPE_EV_L1D_ACCESS = 2,
	PLUMB_SPE_EV_L1D_REFILL = 3,
	PLUMB_SPE_EV_TLB_ACCESS = 4,
	PLUMB_SPE_EV_TLB_WALK = 5,
	PLUMB_SPE_EV_NOT_TAKEN = 6,
	PLUMB_SPE_EV_MISPREDICTED = 7,
	PLUMB_SPE_EV_LLC_ACCESS = 8,
	PLUMB_SPE_EV_LLC_MISS = 9,
	PLUMB_SPE_EV_REMOTE_ACCESS = 10,
	PLUMB_SPE_EV_MISALIGNED = 11,
	PLUMB_SPE_EV_LATE_PREFETCH = 12, /* implementation defined; Neoverse N1 */
	PLUMB_SPE_EV_TRANSACTIONAL = 16,
	PLUMB_SPE_EV_PARTIAL_PREDICATE = 17,
	PLUMB_SPE_EV_EMPTY_PREDICATE = 18,
	PLUMB_SPE_EV_L2D_ACCESS = 19,
	PLUMB_SPE_EV_L2D_MISS = 20,
	PLUMB_SPE_EV_CACHE_DATA_MODIFIED = 21,
	PLUMB_SPE_EV_RECENTLY_FETCHED = 22,
	PLUMB_SPE_EV_DATA_SNOOPED = 23,
	PLUMB_SPE_EV_STREAMING_SVE = 24,
	PLUMB_SPE_EV_SHARED_SME = 25,
};
#define PLUMB_SPE_EVENT_BIT(event) (UINT64_C(1) << (event))

/*
 * Returns perf's name of an event, such as "L1D-REFILL", or NULL for bits without a name. `midr` is
 * the core's, or 0 if unknown; it decides the meaning of implementation defined bits.
 */
PLUMB_API const char *plumb_spe_event_name(uint32_t midr, unsigned bit);

/* Decode the payload of a PC or a branch target: the address, with kernel addresses sign-extended,
 * the exception level and the security state. */
PLUMB_API uint64_t plumb_spe_code_address(uint64_t payload);
static inline unsigned plumb_spe_exception_level(uint64_t payload)
{
	return (unsigned)(payload >> 61) & 3;
}
static inline bool plumb_spe_non_secure(uint64_t payload)
{
	return payload >> 63;
}

/*
 * Return a virtual data address without its tag (top byte), with kernel addresses sign-extended;
 * and a physical address without the bits above 55. The tag is payload >> 56.
 */
PLUMB_API uint64_t plumb_spe_virtual_address(uint64_t payload);
static inline uint64_t plumb_spe_physical_address(uint64_t payload)
{
	return payload & UINT64_C(0x00ffffffffffffff);
}

/* The contents of an operation packet. */
enum plumb_spe_kind {
	PLUMB_SPE_KIND_OTHER,
	PLUMB_SPE_KIND_LOAD,
	PLUMB_SPE_KIND_STORE, /* an atomic is a load or a store, depending on its packet's bit 0 */
	PLUMB_SPE_KIND_BRANCH,
	PLUMB_SPE_KIND_UNKNOWN, /* no operation packet, or a reserved class */
};

enum plumb_spe_subclass {
	/* of other */
	PLUMB_SPE_SUB_NONE, /* not given */
	PLUMB_SPE_SUB_SVE,
	PLUMB_SPE_SUB_SME,
	/* of load and store */
	PLUMB_SPE_SUB_GENERAL,
	PLUMB_SPE_SUB_SIMD_FP,
	PLUMB_SPE_SUB_UNSPECIFIED,
	PLUMB_SPE_SUB_TAG,
	PLUMB_SPE_SUB_MEMORY_COPY,
	PLUMB_SPE_SUB_MEMORY_SET,
	PLUMB_SPE_SUB_NESTED_VIRTUAL,
	PLUMB_SPE_SUB_EXTENDED, /* atomic, exclusive, acquire or release: see the flags */
	PLUMB_SPE_SUB_SVE_SME,
	PLUMB_SPE_SUB_GCS,
	/* of branches */
	PLUMB_SPE_SUB_DIRECT,
	PLUMB_SPE_SUB_INDIRECT,
	PLUMB_SPE_SUB_UNKNOWN,
};

enum plumb_spe_operation_flag {
	PLUMB_SPE_OP_CONDITIONAL = 1 << 0, /* branch or select */
	PLUMB_SPE_OP_FP = 1 << 1,
	PLUMB_SPE_OP_SIMD = 1 << 2,
	PLUMB_SPE_OP_PREDICATED = 1 << 3,
	PLUMB_SPE_OP_GATHER_SCATTER = 1 << 4,
	PLUMB_SPE_OP_ATOMIC = 1 << 5,
	PLUMB_SPE_OP_EXCLUSIVE = 1 << 6,
	PLUMB_SPE_OP_ACQUIRE_RELEASE = 1 << 7,
	PLUMB_SPE_OP_LINK = 1 << 8, /* a call */
	PLUMB_SPE_OP_RETURN = 1 << 9,
	PLUMB_SPE_OP_GCS = 1 << 10,
	PLUMB_SPE_OP_COMMON = 1 << 11, /* of a guarded control stack access */
};

struct plumb_spe_operation {
	uint8_t kind;         /* enum plumb_spe_kind */
	uint8_t subclass;     /* enum plumb_spe_subclass */
	uint16_t flags;       /* bits of enum plumb_spe_operation_flag */
	uint32_t vector_bits; /* SVE: length; SME: tile size; others: 0 */
};
/* Decodes an operation packet; any class and payload, also reserved ones. */
PLUMB_API struct plumb_spe_operation plumb_spe_operation(uint8_t op_class, uint8_t payload);
PLUMB_API const char *plumb_spe_kind_name(unsigned kind); /* "load"; "other" also for UNKNOWN */
/* "general", "simd-fp", "sve"; static storage. */
PLUMB_API const char *plumb_spe_subclass_name(unsigned subclass);

/* ---- Reading records ------------------------------------------------------------------------ */

/*
 * A stream of bytes in pieces. It keeps what a piece leaves unfinished (at most
 * PLUMB_SPE_PACKET_MAX bytes and the current record), so that records may straddle pieces. It makes
 * no difference where pieces end.
 *
 * A record begins with the first packet that is not padding, and ends with a timestamp or an END. A
 * byte that cannot begin a packet is skipped, and the current record is dropped, because the next
 * packets may belong to another record.
 */
struct plumb_spe_stream;

/* Begins a stream. Returns 0 or NO_MEMORY. Free with plumb_spe_stream_free(), which accepts NULL.
 */
PLUMB_API int plumb_spe_stream_new(struct plumb_spe_stream **stream);
PLUMB_API void plumb_spe_stream_free(struct plumb_spe_stream *stream);
/* Sets the next piece, after the previous one has been read to its end. The caller keeps the bytes
 * until this one has been, too. */
PLUMB_API void plumb_spe_stream_feed(struct plumb_spe_stream *stream, const uint8_t *bytes,
				     size_t size);
/*
 * Reads up to `room` records, as long as the piece lasts. Returns how many. The records after them
 * in the array are undefined. Reading about 64 at once is faster than one by one.
 */
PLUMB_API size_t plumb_spe_stream_read(struct plumb_spe_stream *stream,
				       struct plumb_spe_record *records, size_t room);
/* Ends the stream, and counts a record that is left unfinished. */
PLUMB_API void plumb_spe_stream_end(struct plumb_spe_stream *stream);

/* What a stream lacks. Made by the library; may grow. */
struct plumb_spe_losses {
	uint64_t skipped;       /* bytes that cannot begin a packet */
	uint64_t first_skipped; /* offset of the first of them in the stream; UINT64_MAX: none */
	uint64_t unfinished;    /* records cut off by such bytes or by the end of the data */
};
/* Returns the losses so far, which belong to the stream. */
PLUMB_API const struct plumb_spe_losses *
plumb_spe_stream_losses(const struct plumb_spe_stream *stream);

/* ---- Data sources --------------------------------------------------------------------------- */

/*
 * Returns the name of a data source on the core with this MIDR, such as "L2" or "DRAM", in static
 * storage; NULL if the core or the number is unknown: show the number then.
 */
PLUMB_API const char *plumb_spe_data_source_name(uint32_t midr, uint64_t data_source);

#ifdef __cplusplus
}
#endif

#endif
