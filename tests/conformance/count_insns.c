/* An outside witness: a plugin of QEMU 10 that only counts.  Each instruction that starts adds one
 * to its hart's number, in code that QEMU itself generates.  Those that then fault are among them;
 * an instruction that cannot be fetched is not.
 *
 * Argument: out=FILE, which gets a line for each hart: its number and the count. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* From the public documentation of the interface, version 4. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { ADD = 0 };
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned vcpu);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn, int op,
                                                         qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*cb)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
int qemu_plugin_num_vcpus(void);
EXPORT extern int qemu_plugin_version;
EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

int qemu_plugin_version = 4;

static qemu_plugin_u64 count;
static char path[4096];

static void on_translate(uint64_t id, struct qemu_plugin_tb *tb)
{
	const size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (size_t i = 0; i < n; i++)
		qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(qemu_plugin_tb_get_insn(tb, i),
		                                                    ADD, count, 1);
}

static void on_exit(uint64_t id, void *data)
{
	FILE *f = fopen(path, "w");

	(void)id;
	(void)data;
	for (int i = 0; f != NULL && i < qemu_plugin_num_vcpus(); i++)
		fprintf(f, "%d %llu\n", i,
		        (unsigned long long)qemu_plugin_u64_get(count, (unsigned)i));
	if (f != NULL)
		fclose(f);
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s", argv[0] + 4);
	count.score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit, NULL);
	return 0;
}
