/* What the files of captures share. */
#ifndef HS_CAPTURE_PRIVATE_H
#define HS_CAPTURE_PRIVATE_H

#include <hartscope/capture.h>
#include <hartscope/transport.h>

#include "inputs/capture.h"
#include "inputs/fst.h"
#include "inputs/vcd.h"
#include "transport/transport.h"

enum capture_kind {
	CAPTURE_RAW,
	CAPTURE_PINS,
	CAPTURE_VCD,
	CAPTURE_FRAMES,
	CAPTURE_SERIAL,
	CAPTURE_SERIAL_VCD
};

/* A transport that a person can name. */
struct capture_transport {
	const char *name;
	enum capture_kind kind;
	uint8_t width, format; /* pins; frames: width 1: aligned from the first byte on */
};

#define CAPTURE_PIECE ((size_t)1 << 16)

struct hs_capture {
	struct {
		int fd; /* -1: the capture is in memory */
		struct hs_span memory;
		uint64_t memory_at; /* bytes of it that were read */
		struct hs_fst *fst; /* what the file is read through, or NULL */
		const char *name;   /* for messages */
		bool pipe; /* raw: its first bytes are still to come, and cannot be read twice */
		bool eof;  /* the file has no more bytes */
	} file;
	const struct capture_transport *transport;
	const struct hs_file_kind *kind; /* raw: what the file may be if it is no trace; or NULL */
	bool finished; /* no more comes out */

	struct { /* raw: the two parts of a circular buffer, in order */
		bool wrapped;
		bool pointer;  /* the caller gave the write pointer */
		bool searched; /* the wrap point was looked for */
		struct hs_ring ring;
		uint64_t size, at;
		uint64_t skip; /* bytes after the write pointer that belong to no whole packet */
		bool aligned_first; /* after them one begins */
		struct hs_capture_aligner
			align; /* active: in a message whose beginning is overwritten */
		unsigned part; /* 0, 1; 2: done */
	} wrap;

	struct { /* frames */
		struct hs_frame_reader frames;
		uint8_t source_id;
		bool frame_eof, frames_lost, frames_begun;
		bool skips; /* in this framing nothing says where packets begin */
		uint64_t ids[2], triggers, unnamed;
	} framed;

	/* serial */
	struct hs_serial_receiver serial;
	struct hs_serial_config serial_config;

	struct {                              /* pins and vcd */
		bool receiving;               /* the receiver is set up */
		struct hs_pin_config headers; /* what packets look like */
		struct hs_pin_receiver receiver;
		bool aligned;
		struct hs_pin_event first;
		struct hs_pin_event lost; /* alignment; reported after the bytes before it */
		bool report_lost;
		uint8_t *text_room, *sample_room; /* CAPTURE_PIECE bytes each */
		struct hs_span text, samples;     /* in them: what was read and not yet used */
		struct hs_vcd *vcd;
		struct hs_vcd_options vcd_options;
		bool vcd_ended;
		uint64_t step; /* of a dump of a serial pin: units of time between two samples */
	} pins;
};

/* input.c: the next bytes of the file or memory; 0 at its end.  HS_OK or HS_E_SYSTEM. */
enum hs_status capture_read_next(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error);

/* Bytes at an offset of the file or memory; 0 past its end.  HS_OK or HS_E_SYSTEM. */
enum hs_status capture_read_at(const struct hs_capture *c, uint64_t at, uint8_t *out, size_t want,
                               size_t *n, struct hs_error *error);

enum hs_status capture_seek_input(struct hs_capture *c, uint64_t offset, struct hs_error *error);
enum hs_status capture_rewind_input(struct hs_capture *c, struct hs_error *error);

/* A dump may be an FST file. */
enum hs_status capture_open_fst(struct hs_capture *c, struct hs_error *error);

/* ring.c */
enum hs_status capture_ring_open(struct hs_capture *c, const struct hs_capture_options *o,
                                 struct hs_error *error);
/* The part of a RAM sink's memory that is trace. */
enum hs_status capture_ram_open(struct hs_capture *c, const struct hs_capture_options *o,
                                struct hs_error *error);
void capture_ring_rewind(struct hs_capture *c);
enum hs_status capture_ring_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error);

/* pins.c */
enum hs_status capture_pins_open(struct hs_capture *c, struct hs_error *error);
void capture_pins_close(struct hs_capture *c);
enum hs_status capture_pins_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error);

/* frames.c */
enum hs_status capture_frames_open(struct hs_capture *c, const struct hs_capture_options *o,
                                   struct hs_error *error);
void capture_frames_rewind(struct hs_capture *c);
enum hs_status capture_frames_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                   struct hs_error *error);

/* serial.c */
enum hs_status capture_serial_open(struct hs_capture *c, const struct hs_capture_options *o,
                                   struct hs_error *error);
enum hs_status capture_serial_rewind(struct hs_capture *c, struct hs_error *error);
enum hs_status capture_serial_read(struct hs_capture *c, uint8_t *out, size_t cap, size_t *n,
                                   struct hs_error *error);

#endif
