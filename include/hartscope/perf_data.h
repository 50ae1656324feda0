/* perf.data, the file of Linux' perf, with the AUX area of a RISC-V trace PMU: reading and writing.
 *
 * The file is a list of records.  Those of the kernel say what was mapped, which thread ran where,
 * and when the kernel's text changed; AUXTRACE records carry the bytes of a trace.  Files come from
 * elsewhere: each size, offset and count in them is checked.
 *
 * Offsets of errors are bytes from the start of the file.
 *
 * Threads: a file, and a writer, belong to one thread at a time; different ones share nothing.
 */
#ifndef HARTSCOPE_PERF_DATA_H
#define HARTSCOPE_PERF_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Types of records: HS_PERF_MMAP, ... */
enum hs_perf_type {
#define HS_PERF_RECORD(id, number, name, fields, tail) HS_PERF_##id = (number),
#include <hartscope/tables/perf_records.def>
	HS_PERF_USER = 64 /**< records from here on are perf's own, not the kernel's */
};

/** Bits of hs_perf_event.misc: the mode of a mapping, and what SWITCH says. */
#define HS_PERF_MISC_MODE 7u
#define HS_PERF_MISC_KERNEL 1u
#define HS_PERF_MISC_USER 2u
#define HS_PERF_MISC_DATA (1u << 13)       /**< MMAP: not for execution */
#define HS_PERF_MISC_EXEC (1u << 13)       /**< COMM: by exec */
#define HS_PERF_MISC_OUT (1u << 13)        /**< SWITCH: the thread leaves the CPU */
#define HS_PERF_MISC_BUILD_ID (1u << 14)   /**< MMAP2: a build-id in place of device and inode */

/** Bits of hs_perf_event.flags of AUX. */
#define HS_PERF_AUX_TRUNCATED 1u /**< bytes were lost */
#define HS_PERF_AUX_OVERWRITE 2u /**< snapshot mode: older bytes were overwritten */
#define HS_PERF_AUX_PARTIAL 4u   /**< there are gaps inside */
#define HS_PERF_AUX_COLLISION 8u

/** Which members of struct hs_perf_sample are known; also bits of hs_perf_attr.sample_type. */
#define HS_PERF_HAS_TID 2u
#define HS_PERF_HAS_TIME 4u
#define HS_PERF_HAS_ID 64u
#define HS_PERF_HAS_CPU 128u
#define HS_PERF_HAS_STREAM_ID 512u
#define HS_PERF_HAS_IDENTIFIER 65536u

/** No CPU, or no thread: in AUXTRACE records. */
#define HS_PERF_NONE UINT32_MAX

/** Who and when: the trailer of the kernel's records (sample_id_all). */
struct hs_perf_sample {
	uint32_t has; /**< HS_PERF_HAS_ bits */
	uint32_t pid, tid, cpu;
	uint64_t time; /**< nanoseconds of perf's clock */
	uint64_t id;   /**< of the event, as in the ids of an attribute */
};

/** A record.  Members that its row of perf_records.def does not name are 0. */
struct hs_perf_event {
	uint32_t type;
	uint16_t misc;
	uint64_t at;      /**< byte of the file */
	const char *name; /**< such as "MMAP2"; NULL: a type without a row */
	struct hs_perf_sample sample;
	uint32_t pid, tid, parent_pid, parent_tid, cpu, index;
	uint32_t major, minor, protection, old_size, new_size;
	uint64_t flags;   /**< AUX: HS_PERF_AUX_ bits */
	uint64_t address, length, offset, when, inode, generation, id, count, reference;
	uint64_t time_shift, time_multiplier, time_zero;
	uint32_t subtype; /**< of AUXTRACE_INFO, KSYMBOL, BPF_EVENT, AUXTRACE_ERROR */
	const char *text; /**< path or name; "" if there is none */
	/** TEXT_POKE: what was there, and then what is.  Others: @bytes is the rest of the record.
	 * Text and bytes live until the next record is read. */
	struct hs_span bytes, poke;
};

