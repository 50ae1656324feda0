/* One function that is written so many times, and called once each time: what a program does that
 * makes a trampoline for each call.  Argument: how many times. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef uint32_t function(void);

/* lui a0; addi a0, a0; ret: returns @n of less than 31 bits, when its lower part is positive. */
static void write_version(uint32_t *code, uint32_t n)
{
	code[0] = (n >> 11) << 12 | 10 << 7 | 0x37;
	code[1] = (n & 2047) << 20 | 10 << 15 | 10 << 7 | 0x13;
	code[2] = 0x8067;
	__builtin___clear_cache((char *)code, (char *)(code + 3));
}

int main(int argc, char **argv)
{
	const uint32_t most = argc > 1 ? (uint32_t)atoi(argv[1]) : 1000;
	uint32_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t wrong = 0;

	if (code == MAP_FAILED)
		return 1;
	for (uint32_t n = 0; n < most; n++) {
		write_version(code, n);
		wrong += ((function *)(uintptr_t)code)() != ((n >> 11) << 12) + (n & 2047);
	}
	printf("%u versions, %u wrong\n", most, wrong);
	return wrong != 0;
}
