/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings: perf.data files, read and written as streams.
 *
 * The format is that of Linux's tools/perf/Documentation/perf.data-file-format.txt and of
 * <linux/perf_event.h>. A reader takes files and pipes, of either byte order, and holds little in
 * memory however long the recording is. Nothing read is trusted: lengths, offsets, counts and
 * strings are checked, and what is wrong is a finding with its offset in the file.
 */
#ifndef PLUMB_RECORDING_H
#define PLUMB_RECORDING_H

#include <plumb/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a recording consists of ------------------------------------------------------------ */

/* Of an event that was sampled: struct perf_event_attr, whatever its size in the file. */
struct plumb_event_attr {
	uint32_t type;
	uint32_t size; /* that it had */
	uint64_t config;
	uint64_t sample_period; /* or frequency in Hz, if the flag says so */
	uint64_t sample_type;   /* PERF_SAMPLE_* */
	uint64_t read_format;
	uint64_t flags; /* bit 0 disabled, 1 inherit, ... as in the kernel's structure */
	uint32_t wakeup;
	uint32_t bp_type;
	uint64_t config1, config2, config3;
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
	PLUMB_ATTR_MMAP2 = 23,
	PLUMB_ATTR_COMM_EXEC = 24,
	PLUMB_ATTR_USE_CLOCKID = 25,
	PLUMB_ATTR_CONTEXT_SWITCH = 26,
	PLUMB_ATTR_BUILD_ID = 34,
};
#define PLUMB_ATTR_BIT(flag) (UINT64_C(1) << (flag))

/* An event of the recording. Strings and arrays are the recording's. */
struct plumb_recorded_event {
	struct plumb_event_attr attr;
	const uint64_t *ids; /* by which samples refer to it */
	size_t id_count;
	const char *name; /* NULL: not said */
	uint32_t members; /* of the group it leads, itself included; 0: it leads none */
};

/* A chunk of AUX data: what one PERF_RECORD_AUXTRACE holds. */
struct plumb_aux_chunk {
	uint64_t size;
	uint64_t offset;    /* in its ring's stream */
	uint64_t reference; /* the same for all rings of one recording */
	uint32_t index;     /* of the ring */
	int32_t tid;        /* -1: of any */
	int32_t cpu;        /* -1: of any */
	uint64_t place;     /* where the data is: for plumb_recording_read_aux() */
};

/* PERF_RECORD_AUXTRACE_INFO */
struct plumb_auxtrace_info {
	uint32_t type; /* 4: Arm SPE */
	const uint64_t *values;
	size_t count;
};

/* PERF_RECORD_TIME_CONV: time = zero + quotient * mult + (remainder * mult >> shift), see
 * plumb_time_from_tsc(). */
struct plumb_time_conv {
	uint64_t shift, mult, zero, cycles, mask;
	bool cap_user_time_zero, cap_user_time_short;
};
PLUMB_API uint64_t plumb_time_from_ticks(const struct plumb_time_conv *conv, uint64_t ticks);

/* ---- Records of the file ----------------------------------------------------------------------
 */

/* Kinds are PERF_RECORD_* of the kernel (1 to 21) and of perf (64 on). */
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
/* "MMAP2"; NULL for one that is unknown. */
PLUMB_API const char *plumb_record_type_name(uint32_t type);

struct plumb_branch_entry {
	uint64_t from, to, flags;
};

/* One value of a sample's read_format. */
struct plumb_read_value {
	uint64_t value, id, lost;
};

/* PERF_RECORD_SAMPLE's members beyond those that every record has. */
struct plumb_sample {
	uint64_t ip, address, period, weight, data_source, transaction, physical_address, cgroup;
	uint64_t data_page_size, code_page_size;
	uint16_t weight2, weight3; /* of PERF_SAMPLE_WEIGHT_STRUCT; weight is its first 32 bits */
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
};

/* Bits of .has. */
enum plumb_record_has {
	PLUMB_RECORD_HAS_PID = 1 << 0, /* .pid and .tid */
	PLUMB_RECORD_HAS_TIME = 1 << 1,
	PLUMB_RECORD_HAS_CPU = 1 << 2,
	PLUMB_RECORD_HAS_ID = 1 << 3,
	PLUMB_RECORD_HAS_STREAM = 1 << 4,
};

