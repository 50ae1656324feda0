/* A switch of a few cases, and one of many. */
volatile int ways_sink;

__attribute__((noinline)) static void few(int k)
{
	switch (k) {
	case 1:
		ways_sink += 3;
		break;
	case 7:
		ways_sink -= 2;
		break;
	default:
		ways_sink ^= 1;
	}
}

__attribute__((noinline)) static int many(int k)
{
	switch (k) {
	case 0: return ways_sink + 1;
	case 1: return ways_sink * 3;
	case 2: return ways_sink - 9;
	case 3: return ways_sink ^ 5;
	case 4: return ways_sink / 3;
	case 5: return ways_sink | 8;
	case 6: return ways_sink & 77;
	}
	return -1;
}

int ways_out(void)
{
	int s = 0;

	for (int i = 0; i < 10; i++) {
		few(i);
		s += many(i);
	}
	return s;
}
