/* Parameters of a pin port, checked. */
#ifndef HS_TRANSPORT_PIN_CONFIG_H
#define HS_TRANSPORT_PIN_CONFIG_H

#include <hartscope/transport.h>

/**
 * Check a configuration, and write a number for each zero that stands for one.
 * @param[out] out  Written only with HS_OK.
 * @retval HS_OK
 * @retval HS_E_CONFIG  There is no such width or format; the size is wrong, or bytes past this
 *                      struct are not zero.
 */
enum hs_status hs_pin_config_resolve(const struct hs_pin_config *given, struct hs_pin_config *out);

#endif