/*
 * One record. Pointers lead into the recording's memory, which the next call of
 * plumb_recording_next() reuses. Strings end with NUL, and lie within the record.
 */
struct plumb_record {
	uint32_t type; /* enum plumb_record_type, or any other number */
	uint16_t misc;
	uint64_t offset;      /* in the file or pipe; of what was compressed, its container's */
	const uint8_t *bytes; /* all of it, its 8-byte header included, in this machine's byte order
				 only where a member below says what it is */
	size_t size;

	/* Of a sample, and of any other record if its event has sample_id_all. */
	uint32_t has; /* bits of enum plumb_record_has */
	int32_t pid, tid;
	uint32_t cpu;
	uint64_t time; /* ns */
	uint64_t id, stream_id;
	const struct plumb_recorded_event *event; /* that it is of; NULL: not known */

	union {
		struct {
			int32_t pid, tid;
			uint64_t address, length, page_offset;
			uint32_t major, minor; /* of MMAP2, without a build-id */
			uint64_t inode, inode_generation;
			uint32_t protection, flags; /* of MMAP2 */
			const uint8_t *build_id;    /* NULL: none */
			size_t build_id_size;
			const char *path;
		} mmap; /* MMAP and MMAP2 */
		struct {
			int32_t pid, tid;
			const char *comm;
			bool exec;
		} comm;
		struct {
			int32_t pid, parent_pid, tid, parent_tid;
			uint64_t time;
		} task; /* FORK and EXIT */
		struct {
			uint64_t id, lost;
		} lost; /* LOST and LOST_SAMPLES, whose id is 0 */
		struct {
			uint64_t time, id, stream_id;
		} throttle; /* and UNTHROTTLE */
		struct {
			int32_t pid, tid;
			const struct plumb_read_value *values;
			size_t count;
			uint64_t time_enabled, time_running;
		} read;
		struct {
			uint64_t offset, size, flags; /* flags: enum plumb_aux_flag */
		} aux;
		struct {
			int32_t pid, tid;
		} itrace_start;
		struct {
			bool out, preempted;
			int32_t next_prev_pid, next_prev_tid; /* of SWITCH_CPU_WIDE; else -1 */
		} context_switch;
		struct {
			int32_t pid, tid;
			const uint64_t *namespaces; /* device, inode, device, inode ... */
			size_t count;               /* pairs */
		} namespaces;
		struct {
			uint64_t address;
			uint32_t length;
			uint16_t type, flags;
			const char *name;
		} ksymbol;
		struct {
			uint16_t type, flags;
			uint32_t id;
			const uint8_t *tag; /* 8 bytes */
		} bpf_event;
		struct {
			uint64_t id;
			const char *path;
		} cgroup;
		struct {
			uint64_t address;
			const uint8_t *old_bytes, *new_bytes;
			uint16_t old_length, new_length;
		} text_poke;
		uint64_t hw_id; /* AUX_OUTPUT_HW_ID */
		struct plumb_aux_chunk auxtrace;
		struct plumb_auxtrace_info auxtrace_info;
		struct plumb_time_conv time_conv;
		struct {
			uint32_t type, code, cpu;
			int32_t pid, tid;
			uint64_t ip;
			const char *message;
		} auxtrace_error;
		struct {
			const int32_t *tids;
			size_t count;
		} thread_map;
		struct {
			const int32_t *cpus; /* listed, whatever the form in the file */
			size_t count;
		} cpu_map;
		struct plumb_sample sample;
	};
};

enum plumb_aux_flag {
	PLUMB_AUX_TRUNCATED = 1,
	PLUMB_AUX_OVERWRITE = 2,
	PLUMB_AUX_PARTIAL = 4,
	PLUMB_AUX_COLLISION = 8,
};

/* ---- Reading ------------------------------------------------------------------------------------
 */

struct plumb_recording;

