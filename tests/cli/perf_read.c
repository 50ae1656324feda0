/* The records of a perf.data file, one line each, by the kernel's <linux/perf_event.h> and
 * tools/perf/Documentation/perf.data-file-format.txt.  Exit status 1: the file breaks their
 * rules. */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

struct section {
	__u64 offset, size;
};

/* struct perf_file_header, and struct perf_file_attr with attributes of version 7. */
struct header {
	char magic[8];
	__u64 size, attr_size;
	struct section attrs, data, event_types;
	__u64 features[4];
};

struct attr {
	__u8 attr[PERF_ATTR_SIZE_VER7];
	struct section ids;
};

static __u8 *file;
static size_t file_size;

static void fail(const char *what)
{
	printf("wrong: %s\n", what);
	exit(1);
}

static const void *at(__u64 offset, __u64 size)
{
	if (offset > file_size || size > file_size - offset)
		fail("beyond the end of the file");
	return file + offset;
}

static __u64 take_u64(const __u8 **p, const __u8 *end)
{
	__u64 v;

	if (end - *p < 8)
		fail("a record that is too short");
	memcpy(&v, *p, 8);
	*p += 8;
	return v;
}

static void print_branch(const __u8 **p, const __u8 *end)
{
	const __u64 from = take_u64(p, end), to = take_u64(p, end), flags = take_u64(p, end);

	/* struct perf_branch_entry: mispred 0, predicted 1, cycles 19:4, type 23:20 */
	printf(" %llx/%llx/%c/%llu/%llu", (ull)from, (ull)to, flags & 1 ? 'M' : flags & 2 ?
	       'P' : '-',
	       (ull)(flags >> 4 & 0xffff), (ull)(flags >> 20 & 0xf));
}

static void print_caller(__u64 address)
{
	if (address == (__u64)PERF_CONTEXT_USER)
		printf(" user");
	else if (address == (__u64)PERF_CONTEXT_KERNEL)
		printf(" kernel");
	else
		printf(" %llx", (ull)address);
}

/* The order of the members is that of struct perf_event_header's PERF_RECORD_SAMPLE. */
static void print_sample(const __u8 *p, const __u8 *end, __u64 type, bool kernel)
{
	const __u64 ip = take_u64(&p, end), ids = take_u64(&p, end), time = take_u64(&p, end);
	const __u64 cpu = take_u64(&p, end), period = take_u64(&p, end);

	if ((type & ~(__u64)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK)) !=
	    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
	     PERF_SAMPLE_PERIOD))
		fail("another sample_type");
	printf("%ssample ip=%llx pid=%llu tid=%llu time=%llu cpu=%llu period=%llu:",
	       kernel ? "kernel " : "", (ull)ip,
	       (ull)(ids & 0xffffffff), (ull)(ids >> 32), (ull)time, (ull)(cpu & 0xffffffff),
	       (ull)period);
	if (type & PERF_SAMPLE_CALLCHAIN)
		for (__u64 n = take_u64(&p, end); n > 0; n--)
			print_caller(take_u64(&p, end));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		for (__u64 n = take_u64(&p, end); n > 0; n--)
			print_branch(&p, end);
	printf("\n");
	if (p != end)
		fail("a sample that is too long");
}

/* The pid where it is not 1. */
static void print_comm(const __u8 *body)
{
	__u32 pid;

	memcpy(&pid, body, 4);
	printf("comm %.16s", (const char *)body + 8);
	printf(pid == 1 ? "\n" : " of %d\n", (int)pid);
}

static void print_mmap(const __u8 *body)
{
	__u64 place[3];
	__u32 pid;

	memcpy(&pid, body, 4);
	memcpy(place, body + 8, sizeof(place));
	if (pid != 1)
		printf("mmap2 of %d: %llx+%llx from %llx, %s\n", (int)pid, (ull)place[0],
		       (ull)place[1], (ull)place[2], (const char *)body + 64);
	else
		printf("mmap2 %s\n", (const char *)body + 64);
}

static void print_records(const struct section *data, __u64 type)
{
	for (__u64 done = 0; done < data->size;) {
		const struct perf_event_header *h = at(data->offset + done, sizeof(*h));
		const __u8 *body = (const __u8 *)(h + 1);

		if (h->size < sizeof(*h) || h->size % 8 || h->size > data->size - done)
			fail("size of a record");
		at(data->offset + done, h->size);
		if (h->type == PERF_RECORD_SAMPLE)
			print_sample(body, (const __u8 *)h + h->size, type,
			             (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			             PERF_RECORD_MISC_KERNEL);
		else if (h->type == PERF_RECORD_COMM)
			print_comm(body);
		else if (h->type == PERF_RECORD_MMAP2)
			print_mmap(body);
		else
			fail("a record of another type");
		done += h->size;
	}
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = { 0 };
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;

	if (!f)
		fail("no file");
	file = malloc(1 << 24);
	file_size = file ? fread(file, 1, 1 << 24, f) : 0;
	fclose(f);
	const struct header *h = at(0, sizeof(*h));
	const struct attr *a = at(h->attrs.offset, sizeof(*a));

	if (memcmp(h->magic, "PERFILE2", 8) != 0 || h->size != sizeof(*h) ||
	    h->attr_size != sizeof(*a) ||
	    h->attrs.size != sizeof(*a))
		fail("the header");
	memcpy(&attr, a->attr, sizeof(a->attr));
	printf("event type=%u config=%llu period=%llu\n", attr.type, (ull)attr.config,
	       (ull)attr.sample_period);
	print_records(&h->data, attr.sample_type);
	free(file);
	return 0;
}
