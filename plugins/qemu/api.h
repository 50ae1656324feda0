/* The parts of QEMU's TCG plugin interface that the plugins use, in versions 1 to 7.
 *
 * Debian ships no header for it.  Declared here from the public documentation of the interface;
 * QEMU's executable exports these functions.  The build defines PLUGIN_API: an object is for the
 * versions from that one up to the next one in meson.build.  docs/qemu.md has a table of what
 * changed; nothing outside this header asks for a version.
 *
 * Registers come in GLib's arrays, of which three functions are used; QEMU has the library loaded.
 */
#ifndef PLUGIN_API_H
#define PLUGIN_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define QEMU_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

/* What QEMU says of itself to qemu_plugin_install(). */
typedef struct qemu_info_t {
	const char *target_name; /* "riscv64", "riscv32" */
	struct {
		int min, cur; /* plugin interface versions supported */
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus, max_vcpus;
		} system;
	};
} qemu_info_t;

struct qemu_plugin_tb;       /* a block during its translation */
struct qemu_plugin_insn;     /* an instruction during its translation */
struct qemu_plugin_register; /* names a register of a vcpu */
typedef uint32_t qemu_plugin_meminfo_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64, QEMU_PLUGIN_INLINE_STORE_U64 /* from 2 */ };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned vcpu, void *udata);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t vaddr,
                                          void *udata);

/* Provided by the plugin. */
QEMU_EXPORT extern int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                                    char **argv);

/* ---- what is the same in all versions ----------------------------------------------- */

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
                                          enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            qemu_plugin_vcpu_udata_cb_t cb,
                                            enum qemu_plugin_cb_flags flags, void *udata);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_plugin_vcpu_mem_cb_t cb,
                                      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
                                      void *udata);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
char *qemu_plugin_insn_disas(const struct qemu_plugin_insn *insn); /* the caller frees it */

/* ---- 3: bytes are copied ------------------------------------------------------------- */

#if PLUGIN_API >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest, size_t length);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif

/* Copy the first @n bytes of an instruction, which has at least as many. */
static inline void plugin_insn_bytes(const struct qemu_plugin_insn *insn, void *to, size_t n)
{
#if PLUGIN_API >= 3
	qemu_plugin_insn_data(insn, to, n);
#else
	memcpy(to, qemu_plugin_insn_data(insn), n);
#endif
}

/* ---- 7: user data for every callback, and no id ----------------------------------------- */

/* A callback of QEMU's, in the version of the object, is defined by one of the macros: @name, which
 * calls @function with what is the same in all versions. */
#if PLUGIN_API >= 7
#define PLUGIN_TAKES(...) (__VA_ARGS__, void *plugin_udata)
#define PLUGIN_TAKES_NOTHING (void *plugin_udata)
#define PLUGIN_IGNORED (void)plugin_udata
#define PLUGIN_DATA_PARAMETER , void *udata
#define PLUGIN_NO_DATA , NULL
typedef void (*qemu_plugin_udata_cb_t)(void *udata);
#define PLUGIN_END_CALLBACK(name, function) PLUGIN_CALLBACK(name, function)
#else
#define PLUGIN_TAKES(...) (qemu_plugin_id_t plugin_id, __VA_ARGS__)
#define PLUGIN_TAKES_NOTHING (qemu_plugin_id_t plugin_id)
#define PLUGIN_IGNORED (void)plugin_id
#define PLUGIN_DATA_PARAMETER
#define PLUGIN_NO_DATA
typedef void (*qemu_plugin_udata_cb_t)(qemu_plugin_id_t id, void *udata);
/* For qemu_plugin_register_atexit_cb(). */
#define PLUGIN_END_CALLBACK(name, function) \
	static void name(qemu_plugin_id_t id, void *udata) \
	{ \
		(void)id, (void)udata; \
		function(); \
	}
#endif

typedef void(*plugin_cb) PLUGIN_TAKES_NOTHING;
typedef void(*plugin_vcpu_cb) PLUGIN_TAKES(unsigned vcpu);
typedef void(*plugin_tb_cb) PLUGIN_TAKES(struct qemu_plugin_tb *tb);
typedef void(*plugin_syscall_cb)
	PLUGIN_TAKES(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                     uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);
typedef void(*plugin_syscall_ret_cb) PLUGIN_TAKES(unsigned vcpu, int64_t num, int64_t ret);

#define PLUGIN_CALLBACK(name, function) \
	static void name PLUGIN_TAKES_NOTHING \
	{ \
		PLUGIN_IGNORED; \
		function(); \
	}
#define PLUGIN_VCPU_CALLBACK(name, function) \
	static void name PLUGIN_TAKES(unsigned vcpu) \
	{ \
		PLUGIN_IGNORED; \
		function(vcpu); \
	}
