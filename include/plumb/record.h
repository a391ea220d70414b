/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record of a recording, and the event it belongs to. Numbers are in this machine's byte order;
 * bits and their names are those of <linux/perf_event.h>.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
 */
#ifndef PLUMB_RECORD_H
#define PLUMB_RECORD_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Events ---------------------------------------------------------------------------------- */

/* .type of an event: PERF_TYPE_*. Other values are the numbers of PMUs. */
enum plumb_event_type {
	PLUMB_TYPE_HARDWARE = 0,
	PLUMB_TYPE_SOFTWARE = 1,
	PLUMB_TYPE_TRACEPOINT = 2,
	PLUMB_TYPE_HW_CACHE = 3,
	PLUMB_TYPE_RAW = 4,
	PLUMB_TYPE_BREAKPOINT = 5,
};
/* perf's own type for synthesized events. */
#define PLUMB_TYPE_SYNTHETIC (INT32_MAX + UINT32_C(1))

/* Bits of .sample_type: which members an event's samples have. */
enum plumb_sample_bit {
	PLUMB_SAMPLE_IP = 1 << 0,
	PLUMB_SAMPLE_TID = 1 << 1,
	PLUMB_SAMPLE_TIME = 1 << 2,
	PLUMB_SAMPLE_ADDR = 1 << 3,
	PLUMB_SAMPLE_READ = 1 << 4,
	PLUMB_SAMPLE_CALLCHAIN = 1 << 5,
	PLUMB_SAMPLE_ID = 1 << 6,
	PLUMB_SAMPLE_CPU = 1 << 7,
	PLUMB_SAMPLE_PERIOD = 1 << 8,
	PLUMB_SAMPLE_STREAM_ID = 1 << 9,
	PLUMB_SAMPLE_RAW = 1 << 10,
	PLUMB_SAMPLE_BRANCH_STACK = 1 << 11,
	PLUMB_SAMPLE_REGS_USER = 1 << 12,
	PLUMB_SAMPLE_STACK_USER = 1 << 13,
	PLUMB_SAMPLE_WEIGHT = 1 << 14,
	PLUMB_SAMPLE_DATA_SRC = 1 << 15,
	PLUMB_SAMPLE_IDENTIFIER = 1 << 16,
	PLUMB_SAMPLE_TRANSACTION = 1 << 17,
	PLUMB_SAMPLE_REGS_INTR = 1 << 18,
	PLUMB_SAMPLE_PHYS_ADDR = 1 << 19,
	PLUMB_SAMPLE_AUX = 1 << 20,
	PLUMB_SAMPLE_CGROUP = 1 << 21,
	PLUMB_SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	PLUMB_SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	PLUMB_SAMPLE_WEIGHT_STRUCT = 1 << 24,
};

/* Bits of .read_format: which members a value read from an event has. */
enum plumb_format_bit {
	PLUMB_FORMAT_TIME_ENABLED = 1 << 0,
	PLUMB_FORMAT_TIME_RUNNING = 1 << 1,
	PLUMB_FORMAT_ID = 1 << 2,
	PLUMB_FORMAT_GROUP = 1 << 3,
	PLUMB_FORMAT_LOST = 1 << 4,
};

/* Bits of .branch_sample_type: what a branch of a sample has. */
enum plumb_branch_bit {
	PLUMB_BRANCH_TYPE_SAVE = 1 << 16,      /* PLUMB_ENTRY_TYPE */
	PLUMB_BRANCH_HW_INDEX = 1 << 17,       /* .branch_hw_index */
	PLUMB_BRANCH_PRIVILEGE_SAVE = 1 << 18, /* PLUMB_ENTRY_PRIVILEGE */
	PLUMB_BRANCH_COUNTERS = 1 << 19,       /* one more number per entry, which is skipped */
};

/* Other bits of it: which branches were sampled. */
enum plumb_branches {
	/* Privilege levels; without any, those that the event has. */
	PLUMB_BRANCHES_USER = 1 << 0,
	PLUMB_BRANCHES_KERNEL = 1 << 1,
	PLUMB_BRANCHES_HV = 1 << 2,
	/* Kinds. */
	PLUMB_BRANCHES_ANY = 1 << 3,
	PLUMB_BRANCHES_ANY_CALL = 1 << 4,
	PLUMB_BRANCHES_ANY_RETURN = 1 << 5,
	PLUMB_BRANCHES_INDIRECT_CALL = 1 << 6,
	PLUMB_BRANCHES_ABORT = 1 << 7,
	PLUMB_BRANCHES_IN_TRANSACTION = 1 << 8,
	PLUMB_BRANCHES_NO_TRANSACTION = 1 << 9,
	PLUMB_BRANCHES_CONDITIONAL = 1 << 10,
	PLUMB_BRANCHES_CALL_STACK = 1 << 11,
	PLUMB_BRANCHES_INDIRECT_JUMP = 1 << 12,
	PLUMB_BRANCHES_CALL = 1 << 13,
};

