/* Code of another shape in the same place, again and again: loops, calls, compressed and not, as a
 * just-in-time compiler leaves it. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ROUNDS 200

static uint16_t *out;

static void put2(uint16_t insn)
{
	*out++ = insn;
}

static void put4(uint32_t insn)
{
	put2((uint16_t)insn);
	put2((uint16_t)(insn >> 16));
}

static void add(unsigned n) /* addi a0, a0, n */
{
	put4(0x00050513u | n << 20);
}

static void ret(void)
{
	put2(0x8082);
}

/* Add @n. */
static void straight(unsigned n)
{
	add(n);
	ret();
}

/* Add 1 @n times: li a5, n; L: addi a0, a0, 1; addi a5, a5, -1; bnez a5, L */
static void loop(unsigned n)
{
	put4(0x00000793u | n << 20);
	put2(0x0505);     /* c.addi a0, 1 */
	put2(0x17fd);     /* c.addi a5, -1 */
	put4(0xfe079ee3u); /* bne a5, zero, -4 */
	ret();
}

/* Jump over a wrong addition. */
static void jump(unsigned n)
{
	put2(0xa019); /* c.j +6 */
	add(1000);
	add(n);
	ret();
}

/* Two additions, the second in a function of its own, whose address is in a5. */
static void call(unsigned n)
{
	put4(0x00000797u); /* auipc a5, 0 */
	put2(0x07c9);      /* c.addi a5, 18 */
	put2(0x8286);      /* c.mv t0, ra */
	add(n - 1);
	put2(0x9782); /* c.jalr a5 */
	put2(0x8082 | 0); /* placeholder: c.jr t0 below */
	out[-1] = 0x8282; /* c.jr t0 */
	put2(0x0001); /* c.nop: 18 bytes after the auipc */
	add(1);
	ret();
}

static void (*const shapes[])(unsigned) = { straight, loop, jump, call };

int main(void)
{
	uint16_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*const function)(int) = (int (*)(int))(uintptr_t)page;
	int sum = 0, want = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		const unsigned n = 1 + i % 7;

		out = page;
		shapes[i * i % 11 % 4](n);
		__builtin___clear_cache((char *)page, (char *)out);
		for (unsigned j = 0; j <= i % 3; j++, want += (int)n)
			sum = function(sum);
	}
	printf("sum %d, wanted %d\n", sum, want);
	return sum != want;
}