struct plumb_recording_options {
	bool in_file_order; /* else by time, across CPUs, as FINISHED_ROUND allows */
	/* Called now and then: how much of the file has been read; `size` is 0 of a pipe. May be
	 * NULL. */
	void (*progress)(void *user, uint64_t read, uint64_t size);
	void *user;
};

/*
 * Opens a recording: `path`, "-" for standard input. Its header, attributes and features are read
 * (of a pipe, as far as they stand before the first record that is none of these).
 * `options` may be NULL; `found` must live as long as the recording. Returns 0, or a negative error
 * with a finding: IO, SYNTAX (no recording), INVALID (damaged), UNSUPPORTED, LIMIT, NO_MEMORY. Free
 * with plumb_recording_close().
 */
PLUMB_API int plumb_recording_open(const char *path, const struct plumb_recording_options *options,
				   struct plumb_recording **recording,
				   struct plumb_diagnostics *found);
/* The same of a descriptor, which is the recording's from now on. `name` is for findings. */
PLUMB_API int plumb_recording_open_fd(int fd, const char *name,
				      const struct plumb_recording_options *options,
				      struct plumb_recording **recording,
				      struct plumb_diagnostics *found);
PLUMB_API void plumb_recording_close(struct plumb_recording *recording); /* takes NULL */

/*
 * The next record. Returns 1, 0 at the end, or a negative error with a finding, after which only
 * what comes after the damage is lost: whatever could be read was given before it. A file that was
 * cut off ends there, with a warning.
 */
PLUMB_API int plumb_recording_next(struct plumb_recording *recording, struct plumb_record *record);

/* Events so far: all of a file's, of a pipe's those that have come. NULL past the end. */
PLUMB_API const struct plumb_recorded_event *
plumb_recording_event(const struct plumb_recording *recording, size_t i);

/* A feature of the header by its number, as it is in the file; NULL: it has none. */
PLUMB_API const uint8_t *plumb_recording_feature(const struct plumb_recording *recording,
						 unsigned number, size_t *size);
enum plumb_feature {
	PLUMB_FEATURE_TRACING_DATA = 1,
	PLUMB_FEATURE_BUILD_ID = 2,
	PLUMB_FEATURE_HOSTNAME = 3,
	PLUMB_FEATURE_OSRELEASE = 4,
	PLUMB_FEATURE_VERSION = 5,
	PLUMB_FEATURE_ARCH = 6,
	PLUMB_FEATURE_NRCPUS = 7,
	PLUMB_FEATURE_CPUDESC = 8,
	PLUMB_FEATURE_CPUID = 9,
	PLUMB_FEATURE_TOTAL_MEM = 10,
	PLUMB_FEATURE_CMDLINE = 11,
	PLUMB_FEATURE_EVENT_DESC = 12,
	PLUMB_FEATURE_CPU_TOPOLOGY = 13,
	PLUMB_FEATURE_NUMA_TOPOLOGY = 14,
	PLUMB_FEATURE_BRANCH_STACK = 15,
	PLUMB_FEATURE_PMU_MAPPINGS = 16,
	PLUMB_FEATURE_GROUP_DESC = 17,
	PLUMB_FEATURE_AUXTRACE = 18,
	PLUMB_FEATURE_STAT = 19,
	PLUMB_FEATURE_CACHE = 20,
	PLUMB_FEATURE_SAMPLE_TIME = 21,
	PLUMB_FEATURE_MEM_TOPOLOGY = 22,
	PLUMB_FEATURE_CLOCKID = 23,
	PLUMB_FEATURE_DIR_FORMAT = 24,
	PLUMB_FEATURE_BPF_PROG_INFO = 25,
	PLUMB_FEATURE_BPF_BTF = 26,
	PLUMB_FEATURE_COMPRESSED = 27,
	PLUMB_FEATURE_CPU_PMU_CAPS = 28,
	PLUMB_FEATURE_CLOCK_DATA = 29,
	PLUMB_FEATURE_HYBRID_TOPOLOGY = 30,
	PLUMB_FEATURE_PMU_CAPS = 31,
};
/* A feature that is one string (HOSTNAME, ARCH, CPUID ...), or NULL. */
PLUMB_API const char *plumb_recording_text(const struct plumb_recording *recording,
					   unsigned number);
