/* Files that hold a trace: what a file is, the bytes of a capture or the pins over which they came,
 * and perf.data.
 *
 *   if (hs_file_what("app.bin", NULL) == HS_FILE_PERF)
 *           hs_perf_open("app.bin", &perf, &e);
 *   while (perf && hs_perf_next(perf, &event, &e) == HS_OK)
 *           ...
 */
#ifndef HARTSCOPE_CAPTURE_H
#define HARTSCOPE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>
#include <hartscope/transport.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a file is -----------------------------------------------------------------
 *
 * What a file is that was given as a trace: by its first bytes, a folder by what is in it.
 */

enum hs_file_type {
	HS_FILE_UNREADABLE, /**< it is not there or cannot be read: errno says why */
	HS_FILE_EMPTY,      /**< without a byte */
	HS_FILE_UNKNOWN,    /**< nothing that is known, so that it may be a trace; also what can be
	                         read only once, such as a pipe: it is not looked at */
	HS_FILE_FOLDER,     /**< a folder that is no recording */
	HS_FILE_RECORDING,  /**< a recording or flow: a folder with manifest.json */
	HS_FILE_PERF,       /**< a perf.data, of either byte order and any age */
	HS_FILE_ELF,        /**< a program */
	HS_FILE_DUMP,       /**< a value change dump, as text */
	HS_FILE_OTHER,      /**< struct hs_file_kind says what */
	HS_FILE_FST         /**< waves of GTKWave, in binary form: an FST file */
};

/** A kind of file that is no trace (file_kinds.def). */
struct hs_file_kind {
	const char *what; /**< such as "an ELF file" */
	const char *hint; /**< what to do with it, in words */
	bool certain;     /**< its first bytes are a mark; false: a trace could look like this */
	bool blank;       /**< one byte, 0 or 0xff, as far as was looked: certain if that is all */
	uint8_t is;       /**< enum hs_file_type: HS_FILE_PERF or one below it */
};

/** As many first bytes of a file are looked at. */
#define HS_FILE_KIND_BYTES 512

/**
 * What is at @path (NULL: HS_FILE_UNREADABLE)?  A file is opened and read once, up to
 * HS_FILE_KIND_BYTES.
 * @param[out] kind  May be NULL.  NULL is written for HS_FILE_RECORDING, what is above it, and
 *                   HS_FILE_FST.
 */
HS_API enum hs_file_type hs_file_what(const char *path, const struct hs_file_kind **kind);

/** The same of a file's first bytes, of which HS_FILE_KIND_BYTES are enough: HS_FILE_EMPTY,
 * HS_FILE_UNKNOWN, HS_FILE_PERF or what is below it. */
HS_API enum hs_file_type hs_file_what_bytes(const struct hs_span *first,
                                            const struct hs_file_kind **kind);

/* ---- captures -----------------------------------------------------------------------
 *
 * Captures: files that hold the bytes of a trace, or the pins over which they came.
 *
 * Samples of pins and value change dumps are turned into bytes by transport.h and vcd.h; a
 * circular buffer is put in order.  Plain bytes pass through.
 *
 * Threads: a capture belongs to one thread at a time; different captures share nothing.
 */

/** What a RAM sink's registers say of the file that holds its memory (TCI 7). */
struct hs_capture_ram {
	uint64_t start, limit; /**< addresses of the buffer's first and last word */
	uint64_t wp;           /**< where the next word would go */
	bool wrapped;          /**< trRamWrap */
	bool stopped;          /**< the sink stops where it wraps (trRamStopOnWrap) */
};

/** How to read a capture. */
struct hs_capture_options {
	uint32_t size;         /**< sizeof(struct hs_capture_options) */
	const char *transport; /**< a name of hs_transport_names(); NULL: raw */
	const char *vcd_clock; /**< vcd: as in struct hs_vcd_options */
	const char *vcd_data;  /**< vcd: as in struct hs_vcd_options */
	const char *wrap;      /**< raw: the file is a circular buffer that wrapped.  The offset of
	                            its oldest byte (the write pointer), or "find"; "no": it is not;
	                            NULL: as @ram says */
	unsigned src_bits;     /**< width of SRC in bits, for "find" */
	uint32_t null_run;     /**< 0: messages end by MSEO (NT 3.1).  Else packets have headers,
	                            and after a run of so many null bytes the next byte that is
	                            none begins a packet (EE Synchronization); "find" is
	                            refused without @find_ring */
	const struct hs_capture_ram *ram; /**< raw, without @wrap: which part of the file is trace.
	                            The file is the buffer from start to limit, or all of an SRAM
	                            (start 0), or only what was stored.  NULL: all of the file */
	uint8_t source_id;         /**< frames: whose bytes are read, 1 to HS_FRAME_SOURCE_MAX; 0:
	                                none: only the report says what is there */
	uint32_t period;           /**< uart, manchester: samples a bit, in 1/256; 0: found */
	/** raw: the wrap point of a circular buffer; @wp is the write pointer, HS_RING_UNKNOWN: it
	 * is found.  It gets @find_of; NULL: messages end by MSEO, or only @null_run says where
	 * packets begin */
	enum hs_status (*find_ring)(const void *find_of, const struct hs_span *buffer, uint64_t wp,
	                            struct hs_ring *ring);
	const void *find_of;
	const struct hs_pin_config *headers; /**< pins, vcd: its headers, src_bytes and tstamp_bytes
	                            say what packets look like; NULL: messages end by MSEO */
};