/** A CPU of AUXTRACE_INFO's priv words, second proposal (perf_auxtrace.def). */
struct hs_perf_cpu {
#define HS_PERF_CPU_WORD(member) uint64_t member;
#include <hartscope/tables/perf_auxtrace.def>
};

/** What a file says of itself. */
struct hs_perf_info {
	bool pipe;               /**< written to a pipe: attributes are records */
	bool has_auxtrace;       /**< there is an AUXTRACE_INFO */
	uint32_t auxtrace_type;  /**< its type */
	uint32_t pmu_type;       /**< of its priv words */
	const struct hs_perf_cpu *cpus; /**< of its priv words; cpu_count of them */
	size_t cpu_count;
	uint64_t records;        /**< of all types */
	uint64_t lost;           /**< records that the kernel had no room for, as LOST says */
	bool framed;             /**< buffers are CoreSight frames: each source in them is a lane */
	/** A record that cannot be read: the file counts up to there.  status HS_OK: none. */
	struct hs_error damage;
};

/** A buffer of the AUX area: of a CPU, or of a thread. */
struct hs_perf_lane {
	uint32_t cpu, tid; /**< HS_PERF_NONE: not of one */
	uint32_t index;    /**< number of the buffer */
	uint8_t source;    /**< its ID in the CoreSight frames of the buffer; 0: there are none */
	uint64_t begin;    /**< offset of the first byte that was stored */
	uint64_t bytes;    /**< of trace, overlaps counted once */
	uint64_t repeated; /**< that AUX records repeat of the one before, and that are left out */
	uint64_t gaps;     /**< places where bytes are missing */
	bool snapshot;     /**< it was overwritten in a circle */
};

/** Bytes that are missing. */
struct hs_perf_gap {
	uint64_t offset; /**< in the buffer, as in AUX and AUXTRACE */
	const char *why;
	bool inside;     /**< the next byte may be inside a message */
	bool first;      /**< it is before the first byte */
	bool barrier;    /**< a block of frames ends here: only what it cut is missing */
};

struct hs_perf;

/**
 * Open a file and look through its records once.  After damage, what was before it is there.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be opened or read, or is not a regular file.
 * @retval HS_E_FORMAT  Not a perf.data, or its header contradicts itself.
 * @retval HS_E_UNSUPPORTED  Big-endian, of perf before 2011, or with compressed records.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_perf_open(const char *path, struct hs_perf **perf,
                                   struct hs_error *error);

HS_API void hs_perf_close(struct hs_perf *perf); /**< NULL is allowed */

/** Belongs to @perf. */
HS_API const struct hs_perf_info *hs_perf_get_info(const struct hs_perf *perf);

/** Is the AUX area of a RISC-V trace, by the types of perf_auxtrace.def? */
HS_API bool hs_perf_is_riscv(const struct hs_perf *perf);

/**
 * The next record, in the order of the file.
 * @retval HS_OK
 * @retval HS_END  No more.
 * @retval HS_E_FORMAT, HS_E_TRUNCATED  hs_perf_info.damage; HS_END follows.
 */
HS_API enum hs_status hs_perf_next(struct hs_perf *perf, struct hs_perf_event *event,
                                   struct hs_error *error);

/** A buffer by number, in the order of CPUs and then of threads.  False: there are no more. */
HS_API bool hs_perf_get_lane(const struct hs_perf *perf, size_t index, struct hs_perf_lane *lane);

/**
 * The next bytes of a buffer, in the order of time.
 * @param[out] n  Bytes written to @out.
 * @retval HS_OK      *n is at least 1.
 * @retval HS_END     No more.
 * @retval HS_E_LOST  Bytes are missing here; *gap (may be NULL) and @error describe it.
 * @retval HS_E_SYSTEM  The file cannot be read.
 */
HS_API enum hs_status hs_perf_read(struct hs_perf *perf, size_t lane, uint8_t *out, size_t cap,
                                   size_t *n, struct hs_perf_gap *gap, struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
