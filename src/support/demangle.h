/* Names as people wrote them. */
#ifndef HS_SUPPORT_DEMANGLE_H
#define HS_SUPPORT_DEMANGLE_H

/* The name that a C++ or Rust symbol stands for, from malloc(); what comes after an '@', such as
 * "@plt", is kept.  NULL: it is no such symbol, its name would be too long, or there is no
 * memory. */
char *support_demangle(const char *symbol);

#endif