/* How an event was sampled: struct perf_event_attr, independent of its size in the file. */
struct plumb_event_attr {
	uint32_t type;
	uint32_t size; /* in the file */
	uint64_t config;
	uint64_t sample_period; /* or a frequency in Hz, with PLUMB_ATTR_FREQ */
	uint64_t sample_type;   /* bits of enum plumb_sample_bit */
	uint64_t read_format;   /* bits of enum plumb_format_bit */
	uint64_t flags;         /* PLUMB_ATTR_BIT() of enum plumb_attr_flag */
	uint32_t wakeup;
	uint32_t bp_type;
	uint64_t config1, config2, config3, config4;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;
	uint64_t sig_data;
};

/* Bits of .flags, by their place in the kernel's structure. */
enum plumb_attr_flag {
	PLUMB_ATTR_DISABLED = 0,
	PLUMB_ATTR_INHERIT = 1,
	PLUMB_ATTR_EXCLUDE_USER = 4,
	PLUMB_ATTR_EXCLUDE_KERNEL = 5,
	PLUMB_ATTR_EXCLUDE_HV = 6,
	PLUMB_ATTR_MMAP = 8,
	PLUMB_ATTR_COMM = 9,
	PLUMB_ATTR_FREQ = 10,
	PLUMB_ATTR_ENABLE_ON_EXEC = 12,
	PLUMB_ATTR_TASK = 13,
	PLUMB_ATTR_PRECISE_IP = 15, /* two bits */
	PLUMB_ATTR_SAMPLE_ID_ALL = 18,
	PLUMB_ATTR_EXCLUDE_HOST = 19,
	PLUMB_ATTR_EXCLUDE_GUEST = 20,
	PLUMB_ATTR_MMAP2 = 23,
	PLUMB_ATTR_COMM_EXEC = 24,
	PLUMB_ATTR_USE_CLOCKID = 25,
	PLUMB_ATTR_CONTEXT_SWITCH = 26,
	PLUMB_ATTR_BUILD_ID = 34,
};
#define PLUMB_ATTR_BIT(flag) (UINT64_C(1) << (flag))

/* An event of a recording, which owns the strings and arrays. */
struct plumb_recorded_event {
	struct plumb_event_attr attr;
	const uint64_t *ids; /* samples refer to their event by one of these */
	size_t id_count;
	const char *name; /* NULL: the recording gives none */
	uint32_t members; /* number of events in the group it leads, with itself; 0: none */
};

/* ---- AUX data -------------------------------------------------------------------------------- */

/* A chunk of AUX data: the contents of one PERF_RECORD_AUXTRACE. */
struct plumb_aux_chunk {
	uint64_t size;
	uint64_t offset;    /* in its ring's stream */
	uint64_t reference; /* the same for all rings of one recording */
	uint32_t index;     /* of the ring */
	int32_t tid;        /* -1: any */
	int32_t cpu;        /* -1: any */
	uint64_t place;     /* of the data, for plumb_recording_read_aux() */
};

/* PERF_RECORD_AUXTRACE_INFO */
struct plumb_auxtrace_info {
	uint32_t type; /* 4: Arm SPE */
	const uint64_t *values;
	size_t count;
};

/* PERF_RECORD_TIME_CONV: converts a counter's ticks to perf's time. */
struct plumb_time_conv {
	uint64_t shift, mult, zero, cycles, mask;
	bool cap_user_time_zero, cap_user_time_short;
};

/* ---- Records --------------------------------------------------------------------------------- */

