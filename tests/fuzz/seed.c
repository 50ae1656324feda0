/* Compiled for RISC-V with debug information: the valid input that fuzz_elf starts from. */
int twice(int x);
void _start(void);

int twice(int x)
{
	return x < 0 ? -x : 2 * x;
}

void _start(void)
{
	for (int i = 0; i < 3; i++)
		twice(i);
}
