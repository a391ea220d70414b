/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes recordings, perf.data files, as streams.
 *
 * tools/perf/Documentation/perf.data-file-format.txt in Linux and <linux/perf_event.h> define the
 * format. A reader accepts files and pipes in either byte order. Its memory does not grow with the
 * recording. It trusts nothing: lengths, offsets, counts and strings are checked, and errors are
 * findings with the offset in the file.
 *
 * Structs change only when the soname does, except those that may grow (doc/library.md).
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
	bool in_file_order; /* otherwise by time, across CPUs, as FINISHED_ROUND allows */
	/*
	 * The file is bare SPE data, such as WindowsPerf's spe.data. It is read as a recording with
	 * one AUX ring, and without events or times.
	 */
	bool bare_spe;
	/* Called from time to time with how much of the file has been read. `size` is 0 for a pipe.
	 * May be NULL. */
	void (*progress)(void *user, uint64_t read, uint64_t size);
	void *user;
};

/*
 * Opens the recording `path`, or standard input for "-", and reads its header, attributes and
 * features (for a pipe, those before the first other record). `path` may be a folder, as
 * `perf record --threads` and `--kcore` write it; offsets are then in the file of each record.
 * `options` may be NULL; `diagnostics` must live as long as the recording. Returns 0, or a negative
 * error with a finding: IO, SYNTAX (not a recording), INVALID (damaged), UNSUPPORTED, LIMIT,
 * NO_MEMORY. Free with plumb_recording_close().
 */
PLUMB_API int plumb_recording_open(const char *path, const struct plumb_recording_options *options,
				   struct plumb_recording **recording,
				   struct plumb_diagnostics *diagnostics);
PLUMB_API void plumb_recording_close(struct plumb_recording *recording); /* accepts NULL */

/*
 * Reads the next record, which belongs to the recording and is valid until the next call. Returns
 * 1, 0 at the end, or a negative error with a finding. The error comes after everything before the
 * damage has been returned. A truncated file ends at the truncation, with a warning.
 */
PLUMB_API int plumb_recording_next(struct plumb_recording *recording,
				   const struct plumb_record **record);

/* Returns the i-th event known so far: for a file all events, for a pipe those read so far. NULL
 * past the end. */
PLUMB_API const struct plumb_recorded_event *
plumb_recording_event(const struct plumb_recording *recording, size_t i);

/* ---- The header ----------------------------------------------------------------------------- */

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
/* Returns the name of a feature, such as "HOSTNAME", or NULL for an unknown number. */
PLUMB_API const char *plumb_feature_name(unsigned number);
PLUMB_API bool plumb_recording_has_feature(const struct plumb_recording *recording,
					   unsigned number);

/* A PMU of the recorded machine. */
struct plumb_recorded_pmu {
	uint32_t type; /* as in .attr.type */
	const char *name;
};

/* A possible CPU of the recorded machine. */
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

/* A group of events, by the index of its first event. */
struct plumb_recorded_group {
	const char *name; /* "{anon_group}" if the user gave none */
	uint32_t first, count;
};

/* A capability of a PMU, "branches" = "32". */
struct plumb_recorded_capability {
	const char *pmu; /* NULL: the only PMU of the CPUs */
	const char *name, *value;
};

/* A PMU of a machine with several kinds of cores, and the CPUs it belongs to. */
struct plumb_recorded_core_pmu {
	const char *name, *cpus;
};

/*
 * The header's features, decoded. Missing values are NULL or 0. The recording owns everything. Made
 * by the library; may grow.
 */
struct plumb_recording_info {
	/* 0 for a pipe. */
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
	uint64_t folder_version;                      /* of a folder's files; 0: a single file */
	uint32_t clockid;                             /* CLOCK_*, the clock of samples' times */
	uint64_t clock_ns, wall_clock_ns; /* the same moment by both clocks; 0: unknown */
	uint32_t compression_type, compression_level, compression_ratio;
};
/* Returns the features known so far: for a file all, for a pipe those of the records read. */
PLUMB_API const struct plumb_recording_info *
plumb_recording_info(const struct plumb_recording *recording);

