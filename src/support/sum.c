/* Sums of bytes (sum.h). */
#include <errno.h>
#include <unistd.h>

#include "support/sum.h"
#include "support/words.h"

#define SAMPLES 64u
#define SAMPLE_BYTES ((size_t)4096)

uint64_t support_sum(uint64_t sum, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
	return sum;
}

uint64_t support_sum_number(uint64_t sum, uint64_t v)
{
	uint8_t bytes[8]; /* the same on hosts of each byte order */

	support_put64(bytes, v);
	return support_sum(sum, bytes, sizeof(bytes));
}

/* As pread(), of all there is. */
static ssize_t read_at(int fd, uint8_t *to, size_t n, uint64_t at)
{
	size_t done = 0;

	while (done < n) {
		const ssize_t r = pread(fd, to + done, n - done, (off_t)(at + done));

		if (r == 0)
			break;
		if (r < 0 && errno != EINTR)
			return -1;
		done += r > 0 ? (size_t)r : 0;
	}
	return (ssize_t)done;
}

uint64_t support_sum_samples(uint64_t sum, const uint8_t *p, int fd, uint64_t n)
{
	uint8_t sample[SAMPLE_BYTES];
	const uint64_t rest = n > SAMPLE_BYTES ? n - SAMPLE_BYTES : 0;

	sum = support_sum_number(sum, n);
	for (unsigned i = 0; i < SAMPLES; i++) {
		const uint64_t at = rest / (SAMPLES - 1) * i;
		const size_t size = n - at < SAMPLE_BYTES ? (size_t)(n - at) : SAMPLE_BYTES;
		const ssize_t got = p || fd < 0 ? 0 : read_at(fd, sample, size, at);

		if (got < 0)
			return 0;
		sum = support_sum(sum, p ? p + at : sample, p ? size : (size_t)got);
		if (!rest)
			break;
	}
	return sum;
}
