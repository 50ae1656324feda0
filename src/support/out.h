/* Text and bytes for a hs_write_fn, in large pieces. */
#ifndef HS_SUPPORT_OUT_H
#define HS_SUPPORT_OUT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

/* What was given and is not yet written.  Zero is free of memory. */
struct support_out {
	hs_write_fn write;
	void *context;
	char *text;
	size_t used;
	enum hs_status status; /* the first error; nothing is written after it */
};

/* HS_OK or HS_E_MEMORY. */
enum hs_status support_out_open(struct support_out *o, hs_write_fn write, void *context);
void support_out_free(struct support_out *o);

/* Print text; an error stays in @o->status.  What exceeds 64 KiB in one call is cut. */
void support_out_print(struct support_out *o, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void support_out_vprint(struct support_out *o, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* The same for a string. */
void support_out_text(struct support_out *o, const char *text);

/* A text as @write has it, such as hs_json_string(): whole, however long it is. */
typedef size_t support_out_writer(char *to, size_t room, const char *text);
void support_out_as(struct support_out *o, support_out_writer *write, const char *text);

/* Put bytes; write what is pending.  HS_OK or the first error. */
enum hs_status support_out_put(struct support_out *o, const void *bytes, size_t n);
enum hs_status support_out_flush(struct support_out *o);

#endif