/* PERF_RECORD_* of the kernel (1 to 21) and of perf (64 and up). */
enum plumb_record_type {
	PLUMB_RECORD_MMAP = 1,
	PLUMB_RECORD_LOST = 2,
	PLUMB_RECORD_COMM = 3,
	PLUMB_RECORD_EXIT = 4,
	PLUMB_RECORD_THROTTLE = 5,
	PLUMB_RECORD_UNTHROTTLE = 6,
	PLUMB_RECORD_FORK = 7,
	PLUMB_RECORD_READ = 8,
	PLUMB_RECORD_SAMPLE = 9,
	PLUMB_RECORD_MMAP2 = 10,
	PLUMB_RECORD_AUX = 11,
	PLUMB_RECORD_ITRACE_START = 12,
	PLUMB_RECORD_LOST_SAMPLES = 13,
	PLUMB_RECORD_SWITCH = 14,
	PLUMB_RECORD_SWITCH_CPU_WIDE = 15,
	PLUMB_RECORD_NAMESPACES = 16,
	PLUMB_RECORD_KSYMBOL = 17,
	PLUMB_RECORD_BPF_EVENT = 18,
	PLUMB_RECORD_CGROUP = 19,
	PLUMB_RECORD_TEXT_POKE = 20,
	PLUMB_RECORD_AUX_OUTPUT_HW_ID = 21,
	PLUMB_RECORD_HEADER_ATTR = 64,
	PLUMB_RECORD_HEADER_EVENT_TYPE = 65,
	PLUMB_RECORD_HEADER_TRACING_DATA = 66,
	PLUMB_RECORD_HEADER_BUILD_ID = 67,
	PLUMB_RECORD_FINISHED_ROUND = 68,
	PLUMB_RECORD_ID_INDEX = 69,
	PLUMB_RECORD_AUXTRACE_INFO = 70,
	PLUMB_RECORD_AUXTRACE = 71,
	PLUMB_RECORD_AUXTRACE_ERROR = 72,
	PLUMB_RECORD_THREAD_MAP = 73,
	PLUMB_RECORD_CPU_MAP = 74,
	PLUMB_RECORD_STAT_CONFIG = 75,
	PLUMB_RECORD_STAT = 76,
	PLUMB_RECORD_STAT_ROUND = 77,
	PLUMB_RECORD_EVENT_UPDATE = 78,
	PLUMB_RECORD_TIME_CONV = 79,
	PLUMB_RECORD_HEADER_FEATURE = 80,
	PLUMB_RECORD_COMPRESSED = 81,
	PLUMB_RECORD_FINISHED_INIT = 82,
	PLUMB_RECORD_COMPRESSED2 = 83,
};
/* Returns the name of a type, such as "MMAP2", or NULL for an unknown type. */
PLUMB_API const char *plumb_record_type_name(uint32_t type);

/* Bits of .ksymbol.flags. */
enum plumb_ksymbol_flag {
	PLUMB_KSYMBOL_UNREGISTER = 1,
};

/* A thread. Made by the library; may grow. */
struct plumb_task {
	int32_t pid, tid; /* -1: unknown */
	const char *comm; /* ":TID" if unknown; valid until the next record */
};

/* The processor's mode when a record was made: PERF_RECORD_MISC_CPUMODE_MASK of .misc. */
enum plumb_cpu_mode {
	PLUMB_MODE_UNKNOWN = 0,
	PLUMB_MODE_KERNEL = 1,
	PLUMB_MODE_USER = 2,
	PLUMB_MODE_HYPERVISOR = 3,
	PLUMB_MODE_GUEST_KERNEL = 4,
	PLUMB_MODE_GUEST_USER = 5,
};

/* The other bits of .misc; their meaning depends on the record's type. */
enum plumb_misc_bit {
	PLUMB_MISC_MMAP_DATA = 1 << 13,          /* MMAP: not executable */
	PLUMB_MISC_COMM_EXEC = 1 << 13,          /* COMM */
	PLUMB_MISC_FORK_EXEC = 1 << 13,          /* FORK: synthesized by perf, inherits no maps */
	PLUMB_MISC_SWITCH_OUT = 1 << 13,         /* SWITCH, SWITCH_CPU_WIDE */
	PLUMB_MISC_SWITCH_OUT_PREEMPT = 1 << 14, /* SWITCH, SWITCH_CPU_WIDE */
	PLUMB_MISC_MMAP_BUILD_ID = 1 << 14,      /* MMAP2 */
	PLUMB_MISC_BUILD_ID_SIZE = 1 << 15,      /* HEADER_BUILD_ID: has the build-id's size */
};

struct plumb_branch_entry {
	uint64_t from, to;
	uint64_t flags; /* PLUMB_ENTRY_BIT()s and fields of enum plumb_entry_field */
};

