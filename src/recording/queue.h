/* Frames that a thread compresses and writes, in their order, while the caller continues. */
#ifndef HS_RECORDING_QUEUE_H
#define HS_RECORDING_QUEUE_H

#include "recording/files.h"

struct rec_queue;

/* @zip belongs to the queue while there is one.  NULL: there is no memory, or no thread. */
struct rec_queue *rec_queue_new(struct rec_zip *zip);
/* All frames are written, or a file failed. */
void rec_queue_drain(struct rec_queue *q);
void rec_queue_free(struct rec_queue *q); /* drains; NULL is allowed */
/* As rec_out_frame(), later; @bytes are copied.  False: a file failed, and nothing is written any
 * more; rec_out.error of that file says why. */
bool rec_queue_frame(struct rec_queue *q, struct rec_out *out, const void *bytes, size_t n);

#endif
