/* A perf.data as perf would have recorded it (design/perf-data).
 *
 * The first program, or what runs before any context is known, is process 1000; each context is one
 * more.  With buffers of threads, or for the threads of a program, hart N is thread 1000 + N. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>

#include "encode/private.h"
#include "inputs/inputs.h"
#include "program/program.h"
#include "source/source.h"
#include "trace/trace.h"
#include "transport/transport.h"

#define PID 1000u
#define PMU_TYPE 10u /* numbers from there on are given out as drivers are loaded */
#define TYPE 7u      /* of AUXTRACE_INFO, unless an option says another one */
#define PIECE 65536u
#define POKE_MAX 16384u
#define FRAME 16u
#define PAGE UINT64_C(0xfff)
#define KERNEL (UINT64_C(1) << 63) /* addresses from here on */
#define SAMPLE_IP 1u               /* bit of sample_type that perf asks each event for */
#define OUT_OF_LINE 2u             /* PERF_RECORD_KSYMBOL_TYPE_OOL */

struct encode_buffer {
	struct encode_perf *output;
	uint32_t hart, index;
	uint32_t pid;   /* that runs */
	uint8_t *bytes; /* not written yet; of snapshots, the last ones */
	size_t n, room;
	uint64_t head; /* bytes so far */
	uint64_t shot; /* of them, those before the last snapshot */
	struct encode_buffer *next;
};

struct encode_perf {
	struct hs_perf_writer *writer;
	struct hs_encode_perf o;
	const struct hs_trace_params *params;
	struct hs_source *source;
	struct hs_error *error; /* why something failed */
	struct encode_buffer *first, **last;
	struct hs_frame_writer frames; /* of all harts, into the buffer of the first one */
	uint32_t count;
	uint64_t time;
	uint64_t *contexts; /* process PID + 1 + i is contexts[i] */
	size_t context_count;
	uint8_t *code; /* the sections of the image, one after the other, as they are now */
	bool machine;  /* it has contexts: harts are CPUs, and no threads */
};

/* A path without its folders. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- records --------------------------------------------------------------------------- */

static bool check(const struct encode_perf *p, enum hs_status status)
{
	if (status != HS_OK)
		hs_error_set(p->error, status, "perf.data: %s", hs_status_text(status));
	return status == HS_OK;
}

static uint32_t thread_of(const struct encode_buffer *b)
{
	return b->output->machine ? b->pid : PID + b->index;
}

static struct hs_perf_event event_of(const struct encode_buffer *b, uint32_t type)
{
	const uint32_t pid = b->output->machine ? b->pid : PID;

	return (struct hs_perf_event){
		.type = type,
		.pid = pid,
		.tid = thread_of(b),
		.sample = { .pid = pid,
		            .tid = thread_of(b),
		            .cpu = b->hart,
		            .time = b->output->time },
	};
}

static bool write_event(struct encode_perf *p, const struct hs_perf_event *e)
{
	return check(p, hs_perf_write(p->writer, e));
}

/* Bytes of a buffer, those at @offset, as the kernel reports them and perf stores them. */
static bool write_piece(struct encode_buffer *b, const struct hs_span *bytes, uint64_t offset,
                        uint64_t flags)
{
	struct encode_perf *p = b->output;
	struct hs_perf_event aux = event_of(b, HS_PERF_AUX);
	const struct hs_perf_event trace = {
		.offset = offset,
		.index = b->index,
		.cpu = p->o.threads ? HS_PERF_NONE : b->hart,
		.tid = p->o.threads ? PID + b->index : HS_PERF_NONE,
	};

	aux.offset = offset;
	aux.length = bytes->n;
	aux.flags = flags;
	aux.sample.tid = p->o.threads ? PID + b->index : aux.sample.tid;
	return write_event(p, &aux) && check(p, hs_perf_write_aux(p->writer, &trace, bytes));
}