/* Bits of a branch entry's flags, and where its fields begin. */
enum plumb_entry_field {
	PLUMB_ENTRY_MISPREDICTED = 0,
	PLUMB_ENTRY_PREDICTED = 1,
	PLUMB_ENTRY_TRANSACTION = 2,
	PLUMB_ENTRY_ABORT = 3,
	PLUMB_ENTRY_CYCLES = 4,       /* 16 bits: since the entry before */
	PLUMB_ENTRY_TYPE = 20,        /* 4 bits: PERF_BR_* */
	PLUMB_ENTRY_SPECULATION = 24, /* 2 bits: PERF_BR_SPEC_* */
	PLUMB_ENTRY_NEW_TYPE = 26,    /* 4 bits: PERF_BR_NEW_*, if the type says so */
	PLUMB_ENTRY_PRIVILEGE = 30,   /* 3 bits: PERF_BR_PRIV_* */
	PLUMB_ENTRY_NOT_TAKEN = 33,
};
#define PLUMB_ENTRY_BIT(field) (UINT64_C(1) << (field))

/* Bits of .trace_flags: what kind of branch a sample is, if it comes from a trace. */
enum plumb_trace_flag {
	PLUMB_TRACE_BRANCH = 1 << 0,
	PLUMB_TRACE_CALL = 1 << 1,
	PLUMB_TRACE_RETURN = 1 << 2,
	PLUMB_TRACE_CONDITIONAL = 1 << 3,
	PLUMB_TRACE_TRANSACTION = 1 << 10,
	PLUMB_TRACE_MISS = 1 << 15, /* mispredicted */
	PLUMB_TRACE_NOT_TAKEN = 1 << 16,
};

/* One value of a sample's read_format. */
struct plumb_read_value {
	uint64_t value, id, lost;
};

/*
 * Numbers from PLUMB_CONTEXT_MARKS on in a call chain are not addresses: they say which context the
 * following addresses belong to.
 */
#define PLUMB_CONTEXT_MARKS         ((uint64_t)-4095)
#define PLUMB_CONTEXT_HV            ((uint64_t)-32)
#define PLUMB_CONTEXT_KERNEL        ((uint64_t)-128)
#define PLUMB_CONTEXT_USER          ((uint64_t)-512)
#define PLUMB_CONTEXT_USER_DEFERRED ((uint64_t)-640) /* a cookie follows */

/* The members that only a SAMPLE has. Made by the library; may grow, with struct plumb_record. */
struct plumb_sample {
	uint64_t ip, address, period, weight, data_source, transaction, physical_address, cgroup;
	uint64_t data_page_size, code_page_size;
	uint32_t trace_flags;      /* bits of enum plumb_trace_flag; 0 for a sample of a file */
	uint16_t weight2, weight3; /* PERF_SAMPLE_WEIGHT_STRUCT's; weight is its first 32 bits */
	const uint64_t *callchain;
	size_t callchain_length;
	const uint8_t *raw;
	size_t raw_size;
	const struct plumb_branch_entry *branches;
	size_t branch_count;
	uint64_t branch_hw_index;
	uint64_t user_abi, intr_abi;
	const uint64_t *user_registers, *intr_registers;
	size_t user_register_count, intr_register_count;
	const uint8_t *user_stack;
	size_t user_stack_size;
	const uint8_t *aux;
	size_t aux_size;
	uint64_t time_enabled, time_running;
	const struct plumb_read_value *reads;
	size_t read_count;
	bool by_member; /* with .reads: their group's leader did not take the sample */
};

/* Bits of .has: which members a record has. */
enum plumb_record_has {
	PLUMB_RECORD_HAS_PID = 1 << 0, /* .pid and .tid */
	PLUMB_RECORD_HAS_TIME = 1 << 1,
	PLUMB_RECORD_HAS_CPU = 1 << 2,
	PLUMB_RECORD_HAS_ID = 1 << 3,
	PLUMB_RECORD_HAS_STREAM = 1 << 4,
};

/*
 * What records of one type say, besides the members that all records may have. Made by the library;
 * may grow, with struct plumb_record.
 */
struct plumb_record_mmap {
	int32_t pid, tid;
	uint64_t address, length, page_offset;
	uint32_t major, minor; /* of MMAP2 without a build-id */
	uint64_t inode, inode_generation;
	uint32_t protection, flags; /* of MMAP2 */
	const uint8_t *build_id;    /* NULL: none */
	size_t build_id_size;
	const char *path;
};
struct plumb_record_comm {
	int32_t pid, tid;
	const char *comm;
	bool exec;
};
struct plumb_record_task {
	int32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};