/** Names of transports, separated by spaces: "raw pins1 ... vcd". */
HS_STATIC const char *hs_transport_names(void);

/** Are the bytes in CoreSight frames (transport.h)? */
HS_API bool hs_transport_frames(const char *name);

/** The port of a transport with pins. @retval HS_OK @retval HS_E_ARG  No such name, raw or vcd. */
HS_API enum hs_status hs_transport_pins(const char *name, struct hs_pin_config *config);

/** What was seen so far. */
struct hs_capture_report {
	const char *transport;     /**< its name */
	bool pins;                 /**< it has samples: the next five members describe them */
	bool aligned;              /**< alignment was found */
	unsigned width;            /**< pins; 0 before a dump's declarations are read */
	struct hs_pin_event first; /**< where alignment was found first */
	struct hs_pin_stats stats;
	uint64_t unknown;          /**< vcd: samples with an x or z */
	bool wrapped;              /**< it is a circular buffer: the next two members describe it */
	struct hs_ring ring;       /**< where its contents begin and end */
	/**< bytes of the first message, whose beginning is overwritten */
	uint64_t partial;
	bool serial;               /**< it is one pin: the next three members describe it */
	uint32_t period;           /**< samples a bit, in 1/256; 0: not found */
	uint64_t serial_samples, serial_losses; /**< taken; times that no bit could be there */
	bool framed;               /**< it has frames: the next six members describe them */
	uint64_t frames, frame_skipped; /**< frames read; bytes that belong to none */
	uint64_t frame_losses;     /**< times that no frame could be where one was due */
	uint64_t triggers;         /**< bytes of HS_FRAME_TRIGGER */
	uint64_t ids[2];           /**< bit n: the ID n had data */
	uint8_t source_id;         /**< as in the options */
	/** raw: what it may be if it is no trace; NULL: not known */
	const struct hs_file_kind *kind;
};

struct hs_capture;

/**
 * Open a capture in a file.
 * @param fd       Open for reading; kept, and not closed.  For a circular buffer, a regular file.
 * @param path     For messages; kept.
 * @param options  Its strings are kept; NULL: as a zeroed one.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No such transport; options that do not go together; a write pointer that is
 *                      not a number or is past the end; a RAM sink's buffer that is not this file;
 *                      members that this library lacks.
 * @retval HS_E_FORMAT  It begins with the mark of another kind of file; of a pipe
 *                      hs_capture_read() says so.  Nothing says where a packet begins after the
 *                      write pointer of a circular buffer.
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_MEMORY
 */
HS_STATIC enum hs_status hs_capture_open(int fd, const char *path,
                                         const struct hs_capture_options *options,
                                         struct hs_capture **capture, struct hs_error *error);

HS_STATIC void hs_capture_close(struct hs_capture *capture); /**< NULL is allowed */

/**
 * Read the next bytes of the trace.
 *
 * @param[out] n  Bytes written to @out; also with errors.
 *
 * @retval HS_OK           *n may be 0: call again.
 * @retval HS_END          No more.
 * @retval HS_E_SPACE      cap is below 4096; nothing was done.
 * @retval HS_E_FRAMING    Pins: alignment was lost at a sample, or never found.  Call again.
 * @retval HS_E_LOST       Frames, uart, manchester: some bytes are missing; those after it are
 *                         aligned.  Call again.
 * @retval HS_E_FORMAT     A pipe that is another kind of file; vcd: not a value
 *                         change dump; a circular buffer without a run of null_run null bytes.
 * @retval HS_E_CONFIG     vcd: it has no such signal, or a number of them that no port has.
 * @retval HS_E_SYSTEM     It cannot be read.
 */
HS_STATIC enum hs_status hs_capture_read(struct hs_capture *capture, uint8_t *out, size_t cap,
                                         size_t *n, struct hs_error *error);

/** What was seen so far. */
HS_STATIC void hs_capture_get_report(const struct hs_capture *capture,
                                     struct hs_capture_report *out);