static bool flush(struct encode_buffer *b)
{
	const struct hs_span bytes = { b->bytes, b->n };
	const bool good = !b->n || write_piece(b, &bytes, b->head - b->n, 0);

	b->n = 0;
	return good;
}

/* The last bytes of a buffer that is written in a circle. */
static bool take_snapshot(struct encode_buffer *b)
{
	const size_t keep = (size_t)b->output->o.snapshot;
	const size_t n = b->n < keep ? b->n : keep;
	const struct hs_span bytes = { b->bytes + b->n - n, n };

	if (b->head == b->shot)
		return true;
	b->shot = b->head;
	return write_piece(b, &bytes, b->head - n, HS_PERF_AUX_OVERWRITE);
}

/* ---- bytes ------------------------------------------------------------------------------- */

/* Put bytes where the oldest ones leave for them. */
static bool put_circular(struct encode_buffer *b, const uint8_t *bytes, size_t n)
{
	const struct hs_encode_perf *o = &b->output->o;

	for (size_t i = 0; i < n; i++) {
		if (b->n == b->room) { /* twice as many as are kept */
			memmove(b->bytes, b->bytes + b->n - o->snapshot, o->snapshot);
			b->n = o->snapshot;
		}
		b->bytes[b->n++] = bytes[i];
		b->head++;
		if (!o->every || b->head - b->shot < o->every)
			continue;
		if (!take_snapshot(b))
			return false;
	}
	return true;
}

static bool put_plain(struct encode_buffer *b, const uint8_t *bytes, size_t n)
{
	while (n) {
		const size_t some = n < b->room - b->n ? n : b->room - b->n;

		memcpy(b->bytes + b->n, bytes, some);
		b->n += some;
		b->head += some;
		bytes += some;
		n -= some;
		if (b->n == b->room && !flush(b))
			return false;
	}
	return true;
}

/* A block of frames begins as the trace buffers of CoreSight begin one: with four full
 * synchronisations. */
static bool put_framed(struct encode_buffer *b, const uint8_t *bytes, size_t n)
{
	static const uint8_t barrier[] = { 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f,
		                           0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f };
	struct encode_perf *p = b->output;
	uint8_t frame[HS_FRAME_ROOM];
	bool good = p->first->head || put_plain(p->first, barrier, sizeof(barrier));

	for (size_t i = 0; good && i < n; i++) {
		const size_t some =
			hs_frame_put(&p->frames, (uint8_t)(b->index + 1), bytes[i], frame);

		good = put_plain(p->first, frame, some);
	}
	return good;
}

static bool end_frame(struct encode_perf *p)
{
	uint8_t frame[HS_FRAME_ROOM];

	return put_plain(p->first, frame, hs_frame_flush(&p->frames, frame));
}

bool encode_perf_put(void *buffer, const uint8_t *bytes, size_t n)
{
	struct encode_buffer *b = buffer;

	if (b->output->o.frames)
		return put_framed(b, bytes, n);
	return b->output->o.snapshot ? put_circular(b, bytes, n) : put_plain(b, bytes, n);
}

uint64_t encode_perf_bytes(const struct encode_buffer *b)
{
	return b->head;
}

/* In a frame that is begun nothing says what comes before the change. */
bool encode_perf_place(struct encode_buffer *b, uint64_t *offset)
{
	struct encode_perf *p = b->output;

	if (p->o.frames && !end_frame(p))
		return false;
	*offset = p->o.frames ? p->first->head : b->head;
	return true;
}

void encode_perf_set_time(struct encode_perf *p, uint64_t time)
{
	p->time = time + 1; /* 0 is of records that perf made up */
}

/* ---- processes ---------------------------------------------------------------------------- */

