/* A loop in a loop, with ways out of both. */
__attribute__((noinline)) static int find_pair(const int *v, int n, int wanted)
{
	for (int i = 0; i < n; i++) {
		if (v[i] < 0)
			continue;
		for (int j = i + 1; j < n; j++) {
			if (v[i] + v[j] == wanted)
				return i * n + j;
			if (v[j] > 90)
				break;
		}
	}
	return -1;
}

int nested(void)
{
	static const int v[] = { 5, -1, 8, 91, 12, 40, 3, -7, 22 };
	int s = 0;

	for (int i = 0; i < 70; i += 3)
		s += find_pair(v, 9, i);
	return s;
}