/* ---- perf.data ----------------------------------------------------------------------
 *
 * perf.data, the file of Linux' perf, with the AUX area of a RISC-V trace PMU: reading and writing.
 *
 * The file is a list of records.  Those of the kernel say what was mapped, which thread ran where,
 * and when the kernel's text changed; AUXTRACE records carry the bytes of a trace.  Files come from
 * elsewhere: each size, offset and count in them is checked.
 *
 * Offsets of errors are bytes from the start of the file.
 *
 * Threads: a file, and a writer, belong to one thread at a time; different ones share nothing.
 */

/** Types of records: HS_PERF_MMAP, ... */
enum hs_perf_type {
#define HS_PERF_RECORD(id, number, name, fields, tail) HS_PERF_##id = (number),
#include <hartscope/tables/perf.def>
	HS_PERF_USER = 64 /**< records from here on are perf's own, not the kernel's */
};

/** Bits of hs_perf_event.misc: the mode of a mapping, and what SWITCH says. */
#define HS_PERF_MISC_MODE 7u
#define HS_PERF_MISC_KERNEL 1u
#define HS_PERF_MISC_USER 2u
#define HS_PERF_MISC_DATA (1u << 13)     /**< MMAP: not for execution */
#define HS_PERF_MISC_EXEC (1u << 13)     /**< COMM: by exec */
#define HS_PERF_MISC_OUT (1u << 13)      /**< SWITCH: the thread leaves the CPU */
#define HS_PERF_MISC_BUILD_ID (1u << 14) /**< MMAP2: a build-id in place of device and inode */

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

/** A record.  Members that its row of perf.def does not name are 0. */
struct hs_perf_event {
	uint32_t type;
	uint16_t misc;
	uint64_t at;      /**< byte of the file */
	const char *name; /**< such as "MMAP2"; NULL: a type without a row */
	struct hs_perf_sample sample;
	uint32_t pid, tid, parent_pid, parent_tid, cpu, index;
	uint32_t major, minor, protection, old_size, new_size;
	uint64_t flags; /**< AUX: HS_PERF_AUX_ bits */
	uint64_t address, length, offset, when, inode, generation, id, count, reference;
	uint64_t time_shift, time_multiplier, time_zero;
	uint32_t subtype; /**< of AUXTRACE_INFO, KSYMBOL, BPF_EVENT, AUXTRACE_ERROR */
	const char *text; /**< path or name; "" if there is none */
	/** TEXT_POKE: what was there, and then what is.  Others: @bytes is the rest of the record.
	 * Text and bytes live until the next record is read. */
	struct hs_span bytes, poke;
};

/** A CPU of AUXTRACE_INFO's priv words, second proposal (perf.def). */
struct hs_perf_cpu {
#define HS_PERF_CPU_WORD(member) uint64_t member;
#include <hartscope/tables/perf.def>
};