static bool write_mapping(struct encode_perf *p, uint32_t pid, const struct hs_rec_map *m,
                          bool kernel)
{
	const uint64_t start = m->start & ~PAGE;
	const struct hs_perf_event e = {
		.type = HS_PERF_MMAP2,
		.misc = kernel ? HS_PERF_MISC_KERNEL : HS_PERF_MISC_USER,
		.pid = pid,
		.tid = pid,
		.address = start,
		.length = ((m->start + m->size + PAGE) & ~PAGE) - start,
		.offset = m->offset & ~PAGE,
		.text = m->path,
		.protection = 5,
		.flags = 2, /* PROT_READ | PROT_EXEC, MAP_PRIVATE */
		.sample = { .pid = pid, .tid = pid, .time = p->time },
	};
	struct hs_perf_build_id id;

	if (!write_event(p, &e))
		return false;
	if (!hs_perf_find_build_id(m->path, &id))
		return true;
	id.pid = kernel ? HS_PERF_NONE : pid;
	id.kernel = kernel;
	return check(p, hs_perf_write_build_id(p->writer, &id));
}

static bool write_segments(struct encode_perf *p, uint32_t pid, const struct hs_rec_process *f)
{
	struct hs_program *program;
	struct hs_program_segment g;
	struct hs_rec_map m;
	bool good = true;

	if (hs_program_new(&program) != HS_OK)
		return check(p, HS_E_MEMORY);
	if (hs_program_add_elf(program, f->path, f->bias, NULL) == HS_OK)
		for (size_t i = 0; good && hs_program_get_segment(program, i, &g); i++) {
			m = (struct hs_rec_map){
				.start = g.start, .size = g.size, .offset = g.offset, .path = g.path
			};
			good = write_mapping(p, pid, &m, false);
		}
	hs_program_free(program);
	return good;
}

static bool write_comm(struct encode_perf *p, uint32_t pid, uint32_t tid, const char *name)
{
	char text[16] = ""; /* as the kernel has it */
	const struct hs_perf_event e = {
		.type = HS_PERF_COMM,
		.misc = pid == tid ? HS_PERF_MISC_EXEC : 0,
		.pid = pid,
		.tid = tid,
		.text = text,
		.sample = { .pid = pid, .tid = tid, .time = p->time },
	};

	memcpy(text, name, strnlen(name, sizeof(text) - 1));
	return write_event(p, &e);
}

static bool write_task(struct encode_perf *p, const struct encode_buffer *b, uint32_t type,
                       uint32_t pid, uint32_t tid)
{
	const struct hs_perf_event e = {
		.type = type,
		.pid = pid,
		.tid = tid,
		.parent_pid = b->pid,
		.parent_tid = b->pid,
		.when = p->time,
		.sample = { .pid = b->pid, .tid = b->pid, .cpu = b->hart, .time = p->time },
	};

	return write_event(p, &e);
}

/* The process of a context, a new one if there is none; 0, it cannot be. */
static uint32_t find_process(struct encode_buffer *b, uint64_t context)
{
	struct encode_perf *p = b->output;
	const struct hs_rec_info *info = hs_source_info(p->source);
	const char *path = NULL;
	char name[32];

	for (size_t i = p->context_count; i-- > 0;)
		if (p->contexts[i] == context)
			return PID + 1 + (uint32_t)i;
	uint64_t *more = realloc(p->contexts, (p->context_count + 1) * sizeof(*more));

	if (!more) {
		check(p, HS_E_MEMORY);
		return 0;
	}
	p->contexts = more;
	more[p->context_count++] = context;
	const uint32_t pid = PID + (uint32_t)p->context_count;
	bool good = write_task(p, b, HS_PERF_FORK, pid, pid);

	for (size_t i = 0; good && i < info->process_count; i++)
		if (info->processes[i].context == context) {
			path = info->processes[i].path;
			good = write_segments(p, pid, &info->processes[i]);
		}
	snprintf(name, sizeof(name), "ctx-%llx", (unsigned long long)context);
	return good && write_comm(p, pid, pid, path ? name_of(path) : name) ? pid : 0;
}