#define PLUGIN_TB_CALLBACK(name, function) \
	static void name PLUGIN_TAKES(struct qemu_plugin_tb *tb) \
	{ \
		PLUGIN_IGNORED; \
		function(tb); \
	}
/* @function(vcpu, number, its eight arguments) */
#define PLUGIN_SYSCALL_CALLBACK(name, function) \
	static void name PLUGIN_TAKES(unsigned vcpu, int64_t num, uint64_t a1, uint64_t a2, \
	                              uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, \
	                              uint64_t a7, uint64_t a8) \
	{ \
		const uint64_t arguments[8] = { a1, a2, a3, a4, a5, a6, a7, a8 }; \
\
		PLUGIN_IGNORED; \
		function(vcpu, num, arguments); \
	}
/* @function(vcpu, number, what it returns) */
#define PLUGIN_SYSCALL_RET_CALLBACK(name, function) \
	static void name PLUGIN_TAKES(unsigned vcpu, int64_t num, int64_t ret) \
	{ \
		PLUGIN_IGNORED; \
		function(vcpu, num, ret); \
	}

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           plugin_tb_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
                                          plugin_syscall_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
                                              plugin_syscall_ret_cb cb PLUGIN_DATA_PARAMETER);
/* A reset drops all translations and callbacks, then calls @cb.  Until then QEMU ignores another
 * reset, with its function. */
void qemu_plugin_reset(qemu_plugin_id_t id, plugin_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id,
                                       plugin_vcpu_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t id,
                                       plugin_vcpu_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_vcpu_idle_cb(qemu_plugin_id_t id,
                                       plugin_vcpu_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_vcpu_resume_cb(qemu_plugin_id_t id,
                                         plugin_vcpu_cb cb PLUGIN_DATA_PARAMETER);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_udata_cb_t cb, void *udata);

/* ---- 2: what translated code does by itself, for each vcpu -------------------------------- */

#if PLUGIN_API >= 2

/* A number that each vcpu has. */
typedef struct {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
} qemu_plugin_u64;

void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb,
                                                       enum qemu_plugin_op op,
                                                       qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                         enum qemu_plugin_op op,
                                                         qemu_plugin_u64 entry, uint64_t imm);
void qemu_plugin_register_vcpu_mem_inline_per_vcpu(struct qemu_plugin_insn *insn,
                                                   enum qemu_plugin_mem_rw rw,
                                                   enum qemu_plugin_op op, qemu_plugin_u64 entry,
                                                   uint64_t imm);
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_find(struct qemu_plugin_scoreboard *score, unsigned vcpu);
uint64_t qemu_plugin_u64_get(qemu_plugin_u64 entry, unsigned vcpu);

#else

void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, enum qemu_plugin_op op,
                                              void *ptr, uint64_t imm);

#endif

/* ---- 2: registers -------------------------------------------------------------------------- */

#if PLUGIN_API >= 2

/* GLib: bytes that grow, and an array of any type. */
typedef struct {
	uint8_t *data;
	unsigned len;
} qemu_bytes;

typedef struct {
	char *data;
	unsigned len;
} qemu_array;

qemu_bytes *g_byte_array_new(void);
qemu_bytes *g_byte_array_set_size(qemu_bytes *array, unsigned length);
unsigned g_array_get_element_size(qemu_array *array);

/* How an element of qemu_plugin_get_registers() begins; later versions have more in it. */
typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
} qemu_plugin_reg_descriptor;

qemu_array *qemu_plugin_get_registers(void);

/* Called from a vcpu's callback, with QEMU_PLUGIN_CB_R_REGS.  Bytes of the register are appended to
 * @to.  What it returns has another type from version 6 on: look at @to. */
void qemu_plugin_read_register(struct qemu_plugin_register *handle, qemu_bytes *to);

#endif

/* ---- 4: values of accesses ------------------------------------------------------------------- */

#if PLUGIN_API >= 4

enum qemu_plugin_mem_value_type {
	QEMU_PLUGIN_MEM_VALUE_U8,
	QEMU_PLUGIN_MEM_VALUE_U16,
	QEMU_PLUGIN_MEM_VALUE_U32,
	QEMU_PLUGIN_MEM_VALUE_U64,
	QEMU_PLUGIN_MEM_VALUE_U128
};

/* What was loaded or stored. */
typedef struct {
	enum qemu_plugin_mem_value_type type;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
		struct {
			uint64_t low, high;
		} u128;
	} data;
} qemu_plugin_mem_value;

qemu_plugin_mem_value qemu_plugin_mem_get_value(qemu_plugin_meminfo_t info);

#endif
#endif
