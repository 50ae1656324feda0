/* Small loops on bits. */
__attribute__((noinline)) static int ones(unsigned long v)
{
	int n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

__attribute__((noinline)) static unsigned crc(const unsigned char *p, int n)
{
	unsigned r = ~0u;

	while (n--) {
		r ^= *p++;
		for (int k = 0; k < 8; k++) {
			if (r & 1)
				r = r >> 1 ^ 0xedb88320u;
			else
				r >>= 1;
		}
	}
	return ~r;
}

int bits(void)
{
	return ones(0x123456789abul) + (int)(crc((const unsigned char *)"123456789", 9) & 0xff);
}