static bool write_switch(const struct encode_buffer *b, uint32_t other, bool out)
{
	struct hs_perf_event e = event_of(b, HS_PERF_SWITCH_CPU_WIDE);

	e.misc = out ? HS_PERF_MISC_OUT : 0;
	e.pid = e.tid = other;
	return write_event(b->output, &e);
}

bool encode_perf_item(struct encode_buffer *b, const struct hs_block *item)
{
	const uint32_t before = b->pid;

	if (item->kind != HS_KIND_CONTEXT || !b->output->machine)
		return true;
	const uint32_t pid = find_process(b, item->value);

	if (!pid || pid == before)
		return pid != 0;
	if (!write_switch(b, pid, true))
		return false;
	b->pid = pid;
	return write_switch(b, before, false);
}

/* ---- code that changes --------------------------------------------------------------------- */

/* The code that is known at an address, up to @n bytes of it; NULL: none. */
static uint8_t *find_code(struct encode_perf *p, uint64_t address, size_t *n)
{
	const struct hs_image *image = hs_source_image(p->source);
	uint8_t *at = p->code;

	for (size_t i = 0; i < image->count; at += image->sections[i++].size) {
		const struct hs_section *s = &image->sections[i];

		if (address < s->start || address - s->start >= s->size)
			continue;
		if (*n > s->size - (address - s->start))
			*n = (size_t)(s->size - (address - s->start));
		return at + (address - s->start);
	}
	return NULL;
}

/* Code that was not there: the kernel names its own. */
static bool write_symbol(struct encode_buffer *b, const struct hs_section *code)
{
	struct hs_perf_event e = event_of(b, HS_PERF_KSYMBOL);
	char name[40];

	if (code->start < KERNEL)
		return true;
	snprintf(name, sizeof(name), "code_%llx", (unsigned long long)code->start);
	e.address = code->start;
	e.length = code->size;
	e.subtype = OUT_OF_LINE;
	e.text = name;
	return write_event(b->output, &e);
}

static bool write_poke(struct encode_buffer *b, const struct hs_section *code, uint8_t *old)
{
	struct hs_perf_event e = event_of(b, HS_PERF_TEXT_POKE);

	if (old && memcmp(old, code->bytes, (size_t)code->size) == 0)
		return true; /* another hart came to it before */
	e.misc = code->start >= KERNEL ? HS_PERF_MISC_KERNEL : HS_PERF_MISC_USER;
	e.address = code->start;
	e.old_size = old ? (uint32_t)code->size : 0;
	e.new_size = (uint32_t)code->size;
	e.bytes = (struct hs_span){ old, e.old_size };
	e.poke = (struct hs_span){ code->bytes, e.new_size };
	const bool good = write_event(b->output, &e);

	if (old)
		memcpy(old, code->bytes, (size_t)code->size);
	return good && (old || write_symbol(b, code));
}

bool encode_perf_poke(struct encode_buffer *b, const struct hs_section *code)
{
	bool good = b->output->o.snapshot || flush(b->output->o.frames ? b->output->first : b);

	for (uint64_t at = 0, n; good && at < code->size; at += n) {
		const uint64_t left = code->size - at;
		size_t some = left < POKE_MAX ? (size_t)left : POKE_MAX;
		uint8_t *old = find_code(b->output, code->start + at, &some);
		const struct hs_section part = { code->start + at, n = some, code->bytes + at };

		good = write_poke(b, &part, old);
	}
	return good;
}

/* ---- the beginning and the end ------------------------------------------------------------ */

