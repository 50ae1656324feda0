/* Three loops in each other, and a table. */
static int a[6][6], b[6][6], c[6][6];

__attribute__((noinline)) static void multiply(int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			c[i][j] = 0;
			for (int k = 0; k < n; k++)
				c[i][j] += a[i][k] * b[k][j];
		}
}

int matrix(void)
{
	for (int i = 0; i < 6; i++)
		for (int j = 0; j < 6; j++) {
			a[i][j] = i + j;
			b[i][j] = i ^ j;
		}
	multiply(4);
	multiply(6);
	return c[3][2];
}
