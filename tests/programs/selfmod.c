/* Code that is written, run, written again and run again, in one place. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* addi a0, a0, imm; ret */
static void write_code(void *at, unsigned immediate)
{
	const uint32_t code[] = { 0x00050513u | immediate << 20, 0x00008067u };

	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, (char *)at + sizeof(code));
}

int main(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*const function)(int) = (int (*)(int))page;
	int sum = 0;

	for (unsigned i = 1; i <= 3; i++) {
		write_code(page, i);
		for (int j = 0; j < 5; j++)
			sum = function(sum);
	}
	printf("sum %d\n", sum);
	return sum != 30;
}