/*
 * Returns the MIDR_EL1 of CPU `cpu`, or of any CPU if it is negative: from AUXTRACE_INFO, version
 * 2, if possible, otherwise from the feature CPUID, which describes the machine's first core and
 * may lack variant and revision. 0: unknown so far.
 */
PLUMB_API uint32_t plumb_recording_midr(const struct plumb_recording *recording, int32_t cpu);

/*
 * Reads `size` bytes of a chunk's data, starting at byte `from`. A pipe's data is kept in an
 * unnamed temporary file. Returns 0, or a negative error with a finding. Any thread may call it.
 */
PLUMB_API int plumb_recording_read_aux(const struct plumb_recording *recording,
				       const struct plumb_aux_chunk *chunk, uint64_t from,
				       void *bytes, size_t size);

/* What a recording lacks, added up while its records are read. Made by the library; may grow. */
struct plumb_recording_losses {
	uint64_t lost_records;    /* according to LOST records */
	uint64_t lost_samples;    /* according to LOST_SAMPLES records */
	uint64_t throttled;       /* THROTTLE records */
	uint64_t aux_records;     /* AUX records */
	uint64_t aux_truncated;   /* ... whose data was truncated */
	uint64_t aux_partial;     /* ... whose data has gaps */
	uint64_t aux_collisions;  /* ... during which samples collided in the SPE unit */
	uint64_t unknown_records; /* records of unknown types; returned without members */
	uint64_t damaged_records; /* records too short for their members; skipped */
	uint64_t out_of_order;    /* records returned after a younger one: the file was not written
				     in order, or sorting it exceeds the memory limit */
	bool cut_off;             /* the file is truncated */
	bool unfinished;          /* its recorder, plumb, was killed */
	bool incomplete;          /* plumb could not write all of it: the disk was full */
	uint64_t samples;         /* SAMPLE records; of plumb_samples_totals(), SPE's too */

	/* Known after AUX data is decoded; see plumb_samples_totals(). */
	uint64_t aux_skipped;       /* bytes that cannot begin an SPE packet */
	uint64_t aux_first_skipped; /* offset of the first of them in the file */
	uint64_t aux_unfinished; /* SPE records cut off by such bytes or by the end of the data */
};
PLUMB_API const struct plumb_recording_losses *
plumb_recording_losses(const struct plumb_recording *recording);
/*
 * Adds a warning for each kind of loss, with a hint for the next recording. `name` is the
 * recording's name.
 */
PLUMB_API void plumb_losses_report(const struct plumb_recording_losses *losses, const char *name,
				   struct plumb_diagnostics *diagnostics);

/* ---- Writing ------------------------------------------------------------------------------------
 */

struct plumb_recording_writer;

/*
 * The contents of the header. The writer copies everything. To change what a source has filled in,
 * copy its struct, and set `size` of the copy.
 */
struct plumb_recording_setup {
	size_t size;                               /* sizeof(struct plumb_recording_setup) */
	const struct plumb_recorded_event *events; /* with names and ids */
	size_t event_count;
	const struct plumb_auxtrace_info *auxtrace_info; /* NULL: no AUX data */
	const struct plumb_time_conv *time_conv;         /* NULL: none */
	/* Features; NULL or 0 leaves one out. */
	const char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online;
	uint64_t total_memory_kb;
	const char *const *command; /* words, ended by NULL */
	struct {
		uint32_t type;
		const char *name;
	} pmus[16]; /* PMU_MAPPINGS */
	size_t pmu_count;
	int clockid;          /* the clock of times; -1: perf's own clock */
	int compress_level;   /* zstd's level; 0: not compressed */
	uint64_t limit_bytes; /* of the file, without later build-ids; writing more fails with
				 LIMIT. 0: no limit */
	/* HYBRID_TOPOLOGY and, with the MIDRs of their cores, PMU_CAPS; if there are several. */
	struct {
		const char *name, *cpus; /* "4-7" */
		uint32_t midr;           /* 0: unknown */
	} core_pmus[8];
	size_t core_pmu_count;
	uint64_t compress_after; /* bytes of a file that are not compressed, and can be changed. If
				    it is above 0, pipes are not compressed */
};

