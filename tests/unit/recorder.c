/* Recording through the library: the signal dispositions of the process that calls it, and its
 * standard error, stay as they are unless options say otherwise.  The program is written here byte
 * by byte, so that only the emulator is needed: an exit with status 3. */
#include "cases.h"

#include <signal.h>

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>

#include <hartscope/record.h>
#include <hartscope/recording.h>

#include "little.h"
#include "recording_files.h"

#define START 0x10078u /* after the headers, in a segment at 0x10000 */

/* riscv64-linux-gnu-as: c.li a0,3; li a7,93; ecall */
static const uint8_t exit_3[] = { 0x0d, 0x45, 0x93, 0x08, 0xd0, 0x05, 0x73, 0x00, 0x00, 0x00 };
/* li a7,172 (getpid); ecall; li a1,15; li a7,129 (kill); ecall; then exit_3 */
static const uint8_t kill_self[] = {
	0x93, 0x08, 0xc0, 0x0a, 0x73, 0x00, 0x00, 0x00, 0xbd, 0x45, 0x93, 0x08, 0x10, 0x08,
	0x73, 0x00, 0x00, 0x00, 0x0d, 0x45, 0x93, 0x08, 0xd0, 0x05, 0x73, 0x00, 0x00, 0x00,
};

static void write_program(const char *path, const uint8_t *code, size_t size)
{
	Elf64_Ehdr e = { .e_ident = ELFMAG, .e_type = ET_EXEC, .e_machine = EM_RISCV,
		         .e_version = EV_CURRENT, .e_entry = START,
		         .e_flags = EF_RISCV_RVC, .e_ehsize = sizeof(e),
		         .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1 };
	Elf64_Phdr p = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x10000,
		         .p_paddr = 0x10000, .p_filesz = 0x78 + size, .p_memsz = 0x78 + size,
		         .p_align = 0x1000 };
	FILE *f = fopen(path, "wb");

	e.e_ident[EI_CLASS] = ELFCLASS64;
	e.e_ident[EI_DATA] = ELFDATA2LSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	little_elf(&e);
	e.e_phoff = LITTLE64((uint64_t)sizeof(e));
	little_segments(&p, 1);
	assert_non_null(f);
	assert_int_equal(sizeof(e) + sizeof(p), START - 0x10000);
	fwrite(&e, sizeof(e), 1, f);
	fwrite(&p, sizeof(p), 1, f);
	fwrite(code, size, 1, f);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static struct sigaction before[NSIG];

static void on_signal(int number)
{
	(void)number;
}

/* A handler of our own for one of those that the recorder can forward. */
static void note_dispositions(void)
{
	signal(SIGTERM, on_signal);
	for (int i = 1; i < NSIG; i++)
		sigaction(i, NULL, &before[i]);
}

static void same_dispositions(void)
{
	for (int i = 1; i < NSIG; i++) {
		struct sigaction now = { 0 };

		if (sigaction(i, NULL, &now) == 0 && now.sa_handler != before[i].sa_handler)
			fail_msg("signal %d has another handler", i);
	}
}

/* Watches the dispositions while the recorder runs on another thread. */
struct watch {
	volatile bool over, changed;
};

static void *watch_dispositions(void *argument)
{
	struct watch *w = argument;

	while (!w->over) {
		struct sigaction now;

		sigaction(SIGTERM, NULL, &now);
		if (now.sa_handler != on_signal)
			w->changed = true;
		usleep(500);
	}
	return NULL;
}

/* Run the program with standard error in a file; how many bytes arrived there. */
static off_t record(const char *dir, const struct hs_recorder_options *o,
                    struct hs_recorder_result *result, enum hs_status *status, struct watch *w)
{
	char path[128], program[128], text[128];
	char *argv[] = { program, NULL };
	const int old = dup(STDERR_FILENO);
	struct hs_error error = { 0 };
	pthread_t watcher;
	struct stat st;

