/* Why an encoder sends a message, and what the values of its fields say: rows of nt_rules.def and
 * et_rules.def.  The texts are for people; hs_message_explain() (protocol.h) finds the rows of a
 * message.
 */
#ifndef HARTSCOPE_RULE_H
#define HARTSCOPE_RULE_H

#include <stdint.h>

/** A rule of a protocol's text. */
struct hs_rule {
	const char *of;      /**< how the clause of its messages begins, such as "PT 6"; "": any */
	const char *message; /**< name of the message; "": any */
	const char *field;   /**< name of the field; "": it is why the message is sent */
	uint64_t low, high;  /**< values of the field that the rule is about */
	const char *clause;
	const char *text; /**< one line without a full stop */
};

#endif