/** What a file says of itself. */
struct hs_perf_info {
	bool pipe;                      /**< written to a pipe: attributes are records */
	bool has_auxtrace;              /**< there is an AUXTRACE_INFO */
	bool riscv;                     /**< the AUX area is of a RISC-V trace, by that type */
	uint32_t auxtrace_type;         /**< its type */
	uint32_t pmu_type;              /**< of its priv words */
	const struct hs_perf_cpu *cpus; /**< of its priv words; cpu_count of them */
	size_t cpu_count;
	uint64_t records; /**< of all types */
	uint64_t lost;    /**< records that the kernel had no room for, as LOST says */
	bool framed;      /**< buffers are CoreSight frames: each source in them is a lane */
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
	bool inside;  /**< the next byte may be inside a message */
	bool first;   /**< it is before the first byte */
	bool barrier; /**< a block of frames ends here: only what it cut is missing */
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
HS_API enum hs_status hs_perf_open(const char *path, struct hs_perf **perf, struct hs_error *error);

HS_API void hs_perf_close(struct hs_perf *perf); /**< NULL is allowed */

/** Belongs to @perf. */
HS_API const struct hs_perf_info *hs_perf_get_info(const struct hs_perf *perf);

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
 * @retval HS_END     No more.  @retval HS_E_ARG  There is no such buffer.
 * @retval HS_E_LOST  Bytes are missing here; *gap (may be NULL) and @error describe it.
 * @retval HS_E_SYSTEM  The file cannot be read.
 */
HS_API enum hs_status hs_perf_read(struct hs_perf *perf, size_t lane, uint8_t *out, size_t cap,
                                   size_t *n, struct hs_perf_gap *gap, struct hs_error *error);

struct hs_code_file;

/* ---- what a capture is found to be --------------------------------------------------
 *
 * What a capture is: protocol, transport and parameters that fit it, found by trying
 * (design/identify).
 *
 * With the program, where addresses lead and what contradicts the flow decide.  Without one only
 * the form of messages counts, and most parameters cannot be found.
 *
 * Threads: calls share nothing.
 */

/** What to look at.  Of a file of more than 16 MiB, so much of its beginning, middle and end. */
struct hs_identify_options {
	uint32_t size;    /**< sizeof(struct hs_identify_options) */
	uint8_t xlen;     /**< as in struct hs_source_options */
	const char *path; /**< the capture: a file */
	/** The capture in memory, if p is not NULL; kept by the caller. */
	struct hs_span bytes;
	const struct hs_code_file *code; /**< the program; none: only the form counts */
	size_t code_count;
	const char *protocol;             /**< only this protocol; NULL: all */
	const char *vcd_clock, *vcd_data; /**< of a value change dump: as in struct
	                                       hs_capture_options; kept by the caller */
	/** As in struct hs_source_options.  Of @guest only the text of a /proc/PID/maps counts, as
	 * code; @sysroot is before its paths. */
	const struct hs_guest_file *guest;
	size_t guest_count;
	const char *sysroot;
	const struct hs_custom *custom;
	uint8_t custom_count;
};

/** How sure a result is. */
enum hs_identify_verdict {
	HS_IDENTIFY_NONE,   /**< nothing fits */
	HS_IDENTIFY_FORM,   /**< messages have the form of a protocol.  With a program: it is
	                         another one, or parameters were not found */
	HS_IDENTIFY_LIKELY, /**< the program fits in part, or several things fit */
	HS_IDENTIFY_CLEAR   /**< one thing fits, and it explains nearly everything */
};

#define HS_IDENTIFY_TEXT 512

/** In place of a protocol: CoreSight frames have a source of which no protocol reads anything. */
#define HS_IDENTIFY_UNKNOWN "unknown"

/** Something that a capture may be. */
struct hs_identified {
	const char *protocol;  /**< name of a struct hs_protocol, or HS_IDENTIFY_UNKNOWN */
	const char *transport; /**< a name of hs_transport_names() */
	uint8_t source_id;     /**< of CoreSight frames: the source whose trace it is; else 0 */
	bool ring;             /**< the file is a circular buffer that wrapped */
	bool described;        /**< the trace says so itself, by the standard support packet that it
	                            begins with (E-Trace 2.1): settings has what that says */
	bool program_differs;  /**< HS_IDENTIFY_FORM: nearly every segment contradicts the program
	                            at once, and no parameter that is left could be the reason */
	bool has_offset;       /**< the program fits when it is moved by @offset bytes */
	int64_t offset;
	char settings[HS_IDENTIFY_TEXT]; /**< NAME=VALUE words, as for --set: what differs from the
	                                      defaults */
	/** Names of parameters (members of struct hs_nt_config, hs_et_config) for which another
	 * value explains as much, and gives another flow. */
	char unsure[HS_IDENTIFY_TEXT];
	uint64_t bytes;     /**< of trace that were looked at */
	uint64_t explained; /**< of these, in messages that make sense */
	uint64_t head;      /**< of these, before the first that does: noise, or an older trace */
	/** Of 10,000 bytes of the file's beginning, middle and end those that make sense, where
	 * only so much was looked at: @shares is 3, else 0. */
	uint32_t share[3], shares;
	uint64_t messages;
	uint64_t segments; /**< messages that synchronise; 0 without a program */
	/** How often the program contradicts: at most once in a segment. */
	uint64_t contradicted;
	uint64_t halfwords; /**< that retired, as decoded; 0 without a program */
};

/** What was found. */
struct hs_identity;

/**
 * Find what a capture is.
 * @retval HS_OK        Also where nothing fits.
 * @retval HS_E_CONFIG  @options has unknown bytes that are not zero; no such protocol.
 * @retval HS_E_FORMAT  The file is empty or of a kind that is no trace.
 * @retval HS_E_SYSTEM  A file cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_identify(const struct hs_identify_options *options,
                                  struct hs_identity **identity, struct hs_error *error);
HS_API void hs_identity_free(struct hs_identity *identity); /**< NULL is allowed */

/** @param[out] frames  Bits of the sources of a file that is whole CoreSight frames with
 *                      synchronisations, where no more than HS_IDENTIFY_FORM was found in it and
 *                      no frames were read: bit 1 and on of the first word, then of the second; 0:
 *                      it is none.  NULL: not wanted. */
HS_API enum hs_identify_verdict hs_identity_verdict(const struct hs_identity *identity,
                                                    uint64_t frames[2]);

/** What fits: of CoreSight frames one result for each source, those that are not known last; else
 * one.  NULL past the last. */
HS_API const struct hs_identified *hs_identity_get(const struct hs_identity *identity,
                                                   size_t index);

#ifdef __cplusplus
}
#endif
#endif