	snprintf(path, sizeof(path), "%s/recording", dir);
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(text, sizeof(text), "%s/stderr", dir);
	const int fd = open(text, O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	pthread_create(&watcher, NULL, watch_dispositions, w);
	*status = hs_recorder_run(path, argv, o, result, &error);
	w->over = true;
	pthread_join(watcher, NULL);
	dup2(old, STDERR_FILENO);
	close(old);
	fstat(fd, &st);
	close(fd);
	if (*status != HS_OK)
		fprintf(stderr, "%s\n", error.text);
	return st.st_size;
}

static void remove_all(const char *dir)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/recording", dir);
	test_directory_remove(path);
	snprintf(path, sizeof(path), "%s/program", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/stderr", dir);
	unlink(path);
	rmdir(dir);
}

static bool have_emulator(void)
{
	return system("qemu-riscv64 --version >/dev/null 2>&1") == 0;
}

/* Debian 13's is linked statically. */
static bool loads_plugins(void)
{
	return system("qemu-riscv64 -help 2>&1 | grep -q '^-plugin'") == 0;
}

static void skip_without_emulator(void)
{
	if (getenv("HARTSCOPE_CROSS") || (have_emulator() && !loads_plugins())) {
		print_message("SKIP: an emulator of this host does not load our plugin\n");
		skip();
	}
	if (have_emulator())
		return;
	print_message("SKIP: qemu-riscv64 is not installed\n");
	skip();
}

TEST(leaves_signals_and_stderr)
{
	struct hs_recorder_options o = { .size = sizeof(o) };
	struct hs_recorder_result result;
	struct watch w = { 0 };
	enum hs_status status;
	char room[64], path[128];
	struct hs_error error;
	struct hs_rec *rec;

	skip_without_emulator();
	test_directory(room);
	snprintf(path, sizeof(path), "%s/program", room);
	write_program(path, exit_3, sizeof(exit_3));
	note_dispositions();
	assert_int_equal(record(room, &o, &result, &status, &w), 0);
	assert_int_equal(status, HS_OK);
	assert_false(w.changed);
	same_dispositions();
	assert_int_equal(result.exit_status, 3);
	assert_int_equal(result.instructions, 3);
	assert_int_equal(result.harts, 1);
	snprintf(path, sizeof(path), "%s/recording", room);
	assert_int_equal(hs_rec_open(path, &rec, &error), HS_OK);
	assert_true(hs_rec_get_info(rec)->complete);
	assert_string_equal(hs_rec_get_info(rec)->end, "exit 3");
	assert_int_equal(hs_rec_get_info(rec)->entry, START);
	hs_rec_close(rec);
	remove_all(room);
}

/* The other way round: what was asked for is done, and undone. */
TEST(forwards_when_asked)
{
	struct hs_recorder_options o = { .size = sizeof(o), .forward_signals = true };
	struct hs_recorder_result result;
	struct watch w = { 0 };
	enum hs_status status;
	char room[64], path[128];

	skip_without_emulator();
	test_directory(room);
	snprintf(path, sizeof(path), "%s/program", room);
	write_program(path, exit_3, sizeof(exit_3));
	note_dispositions();
	record(room, &o, &result, &status, &w);
	assert_int_equal(status, HS_OK);
	assert_true(w.changed);
	same_dispositions();
	remove_all(room);
}

TEST(a_signal_cuts_the_recording)
{
	struct hs_recorder_result result;
	struct watch w = { 0 };
	enum hs_status status;
	char room[64], path[128];

	skip_without_emulator();
	test_directory(room);
	snprintf(path, sizeof(path), "%s/program", room);
	write_program(path, kill_self, sizeof(kill_self));
	note_dispositions();
	record(room, NULL, &result, &status, &w);
	assert_int_equal(status, HS_E_CUT);
	assert_int_equal(result.exit_status, 128 + SIGTERM);
	assert_int_equal(result.instructions, 5);
	remove_all(room);
}

static bool take_none(void *to, const struct hs_rec *rec, uint32_t hart, const struct hs_block *b,
                      size_t n)
{
	(void)to, (void)rec, (void)hart, (void)b, (void)n;
	return false;
}

TEST(wrong_calls)
{
	struct hs_recorder_options both = { .size = sizeof(both), .take = take_none,
		                            .keep_last = 1 };
	struct {
		struct hs_recorder_options o;
		uint32_t later;
	} newer = { { .size = sizeof(newer) }, 1 };
	struct hs_recorder_options small = { .size = 3 };
	struct hs_recorder_result result;
	char *program[] = { (char[]){ "/missing" }, NULL }, *none[] = { NULL };
	struct hs_error error;

	assert_int_equal(hs_recorder_run(NULL, program, NULL, &result, &error), HS_E_ARG);
	assert_int_equal(hs_recorder_run("x", none, NULL, &result, &error), HS_E_ARG);
	assert_int_equal(hs_recorder_run("x", program, &small, &result, &error), HS_E_CONFIG);
	assert_int_equal(hs_recorder_run("x", program, &newer.o, &result, &error), HS_E_CONFIG);
	assert_int_equal(hs_recorder_run("x", program, &both, &result, &error), HS_E_CONFIG);
	both.keep_last = 0;
	assert_int_equal(hs_recorder_run(NULL, program, &both, &result, &error), HS_E_SYSTEM);
	newer.later = 0;
	assert_int_equal(hs_recorder_run("x", program, &newer.o, &result, &error), HS_E_SYSTEM);
	assert_int_equal(result.exit_status, 127);
}
