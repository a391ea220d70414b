/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Statistical Profiling Extension's records: bytes to packets to records, and back.
 *
 * The format is the Arm Architecture Reference Manual's, DDI 0487, "The Statistical Profiling
 * Extension sample record protocol". Everything is little-endian. No function here allocates unless
 * it says so; all may be called by any number of threads at once, on data of their own. Every input
 * byte may be hostile: no length, index or order of packets does harm.
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
	PLUMB_SPE_END,       /* of a record, without a timestamp */
	PLUMB_SPE_TIMESTAMP, /* ends a record, too */
	PLUMB_SPE_EVENTS,
	PLUMB_SPE_DATA_SOURCE,
	PLUMB_SPE_OPERATION, /* .index: enum plumb_spe_class, or a number that is reserved */
	PLUMB_SPE_CONTEXT,   /* .index: 0 CONTEXTIDR_EL1, 1 CONTEXTIDR_EL2 */
	PLUMB_SPE_COUNTER,   /* .index: enum plumb_spe_counter, 0 to 31 */
	PLUMB_SPE_ADDRESS,   /* .index: enum plumb_spe_address, 0 to 31 */
	PLUMB_SPE_ALIGNMENT, /* skips to the next multiple of .payload bytes */
	PLUMB_SPE_INVALID,   /* one byte that begins no packet */
};

enum plumb_spe_class {
	PLUMB_SPE_OTHER = 0,
	PLUMB_SPE_LOAD_STORE = 1, /* atomics, too */
	PLUMB_SPE_BRANCH = 2,     /* exception returns, too */
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
 * A packet's longest encoding: two bytes of header, eight of payload. Alignments are longer, up to
 * 65537 bytes.
 */
#define PLUMB_SPE_PACKET_MAX 10

struct plumb_spe_packet {
	uint64_t payload;      /* zero-extended */
	uint32_t size;         /* bytes in all, what an alignment skips included */
	uint8_t type;          /* enum plumb_spe_packet_type */
	uint8_t index;         /* as the type says, else 0 */
	uint8_t header_bytes;  /* 1, or 2 with an extended header */
	uint8_t payload_bytes; /* 0, 1, 2, 4 or 8 */
};

/*
 * Decodes the packet at the beginning of `bytes`, `size` of them, which stands `offset` bytes after
 * the beginning of its buffer (alignments are relative to that). Returns the bytes consumed, one
 * for PLUMB_SPE_INVALID, or 0 if the packet is longer than `size`.
 */
PLUMB_API int plumb_spe_decode_packet(const uint8_t *bytes, size_t size, uint64_t offset,
				      struct plumb_spe_packet *packet);

/*
 * Encodes `packet` at `bytes`, which has room for `size`. Of .size only an alignment's is looked
 * at; an extended header is written if .header_bytes is 2 or the index needs it. Returns the bytes
 * written, or PLUMB_ERR_LIMIT if they do not fit, PLUMB_ERR_ARGUMENT if there is no such packet: a
 * payload larger than .payload_bytes, an index that the header cannot hold, PLUMB_SPE_INVALID.
 */
PLUMB_API int plumb_spe_encode_packet(const struct plumb_spe_packet *packet, uint8_t *bytes,
				      size_t size);

/*
 * Whose behaviour is followed where versions of perf differ. NEWEST is what perf 7.3 does, without
 * its mistakes; the others include theirs, so that output can be compared.
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
 * What the packet says as `perf report -D` puts it, "LAT 12 ISSUE" or "PC 0x4005d0 el0 ns=1", into
 * `text`, always ended by NUL (if `size` is not 0, when `text` may be NULL). Returns its length, as
 * snprintf() does. `midr` is of the core that made it, 0 if that is not known. Alignments are
 * "PAD", bytes that begin no packet "Bad packet!". Versions up to 6.12 leave out what they do not
 * know: later events, SME, memory copies, guarded control stacks, calls and returns.
 */
PLUMB_API int plumb_spe_packet_text(const struct plumb_spe_packet *packet, uint32_t midr,
				    enum plumb_perf_version version, char *text, size_t size);

/* ---- Records ------------------------------------------------------------------------------- */

/* Bits of .has: which members the record's packets gave. Those it did not give are 0. */
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
	PLUMB_SPE_HAS_END = 1u << 14,    /* an END packet; else the timestamp ended it */
	PLUMB_SPE_HAS_OTHERS = 1u << 15, /* packets that no member is for: indexes beyond these */
};

