/* A line for each thing that holds or does not. */
#include <stdarg.h>
#include <stdio.h>

#include "guest.h"

void verdict(bool good, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	printf("%s - ", good ? "ok" : "not ok");
	vprintf(format, arguments);
	putchar('\n');
	fflush(stdout);
	va_end(arguments);
}

bool is_near(uint64_t value, uint64_t wanted, unsigned percent)
{
	const uint64_t difference = value > wanted ? value - wanted : wanted - value;

	return difference <= wanted / 100 * percent;
}

/* QEMU's instret has all harts' instructions: on several a count may be higher, never lower. */
bool is_count(uint64_t value, uint64_t wanted)
{
	return value >= wanted - wanted / 100 &&
	       value <= wanted + wanted / 100 * (harts_online() > 1 ? 25 : 1);
}