/* CMDLINE's words. */
PLUMB_API size_t plumb_recording_command(const struct plumb_recording *recording,
					 const char *const **words);
/* HEADER_BUILD_ID's and the feature's: the build-id of `path`; NULL: not said. */
PLUMB_API const uint8_t *plumb_recording_build_id(const struct plumb_recording *recording,
						  const char *path, size_t *size);

/* AUXTRACE_INFO and TIME_CONV, once they have come; NULL before. */
PLUMB_API const struct plumb_auxtrace_info *
plumb_recording_auxtrace_info(const struct plumb_recording *recording);
PLUMB_API const struct plumb_time_conv *
plumb_recording_time_conv(const struct plumb_recording *recording);

/* What Arm SPE's AUXTRACE_INFO says, of version 1 or 2 (perf 6.13 on). */
struct plumb_spe_auxtrace {
	unsigned version;
	uint32_t pmu_type;
	bool per_cpu_mmaps; /* of version 1; true in version 2, which does not say */
	size_t cpu_count;   /* that are described; 0 in version 1 */
};
/* A CPU it describes. Parameters that it lacks are 0. */
struct plumb_spe_cpu {
	uint64_t cpu, midr, pmu_type, min_interval, capabilities;
};
/* Returns 0, or UNSUPPORTED (not SPE's, or a version that is not known), or INVALID (too short). */
PLUMB_API int plumb_spe_auxtrace_read(const struct plumb_auxtrace_info *info,
				      struct plumb_spe_auxtrace *spe);
/* The i-th CPU described. Returns 0, NOT_FOUND past the last, or an error as above. */
PLUMB_API int plumb_spe_auxtrace_cpu(const struct plumb_auxtrace_info *info, size_t i,
				     struct plumb_spe_cpu *cpu);
/*
 * The MIDR_EL1 of CPU `cpu`, or of any if it is negative: of AUXTRACE_INFO's description, version
 * 2, where that has one; else of the feature CPUID, which is of the machine's first core and may
 * lack variant and revision. 0: the recording has not said so, yet.
 */
PLUMB_API uint32_t plumb_recording_midr(const struct plumb_recording *recording, int32_t cpu);

/*
 * Chunks of AUX data, in file order, known so far: of a file with the index (feature AUXTRACE) all
 * of them from the beginning, of others as their records have come. NULL past the end.
 */
PLUMB_API const struct plumb_aux_chunk *
plumb_recording_aux_chunk(const struct plumb_recording *recording, size_t i);
/*
 * Reads `size` bytes from byte `from` of a chunk's data on. Of a pipe the data waits in a temporary
 * file that has no name. Returns 0, or a negative error with a finding. Any thread.
 */
PLUMB_API int plumb_recording_read_aux(const struct plumb_recording *recording,
				       const struct plumb_aux_chunk *chunk, uint64_t from,
				       void *bytes, size_t size);

/* What a recording lacks, added up as its records come. */
struct plumb_recording_losses {
	uint64_t lost_records;  /* of LOST */
	uint64_t lost_samples;  /* of LOST_SAMPLES */
	uint64_t throttled;     /* THROTTLE records */
	uint64_t aux_records;   /* AUX records */
	uint64_t aux_truncated; /* ... of which truncated */
	uint64_t aux_partial;
	uint64_t aux_collisions;  /* ... of which the SPE unit flagged collisions */
	uint64_t unknown_records; /* of kinds that are not known; they are given with no members */
	uint64_t damaged_records; /* whose members do not fit into them, passed over */
	uint64_t out_of_order;    /* given after a younger one: FINISHED_ROUND was not kept, or a
				     round was larger than memory allows */
	bool cut_off;             /* the file ends too early */
};
PLUMB_API const struct plumb_recording_losses *
plumb_recording_losses(const struct plumb_recording *recording);

/* ---- Writing ------------------------------------------------------------------------------------
 */

struct plumb_recording_writer;