static size_t put_cpu(const struct encode_perf *p, const struct encode_buffer *b, uint64_t *to)
{
	const bool ntrace = strcmp(hs_trace_params_protocol(p->params)->name, "ntrace") == 0;
	const uint64_t src_bits = hs_trace_params_number(p->params, "trTeSrcBits");
	const struct hs_perf_cpu cpu = {
		.cpu = b->hart,
		.count = 5,
		.format = ntrace,
		.context = ntrace ? hs_trace_params_number(p->params, "trTeContext")
		                  : !hs_trace_params_number(p->params, "nocontext_p"),
		.inhibit_src = hs_trace_params_number(p->params, "trTeInhibitSrc"),
		.src_bits = src_bits,
		.src_id = p->o.frames && !src_bits ? b->index + 1 : b->hart,
	};

	memcpy(to, &cpu, sizeof(cpu));
	return sizeof(cpu) / 8;
}

/* AUXTRACE_INFO. */
static bool write_info(struct encode_perf *p)
{
	const size_t each = sizeof(struct hs_perf_cpu) / 8;
	uint64_t *priv = calloc(1 + p->count * each, sizeof(*priv));
	uint8_t *bytes = calloc(1 + p->count * each, sizeof(*priv));
	size_t n = 1;

	if (!priv || !bytes) {
		free(priv);
		free(bytes);
		return check(p, HS_E_MEMORY);
	}
	priv[0] = p->o.plain ? PMU_TYPE : (uint64_t)PMU_TYPE << 32 | p->count;
	for (const struct encode_buffer *b = p->first; b && !p->o.plain; b = b->next)
		n += put_cpu(p, b, priv + n);
	for (size_t i = 0; i < 8 * n; i++)
		bytes[i] = (uint8_t)(priv[i / 8] >> 8 * (i % 8));
	const struct hs_perf_event e = { .type = HS_PERF_AUXTRACE_INFO,
		                         .subtype = (uint32_t)p->o.type,
		                         .bytes = { bytes, 8 * n } };
	const bool good = write_event(p, &e);

	free(priv);
	free(bytes);
	return good;
}

static bool write_start(struct encode_perf *p)
{
	const struct hs_rec_info *info = hs_source_info(p->source);
	const char *name = info->program && *info->program ? name_of(info->program) : "hart";
	bool good = write_comm(p, PID, PID, p->machine ? "machine" : name);

	for (size_t i = 0; good && i < info->map_count; i++)
		if (info->maps[i].path)
			good = write_mapping(p, PID, &info->maps[i], info->maps[i].start >= KERNEL);
	return good;
}

static enum hs_status copy_code(struct encode_perf *p)
{
	const struct hs_image *image = hs_source_image(p->source);
	size_t n = 0;

	for (size_t i = 0; i < image->count; i++)
		n += (size_t)image->sections[i].size;
	p->code = malloc(n ? n : 1);
	if (!p->code)
		return HS_E_MEMORY;
	n = 0;
	for (size_t i = 0; i < image->count; n += (size_t)image->sections[i++].size)
		memcpy(p->code + n, image->sections[i].bytes, (size_t)image->sections[i].size);
	return HS_OK;
}

struct encode_perf *encode_perf_open(const struct hs_encode_perf *o,
                                     const struct hs_trace_params *params, struct hs_source *source,
                                     struct hs_error *error)
{
	const struct hs_rec_info *info = hs_source_info(source);
	const struct hs_perf_writer_options wo = {
		.size = sizeof(wo),
		.xlen = info->xlen,
		.release = "a recording",
		.command = "encode",
		.attr = { .type = PMU_TYPE,
		          .period = 1,
		          .sample_type =
		                  SAMPLE_IP | HS_PERF_HAS_TID | HS_PERF_HAS_TIME | HS_PERF_HAS_CPU,
		          .flags = HS_PERF_ATTR_MMAP | HS_PERF_ATTR_COMM | HS_PERF_ATTR_TASK |
		                   HS_PERF_ATTR_SAMPLE_ID_ALL | HS_PERF_ATTR_MMAP2 |
		                   HS_PERF_ATTR_COMM_EXEC | HS_PERF_ATTR_CONTEXT_SWITCH |
		                   HS_PERF_ATTR_KSYMBOL | HS_PERF_ATTR_TEXT_POKE },
	};
	struct encode_perf *p = calloc(1, sizeof(*p));
	enum hs_status status = p ? hs_perf_writer_new(&wo, &p->writer) : HS_E_MEMORY;

