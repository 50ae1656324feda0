/* Disassembly through LLVM's C API, which is loaded when it is first needed.  The interface is
 * declared here from LLVM's public documentation, so that no LLVM header is needed. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/program.h>

typedef void *(*create_fn)(const char *triple, const char *cpu, const char *features, void *info,
                           int tag, void *op_info, void *lookup);
typedef size_t (*insn_fn)(void *context, uint8_t *bytes, uint64_t n, uint64_t pc, char *text,
                          size_t size);
typedef int (*options_fn)(void *context, uint64_t options);
typedef void (*dispose_fn)(void *context);

#define PRINT_IMM_HEX 2 /* LLVMDisassembler_Option_PrintImmHex */

struct hs_disasm {
	void *library;
	void *context;
	insn_fn insn;
	dispose_fn dispose;
};

#define BASE "+m,+a,+f,+v,+zba,+zbb,+zbc,+zbs,+c"
#define NEWER BASE ",+zbkb,+zbkc,+zbkx,+zknd,+zkne,+zknh,+zksed,+zksh,+zicbom,+zicbop,+zicboz" \
	",+svinval,+zfh,+zihintntl,+zawrs,+zfa,+zvfh"
#define NEWEST NEWER ",+zicond,+zcb,+zvbb,+zvbc,+zvkned,+zvknhb,+zvksed,+zvksh,+zimop,+zcmop"

/* A library prints each feature that it does not know on stderr: ask only for its own. */
static const struct library {
	const char *name, *features, *zc;
} libraries[] = {
	{ "libLLVM.so.19.1", NEWEST, ",+zcmp,+zcmt" },
	{ "libLLVM-19.so.1", NEWEST, ",+zcmp,+zcmt" },
	{ "libLLVM-19.so", NEWEST, ",+zcmp,+zcmt" },
	{ "libLLVM-18.so.1", NEWER ",+zcb", ",+zcmp,+zcmt" },
	{ "libLLVM-17.so.1", NEWER, "" },
	{ "libLLVM-16.so.1", BASE, "" },
	{ "libLLVM-15.so.1", BASE, "" },
	{ "libLLVM-14.so.1", BASE, "" },
};

/* ISO C has no conversion from an object pointer to a function pointer; POSIX does. */
static bool find_symbol(void *library, const char *name, void *function)
{
	void *p = dlsym(library, name);

	memcpy(function, &p, sizeof(p));
	return p != NULL;
}

static bool initialise_target(void *library)
{
	static const char *const names[] = { "LLVMInitializeRISCVTargetInfo",
		                             "LLVMInitializeRISCVTargetMC",
		                             "LLVMInitializeRISCVDisassembler" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		void (*init)(void);

		if (!find_symbol(library, names[i], &init))
			return false;
		init();
	}
	return true;
}

/* Why a library that is there could not be loaded; one that is not there is no reason. */
static void note_failure(const char *name, char *why, size_t size)
{
	const char *text = dlerror();
	const size_t n = strlen(name);

	if (text && !*why &&
	    !(strncmp(text, name, n) == 0 && strstr(text, "cannot open shared object file")))
		snprintf(why, size, "%s", text);
}

static bool open_library(struct hs_disasm *d, const struct library *l, const struct hs_isa *isa,
                         char *why, size_t size)
{
	char features[512];
	create_fn create;
	options_fn options;

	d->library = dlopen(l->name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!d->library) {
		note_failure(l->name, why, size);
		return false;
	}
	snprintf(features, sizeof(features), "%s%s", l->features, isa->zcmp_zcmt ? l->zc : ",+d");
	if (initialise_target(d->library) &&
	    find_symbol(d->library, "LLVMCreateDisasmCPUFeatures", &create) &&
	    find_symbol(d->library, "LLVMDisasmInstruction", &d->insn) &&
	    find_symbol(d->library, "LLVMDisasmDispose", &d->dispose))
		d->context = create(isa->xlen == 32 ? "riscv32" : "riscv64", "", features, NULL, 0,
		                    NULL, NULL);
	if (!d->context) {
		dlclose(d->library);
		return false;
	}
	if (find_symbol(d->library, "LLVMSetDisasmOptions", &options))
		options(d->context, PRINT_IMM_HEX);
	return true;
}

static bool open_any_library(struct hs_disasm *d, const struct hs_isa *isa, char *why, size_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* LLVM keeps a list of targets */
	bool opened = false;

	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < sizeof(libraries) / sizeof(*libraries) && !opened; i++)
		opened = open_library(d, &libraries[i], isa, why, size);
	pthread_mutex_unlock(&lock);
	return opened;
}

enum hs_status hs_disasm_new(const struct hs_isa *isa, struct hs_disasm **out,
                             struct hs_error *error)
{
	struct hs_disasm *d = calloc(1, sizeof(*d));
	char why[256] = "";

	if (!d)
		return hs_error_set(error, HS_E_MEMORY, "disassembler: out of memory");
	if (open_any_library(d, isa, why, sizeof(why))) {
		*out = d;
		return HS_OK;
	}
	free(d);
	if (*why)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "no disassembler: LLVM's library cannot be loaded: %s", why);
	return hs_error_set(error, HS_E_UNSUPPORTED,
	                    "no disassembler: LLVM's library is not installed "
	                    "(apt install libllvm19)");
}

void hs_disasm_free(struct hs_disasm *d)
{
	if (!d)
		return;
	d->dispose(d->context);
	dlclose(d->library);
	free(d);
}

/* "\tmnemonic\toperands" becomes "mnemonic operands". */
static void replace_tabs(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (to != text || (*from != '\t' && *from != ' '))
			*to++ = *from == '\t' ? ' ' : *from;
	*to = '\0';
}

static void print_bytes(const uint8_t *bytes, size_t n, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, ".insn 0x");

	for (size_t i = n; i-- > 0 && at < size;)
		at += (size_t)snprintf(text + at, size - at, "%02x", bytes[i]);
}

/* Instructions that LLVM's library does not know. */
static const struct {
	uint32_t bits;
	const char *text;
} later[] = {
	{ 0x10400073, "sctrclr" }, /* 1.0 "Supervisor CTR Clear Instruction" */
};

static const char *later_text(const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
		const uint32_t b = later[i].bits;
		const uint8_t want[] = { (uint8_t)b, (uint8_t)(b >> 8), (uint8_t)(b >> 16),
			                 (uint8_t)(b >> 24) };

		if (n == sizeof(want) && memcmp(bytes, want, sizeof(want)) == 0)
			return later[i].text;
	}
	return NULL;
}

size_t hs_disasm_text(struct hs_disasm *d, uint64_t pc, const uint8_t *bytes, size_t n, char *text,
                      size_t size)
{
	uint8_t copy[HS_INSN_MAX];
	const size_t length = n >= 2 ? 2u * hs_isa_hwords((uint16_t)(bytes[0] | bytes[1] << 8)) : 0;

	if (!length || length > n)
		return 0;
	const char *named = later_text(bytes, length);

	memcpy(copy, bytes, length);
	if (named)
		snprintf(text, size, "%s", named);
	else if (d && d->insn(d->context, copy, length, pc, text, size) == length)
		replace_tabs(text);
	else
		print_bytes(bytes, length, text, size);
	return length;
}
