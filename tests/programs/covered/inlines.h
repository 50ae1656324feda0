/* Functions of a header, which several files compile. */
#ifndef INLINES_H
#define INLINES_H

static inline int clamp(int x, int low, int high)
{
	if (x < low)
		return low;
	if (x > high)
		return high;
	return x;
}

static inline unsigned mix(unsigned a, unsigned b)
{
	a ^= b * 2654435761u;
	return a >> 7 | a << 25;
}

#endif
