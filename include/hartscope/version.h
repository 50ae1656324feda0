/* The version of the library: of the headers that a program was compiled with, and of the library
 * that it runs with.
 *
 * Until 1.0, a new minor version may change the interface; docs/library.md says what a version
 * promises.  meson.build takes the project's version from here.
 *
 * Threads: every call here may run on several threads at once.
 */
#ifndef HARTSCOPE_VERSION_H
#define HARTSCOPE_VERSION_H

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HS_VERSION_MAJOR 0
#define HS_VERSION_MINOR 2
#define HS_VERSION_PATCH 0

/** A version as one number that grows with each release: 1.2.3 is 1002003. */
#define HS_VERSION_NUMBER(major, minor, patch) ((major) * 1000000 + (minor) * 1000 + (patch))

/** The version of these headers; usable in #if. */
#define HS_VERSION HS_VERSION_NUMBER(HS_VERSION_MAJOR, HS_VERSION_MINOR, HS_VERSION_PATCH)

#define HS_VERSION_TEXT_(x) #x
#define HS_VERSION_TEXT(x) HS_VERSION_TEXT_(x)

/** The same as text, such as "1.2.3". */
#define HS_VERSION_STRING \
	HS_VERSION_TEXT(HS_VERSION_MAJOR) "." HS_VERSION_TEXT(HS_VERSION_MINOR) "." \
	HS_VERSION_TEXT(HS_VERSION_PATCH)

/** HS_VERSION of the library that runs. */
HS_API unsigned hs_version(void);

/** HS_VERSION_STRING of the library that runs. */
HS_API const char *hs_version_string(void);

#ifdef __cplusplus
}
#endif
#endif
