/* The four mem functions. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* Volatile: otherwise the compiler replaces these loops by calls of themselves. */
void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	volatile uint8_t *t = to;
	const volatile uint8_t *f = from;

	for (size_t i = 0; i < n; i++)
		t[i] = f[i];
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	volatile uint8_t *t = to;
	const volatile uint8_t *f = from;

	if ((uintptr_t)to <= (uintptr_t)from)
		return memcpy(to, from, n);
	while (n-- > 0)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int value, size_t n)
{
	volatile uint8_t *t = to;

	for (size_t i = 0; i < n; i++)
		t[i] = (uint8_t)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;

	for (size_t i = 0; i < n; i++) {
		const int xi = x[i], yi = y[i];

		if (xi != yi)
			return xi - yi;
	}
	return 0;
}
