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

#include <plumb/record.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading ------------------------------------------------------------------------------------
 */

struct plumb_recording;

struct plumb_recording_options {
	size_t size;        /* sizeof(struct plumb_recording_options) */
	bool in_file_order; /* else by time, across CPUs, as FINISHED_ROUND allows */
	/*
	 * The file is SPE data alone, such as WindowsPerf's spe.data: read as a recording without
	 * events or times that has one AUX ring.
	 */
	bool bare_spe;
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

/* ---- What a recording says about itself ----------------------------------------------------- */

/* Features of the header, by their numbers in the format. */
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
/* "HOSTNAME"; NULL for an unknown number. */
PLUMB_API const char *plumb_feature_name(unsigned number);
PLUMB_API bool plumb_recording_has_feature(const struct plumb_recording *recording,
					   unsigned number);

/* A PMU of the machine that recorded. */
struct plumb_recorded_pmu {
	uint32_t type; /* as in .attr.type */
	const char *name;
};

/* A CPU that the machine can have. */
struct plumb_recorded_cpu {
	uint32_t core, die, socket;
};

struct plumb_recorded_node {
	uint32_t number;
	uint64_t total_kb, free_kb;
	const char *cpus; /* "0-3,8" */
};

struct plumb_recorded_cache {
	uint32_t level, line_bytes, sets, ways;
	const char *type, *size, *cpus; /* "Data", "64K", "0-3" */
};

/* Blocks of memory: bit i of `blocks` is set if the node has block i. */
struct plumb_recorded_memory {
	uint64_t node, block_count;
	const uint64_t *blocks;
};

/* A group of events, by the place of its first event. */
struct plumb_recorded_group {
	const char *name; /* "{anon_group}" if the user gave none */
	uint32_t first, count;
};

/* A capability of a PMU, "branches" = "32". */
struct plumb_recorded_capability {
	const char *pmu; /* NULL: the CPUs' only PMU */
	const char *name, *value;
};

/* A PMU of a machine with several kinds of cores, and the CPUs it belongs to. */
struct plumb_recorded_core_pmu {
	const char *name, *cpus;
};

/*
 * The header's features, decoded. What a recording does not say is NULL or 0. The recording owns
 * all of it.
 */
struct plumb_recording_info {
	/* Of a file; 0 for a pipe. */
	uint64_t data_offset, data_size, features_offset;

	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_online, cpus_available;
	uint64_t total_memory_kb;
	const char *const *command; /* CMDLINE's words */
	size_t command_count;

	const char *const *core_siblings; /* lists of CPUs */
	const char *const *die_siblings;
	const char *const *thread_siblings;
	size_t core_sibling_count, die_sibling_count, thread_sibling_count;
	const struct plumb_recorded_cpu *cpus;
	size_t cpu_count;
	const struct plumb_recorded_node *nodes;
	size_t node_count;
	const struct plumb_recorded_cache *caches;
	size_t cache_count;
	const struct plumb_recorded_memory *memory;
	size_t memory_count;
	uint64_t memory_block_bytes;

	const struct plumb_recorded_pmu *pmus;
	size_t pmu_count;
	const struct plumb_recorded_core_pmu *core_pmus;
	size_t core_pmu_count;
	const struct plumb_recorded_capability *capabilities;
	size_t capability_count;
	const struct plumb_recorded_group *groups;
	size_t group_count;

	uint64_t first_sample_time, last_sample_time; /* ns */
	uint64_t clock_resolution_ns;                 /* of the clock of --clockid */
	uint32_t clockid;                             /* CLOCK_*, which samples' times are of ... */
	uint64_t clock_ns, wall_clock_ns; /* ... and its time when the wall clock had this; 0: the
					     recording does not say */
	uint32_t compression_type, compression_level, compression_ratio;
};
PLUMB_API const struct plumb_recording_info *
plumb_recording_info(const struct plumb_recording *recording);

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
	uint64_t lost_records;    /* as LOST records say */
	uint64_t lost_samples;    /* as LOST_SAMPLES records say */
	uint64_t throttled;       /* THROTTLE records */
	uint64_t aux_records;     /* AUX records */
	uint64_t aux_truncated;   /* ... that say their data was cut short */
	uint64_t aux_partial;     /* ... that say their data has gaps */
	uint64_t aux_collisions;  /* ... that say samples collided in the SPE unit */
	uint64_t unknown_records; /* of unknown types; given without members */
	uint64_t damaged_records; /* whose members do not fit into them; skipped */
	uint64_t out_of_order;    /* given after a younger one: rounds were not kept, or one was
				     larger than memory allows */
	bool cut_off;             /* the file ends too early */

	/* Known once AUX data is decoded; see plumb_samples_totals(). */
	uint64_t aux_skipped;       /* bytes that begin no SPE packet */
	uint64_t aux_first_skipped; /* where the first of them is in the file */
	uint64_t aux_unfinished; /* SPE records cut off by such bytes or by the end of the data */
};
PLUMB_API const struct plumb_recording_losses *
plumb_recording_losses(const struct plumb_recording *recording);
/*
 * Adds a warning for each kind of loss, with what to change when recording again. `name` is the
 * recording's.
 */
PLUMB_API void plumb_losses_report(const struct plumb_recording_losses *losses, const char *name,
				   struct plumb_diagnostics *found);

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
