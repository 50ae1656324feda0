/* Returns from many places. */
__attribute__((noinline)) static int check(const char *s, int n)
{
	if (!s)
		return -1;
	if (n < 0)
		return -2;
	for (int i = 0; i < n; i++) {
		if (!s[i])
			return i;
		if (s[i] == '#')
			return -3;
	}
	return n;
}

int early(void)
{
	return check(0, 1) + check("abc", -1) + check("abc", 9) + check("a#b", 3) + check("abc", 2);
}