/* What is known when a recording begins. Everything is copied. */
struct plumb_recording_setup {
	const struct plumb_recorded_event *events; /* names and ids included */
	size_t event_count;
	const struct plumb_auxtrace_info *auxtrace_info; /* NULL: no AUX data */
	const struct plumb_time_conv *time_conv;         /* NULL: none */
	/* Features; NULL or 0 leaves one out. */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online;
	uint64_t total_memory_kb;
	const char *const *command; /* words, NULL-ended */
	struct {
		uint32_t type;
		const char *name;
	} pmus[16]; /* PMU_MAPPINGS */
	size_t pmu_count;
	int clockid;          /* that times are of; -1: perf's own clock */
	int compress_level;   /* zstd; 0: not compressed */
	uint64_t limit_bytes; /* 0: none; what would make the file longer, build-ids that are yet
				 to come apart, is refused with LIMIT */
};

/*
 * Begins a recording at `path`, "-" for standard output in pipe mode, as is a path that cannot be
 * sought in. The file can be read at any moment from now on, whatever becomes of the writer. An
 * older file of that name is moved to `path`.old, as perf does. Returns 0 or a negative error with
 * a finding: IO, NO_MEMORY, ARGUMENT (the setup cannot be written), UNSUPPORTED (compression).
 * Findings of the writer's other functions go to `found`, too, which must live as long as it.
 *
 * A program that writes to pipes, or where a file's size is limited, ignores SIGPIPE and SIGXFSZ:
 * it then gets errors instead. One thread at a time may use a writer.
 */
PLUMB_API int plumb_recording_create(const char *path, const struct plumb_recording_setup *setup,
				     struct plumb_recording_writer **writer,
				     struct plumb_diagnostics *found);
/* The same in pipe mode to a descriptor, which is the writer's from now on, also after an error.
 * `name` is for findings. */
PLUMB_API int plumb_recording_create_fd(int fd, const char *name,
					const struct plumb_recording_setup *setup,
					struct plumb_recording_writer **writer,
					struct plumb_diagnostics *found);
/* Another recording with the setup that `before` was made with: where one goes on in a new file. */
PLUMB_API int plumb_recording_create_next(const struct plumb_recording_writer *before,
					  const char *path, struct plumb_recording_writer **writer);
/*
 * Adds whole records as the kernel writes them (struct perf_event_header and what follows, in this
 * machine's byte order), `size` bytes of them; sizes are checked. They are held in memory until
 * some 256 KiB are there, or the round is finished. Errors: IO, with a finding that names the disk
 * and why; the file stays readable up to the last record that is in it whole. LIMIT, without a
 * finding: nothing was added, and what is shorter still can be. ARGUMENT: no such records.
 */
PLUMB_API int plumb_recording_write(struct plumb_recording_writer *writer, const void *records,
				    size_t size);
/*
 * A chunk of AUX data, in two parts as a ring has it (`second` may be NULL). `chunk->size` and
 * .place are not looked at. Data is padded to a multiple of eight bytes, and its size says so, as
 * with perf. Errors as above; all of the chunk is there, or nothing.
 */
PLUMB_API int plumb_recording_write_aux(struct plumb_recording_writer *writer,
					const struct plumb_aux_chunk *chunk, const void *first,
					size_t first_size, const void *second, size_t second_size);
/*
 * Every record that is yet to come is younger than those written before the last round. Puts all
 * that is held into the file, and the features behind it.
 */
PLUMB_API int plumb_recording_finish_round(struct plumb_recording_writer *writer);
/* A file that was executed, and its build-id, at most 20 bytes: for the feature. */
PLUMB_API int plumb_recording_add_build_id(struct plumb_recording_writer *writer, int32_t pid,
					   bool kernel, const uint8_t *id, size_t id_size,
					   const char *path);
/* How many bytes it has so far, those that are held included. */
PLUMB_API uint64_t plumb_recording_length(const struct plumb_recording_writer *writer);
/*
 * Writes the features and closes, also after an error, which it returns again. `*bytes` is how
 * large it became; may be NULL.
 */
PLUMB_API int plumb_recording_finish(struct plumb_recording_writer *writer, uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