struct plumb_record_lost {
	uint64_t id, lost;
};
struct plumb_record_throttle {
	uint64_t time, id, stream_id;
};
struct plumb_record_read {
	int32_t pid, tid;
	const struct plumb_read_value *values;
	size_t count;
	uint64_t time_enabled, time_running;
};
struct plumb_record_aux {
	uint64_t offset, size, flags; /* flags: enum plumb_aux_flag */
};
struct plumb_record_itrace_start {
	int32_t pid, tid;
};
struct plumb_record_context_switch {
	bool out, preempted;
	int32_t next_prev_pid, next_prev_tid; /* of SWITCH_CPU_WIDE; else -1 */
};
struct plumb_record_namespaces {
	int32_t pid, tid;
	const uint64_t *namespaces; /* device, inode, device, inode ... */
	size_t count;               /* pairs */
};
struct plumb_record_ksymbol {
	uint64_t address;
	uint32_t length;
	uint16_t type, flags;
	const char *name;
};
struct plumb_record_bpf_event {
	uint16_t type, flags;
	uint32_t id;
	const uint8_t *tag; /* 8 bytes */
};
struct plumb_record_cgroup {
	uint64_t id;
	const char *path;
};
struct plumb_record_text_poke {
	uint64_t address;
	const uint8_t *old_bytes, *new_bytes;
	uint16_t old_length, new_length;
};
struct plumb_record_auxtrace_error {
	uint32_t type, code, cpu;
	int32_t pid, tid;
	uint64_t ip;
	const char *message;
};
struct plumb_record_thread_map {
	const int32_t *tids;
	size_t count;
};
struct plumb_record_cpu_map {
	const int32_t *cpus; /* always a list; files have several encodings */
	size_t count;
};

/*
 * One record. Pointers point into the recording's memory, which the next call of
 * plumb_recording_next() reuses. Strings end with NUL and lie within the record. Made by the
 * library; may grow, by members of its union.
 */
struct plumb_record {
	uint32_t type;   /* enum plumb_record_type, or any other number */
	uint16_t misc;   /* see plumb_record_mode() and enum plumb_misc_bit */
	uint64_t offset; /* in the file or pipe; its container's offset if it was compressed */
	const uint8_t
		*bytes; /* the whole record with its 8-byte header, in the file's byte order */
	size_t size;

	/* Members of samples, and of other records if their event has PLUMB_ATTR_SAMPLE_ID_ALL. */
	uint32_t has; /* bits of enum plumb_record_has */
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time; /* ns */
	uint64_t id, stream_id;
	const struct plumb_recorded_event *event; /* NULL: unknown */

	union {                                /* by .type */
		struct plumb_record_mmap mmap; /* MMAP and MMAP2 */
		struct plumb_record_comm comm;
		struct plumb_record_task task;         /* FORK and EXIT */
		struct plumb_record_lost lost;         /* LOST and LOST_SAMPLES, whose id is 0 */
		struct plumb_record_throttle throttle; /* and UNTHROTTLE */
		struct plumb_record_read read;
		struct plumb_record_aux aux;
		struct plumb_record_itrace_start itrace_start;
		struct plumb_record_context_switch context_switch;
		struct plumb_record_namespaces namespaces;
		struct plumb_record_ksymbol ksymbol;
		struct plumb_record_bpf_event bpf_event;
		struct plumb_record_cgroup cgroup;
		struct plumb_record_text_poke text_poke;
		uint64_t hw_id; /* AUX_OUTPUT_HW_ID */
		struct plumb_aux_chunk auxtrace;
		struct plumb_auxtrace_info auxtrace_info;
		struct plumb_time_conv time_conv;
		struct plumb_record_auxtrace_error auxtrace_error;
		struct plumb_record_thread_map thread_map;
		struct plumb_record_cpu_map cpu_map;
		struct plumb_sample sample;
	};
};

static inline enum plumb_cpu_mode plumb_record_mode(const struct plumb_record *record)
{
	return (enum plumb_cpu_mode)(record->misc & 7);
}

/* Bits of .aux.flags. */
enum plumb_aux_flag {
	PLUMB_AUX_TRUNCATED = 1,
	PLUMB_AUX_OVERWRITE = 2,
	PLUMB_AUX_PARTIAL = 4,
	PLUMB_AUX_COLLISION = 8,
};

#ifdef __cplusplus
}
#endif

#endif