/*
 * One record, with its payloads as they came: what plumb_spe_record_*() below makes of them costs
 * nothing until asked for. A packet that comes twice: the last one counts.
 */
struct plumb_spe_record {
	uint64_t offset; /* of its first byte in its buffer (see plumb_spe_stream) */
	uint32_t size;   /* bytes to the end of its last packet, UINT32_MAX if they are more */
	uint32_t has;    /* bits of enum plumb_spe_has */
	uint64_t addresses[5]; /* payloads, by enum plumb_spe_address */
	uint64_t events;
	uint64_t data_source;
	uint64_t timestamp;
	uint32_t contexts[2]; /* by packet index */
	uint16_t counters[3]; /* by enum plumb_spe_counter */
	uint8_t op_class;     /* enum plumb_spe_class, or reserved: 3 */
	uint8_t operation;    /* payload of the operation packet */
	uint8_t events_bytes; /* that the packets' payloads had: 1, 2, 4, 8; 0: no packet */
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
 * "L1D-REFILL" as perf names it; NULL for bits without a name. `midr` is of the core, 0 if it is
 * not known: some bits are each implementer's own.
 */
PLUMB_API const char *plumb_spe_event_name(uint32_t midr, unsigned bit);

/* PC and branch targets: the address with kernel addresses sign-extended, and the rest of the
 * payload. */
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
 * A data virtual address without its tag (top byte), kernel addresses sign-extended; the tag is
 * payload >> 56. And a physical one, without what stands above bit 55.
 */
PLUMB_API uint64_t plumb_spe_virtual_address(uint64_t payload);
static inline uint64_t plumb_spe_physical_address(uint64_t payload)
{
	return payload & UINT64_C(0x00ffffffffffffff);
}

/* What an operation packet's payload says. */
enum plumb_spe_kind {
	PLUMB_SPE_KIND_OTHER,
	PLUMB_SPE_KIND_LOAD,
	PLUMB_SPE_KIND_STORE, /* an atomic is what its packet's bit 0 says */
	PLUMB_SPE_KIND_BRANCH,
	PLUMB_SPE_KIND_UNKNOWN, /* no operation packet, or a reserved class */
};

enum plumb_spe_subclass {
	/* of other */
	PLUMB_SPE_SUB_NONE, /* nothing more is said */
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
	uint32_t vector_bits; /* SVE: length; SME: tile size; else 0 */
};
PLUMB_API struct plumb_spe_operation plumb_spe_operation(uint8_t op_class, uint8_t payload);
PLUMB_API const char *plumb_spe_kind_name(unsigned kind); /* "load", "other" for UNKNOWN, too */
/* "general", "simd-fp", "sve"; static storage. */
PLUMB_API const char *plumb_spe_subclass_name(unsigned subclass);

/* ---- Writing records ----------------------------------------------------------------------- */

/* In which order an implementation writes a record's packets, and what it pads records to. */
enum plumb_spe_layout {
	PLUMB_SPE_LAYOUT_NEOVERSE, /* 64 bytes: doc/spe.md has the order */
	PLUMB_SPE_LAYOUT_COMPACT,  /* no padding */
};

/*
 * Writes the record's packets at `bytes`: those that .has names, but not PLUMB_SPE_HAS_OTHERS, of
 * which it does not have the payloads. It ends with the timestamp if it has one, else with END.
 * Where .events_bytes or .data_source_bytes is 0, the payload is as long as Neoverse cores make it
 * (2 and 1), or as the value needs. Returns the bytes written, 64 or 128 with the Neoverse layout,
 * or PLUMB_ERR_LIMIT, PLUMB_ERR_ARGUMENT as plumb_spe_encode_packet() does. No record needs more
 * than 128 bytes.
 */
#define PLUMB_SPE_RECORD_MAX 128
PLUMB_API int plumb_spe_encode_record(const struct plumb_spe_record *record,
				      enum plumb_spe_layout layout, uint8_t *bytes, size_t size);

/* ---- Reading records, one by one ------------------------------------------------------------ */

/*
 * A stream of bytes that may come in pieces: what a piece leaves unfinished is kept (at most
 * PLUMB_SPE_PACKET_MAX bytes and the record so far), so that records may straddle pieces, and where
 * the pieces end makes no difference.
 *
 * A record begins with the first packet that is not padding, and ends with a timestamp or an END. A
 * byte that begins no packet is skipped, and with it goes the record at hand, if any: what comes
 * after may be another record's.
 */
struct plumb_spe_stream {
	const uint8_t *bytes; /* the piece at hand */
	size_t size, at;
	uint64_t offset;        /* of the piece's first byte since the stream began */
	uint64_t skipped;       /* bytes that were no packets */
	uint64_t first_skipped; /* offset of the first of them; UINT64_MAX: none */
	uint64_t unfinished;    /* records cut off by such bytes or by the end of the data */
	struct plumb_spe_record record; /* so far */
	uint8_t kept[16];               /* the beginning of a packet cut off by a piece's end */
	uint8_t kept_size;
	bool open;     /* `record` has packets */
	uint32_t skip; /* bytes that an alignment still skips */
};

PLUMB_API void plumb_spe_stream_begin(struct plumb_spe_stream *stream);
/* The next piece; the one before must have been read to its end. It stays the caller's, and stays.
 */
PLUMB_API void plumb_spe_stream_feed(struct plumb_spe_stream *stream, const uint8_t *bytes,
				     size_t size);
/* True with the next record; false, and anything in `record`, when the piece is used up. */
PLUMB_API bool plumb_spe_stream_next(struct plumb_spe_stream *stream,
				     struct plumb_spe_record *record);
/* As many of the next records as there are in the piece, `room` at most. Returns how many. */
PLUMB_API size_t plumb_spe_stream_read(struct plumb_spe_stream *stream,
				       struct plumb_spe_record *records, size_t room);
/* No more pieces: counts what was left unfinished. */
PLUMB_API void plumb_spe_stream_end(struct plumb_spe_stream *stream);

/* ---- Reading many records at once ----------------------------------------------------------- */

/*
 * Columns, each an array of the caller's with room for `room` values, or NULL if it is not wanted.
 * The values are those that plumb_spe_stream_next() gives.
 */
struct plumb_spe_columns {
	size_t room;
	uint32_t *has;
	uint64_t *addresses[5]; /* payloads */
	uint64_t *events;
	uint64_t *data_source;
	uint64_t *timestamp;
	uint32_t *contexts[2];
	uint16_t *counters[3];
	uint8_t *op_class;
	uint8_t *operation;
	uint64_t *offset;
	uint32_t *size;
};

/*
 * Decodes records until `columns->room` are there or the piece is used up; equals calling
 * plumb_spe_stream_next() as often, but several times faster: each call learns a core's few layouts
 * of records anew, so that room for some hundred and more pays. Returns how many.
 */
PLUMB_API size_t plumb_spe_stream_batch(struct plumb_spe_stream *stream,
					const struct plumb_spe_columns *columns);

/* ---- Data sources --------------------------------------------------------------------------- */

/*
 * Where data came from, by the core's MIDR: "L2", "DRAM" and so on, static storage, or NULL for a
 * core or number that is not known: show the number then.
 */
PLUMB_API const char *plumb_spe_data_source_name(uint32_t midr, uint64_t data_source);

#ifdef __cplusplus
}
#endif

#endif