	if (p) {
		p->o = *o;
		p->params = params;
		p->source = source;
		p->error = error;
		p->o.type = o->type ? o->type : TYPE;
		p->o.piece = o->piece ? o->piece : PIECE;
		if (o->frames) /* whole frames */
			p->o.piece = (p->o.piece + FRAME - 1) / FRAME * FRAME;
		hs_frame_writer_init(&p->frames, 0);
		p->last = &p->first;
		p->time = 1;
	}
	if (status == HS_OK)
		status = copy_code(p);
	if (status == HS_OK)
		return p;
	encode_perf_close(p);
	hs_error_set(error, status, "perf.data: %s", hs_status_text(status));
	return NULL;
}

struct encode_buffer *encode_perf_add(struct encode_perf *p, uint32_t hart)
{
	const size_t room = (size_t)(p->o.snapshot ? 2 * p->o.snapshot : p->o.piece);
	struct encode_buffer *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	*b = (struct encode_buffer){ .output = p,
		                     .hart = hart,
		                     .index = p->count,
		                     .pid = PID,
		                     .bytes = malloc(room),
		                     .room = room };
	if (!b->bytes) {
		free(b);
		return NULL;
	}
	*p->last = b;
	p->last = &b->next;
	p->count++;
	return b;
}

/* Before the first byte: what runs, and where. */
/* TIME_CONV: perf's times are those of the trace, and one more (encode_perf_set_time()). */
static bool write_clock(struct encode_perf *p)
{
	const struct hs_perf_event e = { .type = HS_PERF_TIME_CONV,
		                         .time_multiplier = 1,
		                         .time_zero = 1 };

	return write_event(p, &e);
}

bool encode_perf_begin(struct encode_perf *p, bool machine, bool timed)
{
	bool good;

	p->machine = machine;
	good = (p->o.no_info || write_info(p)) && (!timed || write_clock(p)) && write_start(p);
	for (const struct encode_buffer *b = p->first; good && b; b = b->next) {
		struct hs_perf_event start = event_of(b, HS_PERF_ITRACE_START);
		struct hs_perf_event id = event_of(b, HS_PERF_AUX_OUTPUT_HW_ID);

		if (!machine && b->index)
			good = write_task(p, b, HS_PERF_FORK, PID, PID + b->index);
		id.id = b->hart;
		good = good && write_event(p, &start) &&
		       (!hs_trace_params_number(p->params, "trTeSrcBits") || write_event(p, &id));
	}
	return good;
}

bool encode_perf_end(struct encode_perf *p, hs_write_fn write, void *to)
{
	const struct hs_perf_event round = { .type = HS_PERF_FINISHED_ROUND };
	bool good = !p->o.frames || !p->first || end_frame(p);

	for (struct encode_buffer *b = p->first; good && b; b = b->next) {
		good = p->o.snapshot ? take_snapshot(b) : flush(b);
		if (!p->machine)
			good = good && write_task(p, b, HS_PERF_EXIT, PID, PID + b->index);
	}
	for (size_t i = 0; good && i < p->context_count; i++)
		good = write_task(p, p->first, HS_PERF_EXIT, PID + 1 + (uint32_t)i,
		                  PID + 1 + (uint32_t)i);
	return good && write_event(p, &round) && hs_perf_writer_end(p->writer, write, to) == HS_OK;
}

void encode_perf_close(struct encode_perf *p)
{
	while (p && p->first) {
		struct encode_buffer *b = p->first;

		p->first = b->next;
		free(b->bytes);
		free(b);
	}
	if (p) {
		hs_perf_writer_free(p->writer);
		free(p->contexts);
		free(p->code);
	}
	free(p);
}