/*
 * Begins a recording at `path`, or on standard output for "-". Uses pipe mode for "-" and for paths
 * that are not seekable. The file can be read at any moment from now on, even if the writer is
 * never finished. An existing file is renamed to `path`.old, as perf does. Returns 0 or a negative
 * error with a finding: IO, NO_MEMORY, ARGUMENT (the setup cannot be written), UNSUPPORTED
 * (compression). The writer's other functions add their findings to `diagnostics`, which must live
 * as long as the writer.
 *
 * A program that writes to pipes, or under a limit on file sizes, should ignore SIGPIPE and SIGXFSZ
 * to get errors instead of signals. Only one thread at a time may use a writer.
 */
PLUMB_API int plumb_recording_create(const char *path, const struct plumb_recording_setup *setup,
				     struct plumb_recording_writer **writer,
				     struct plumb_diagnostics *diagnostics);
/* Begins a recording in pipe mode on a descriptor, and takes ownership of it, even after an error.
 * `name` is used in findings. */
PLUMB_API int plumb_recording_create_fd(int fd, const char *name,
					const struct plumb_recording_setup *setup,
					struct plumb_recording_writer **writer,
					struct plumb_diagnostics *diagnostics);
/* Begins another recording with the setup of `before`, to continue in a new file. */
PLUMB_API int plumb_recording_create_next(const struct plumb_recording_writer *before,
					  const char *path, struct plumb_recording_writer **writer);
/*
 * Adds `size` bytes of complete records, as the kernel writes them: struct perf_event_header and
 * what follows, in this machine's byte order. Checks their sizes. Holds them in memory up to about
 * 256 KiB, or until the round is finished. Errors: IO, with a finding that names the file and the
 * reason; the file stays readable up to its last complete record. LIMIT, without a finding: nothing
 * was added, but shorter records may still fit. ARGUMENT: malformed records.
 */
PLUMB_API int plumb_recording_write(struct plumb_recording_writer *writer, const void *records,
				    size_t size);
/*
 * Adds a chunk of AUX data, in two parts because a ring may wrap (`second` may be NULL). Ignores
 * chunk->size and chunk->place. Pads the data to a multiple of eight bytes, and includes the
 * padding in its size, as perf does. Returns errors as above; writes the whole chunk or nothing.
 */
PLUMB_API int plumb_recording_write_aux(struct plumb_recording_writer *writer,
					const struct plumb_aux_chunk *chunk, const void *first,
					size_t first_size, const void *second, size_t second_size);
/*
 * Finishes a round: promises that all later records are younger than those before the previous
 * round. Writes all held records to the file, and the features after them.
 */
PLUMB_API int plumb_recording_finish_round(struct plumb_recording_writer *writer);
/*
 * Does the same without a round, for records that are not in order: everything written so far
 * survives the end of this process, however it ends. Costs nothing if nothing is new.
 */
PLUMB_API int plumb_recording_settle(struct plumb_recording_writer *writer);
/* Adds an executed file's build-id, at most 20 bytes, to the feature. */
PLUMB_API int plumb_recording_add_build_id(struct plumb_recording_writer *writer, int32_t pid,
					   bool kernel, const uint8_t *id, size_t id_size,
					   const char *path);
/*
 * Returns where in the file the next record will be, or 0 if what was written cannot be changed: in
 * a pipe, or compressed.
 */
PLUMB_API uint64_t plumb_recording_position(const struct plumb_recording_writer *writer);
/* 64 bits of a record that was written, at such a position. */
struct plumb_recording_change {
	uint64_t position, value;
};
/*
 * Changes them, in ascending order of their positions; many at once cost least. The changes survive
 * the end of this process once the records do: if some of these have been written, all held records
 * are written, too. Returns errors as above; ARGUMENT if there are no
 * records at one of the positions: those before it are changed.
 */
PLUMB_API int plumb_recording_change(struct plumb_recording_writer *writer,
				     const struct plumb_recording_change *changes, size_t count);
/* Returns the recording's size in bytes so far, with the held records. */
PLUMB_API uint64_t plumb_recording_length(const struct plumb_recording_writer *writer);
/*
 * Writes the features and closes the file. Call it after errors, too; it returns the first one
 * again. Sets `*bytes` to the final size, unless `bytes` is NULL.
 */
PLUMB_API int plumb_recording_finish(struct plumb_recording_writer *writer, uint64_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
