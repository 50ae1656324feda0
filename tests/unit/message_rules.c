/* Why messages are sent: each message and each value of its short fields has a rule. */
#include "cases.h"

#include <hartscope/etrace.h>
#include <hartscope/ntrace.h>
#include <hartscope/protocol.h>

#include "etrace/et_packet.h"
#include "ntrace/nt_message.h"
#include "trace/protocol.h"

/* How many rules a message has with one field of this value. */
static unsigned rules_of(const struct hs_protocol *p, const char *name, const char *clause,
                         const char *field, uint64_t value)
{
	struct hs_message m = { .name = name, .clause = clause, .count = field ? 1 : 0 };
	struct hs_explanation why[HS_EXPLANATIONS];

	m.field[0] = (struct hs_message_field){ .name = field, .value = value };
	const unsigned n = hs_message_explain(p, &m, why);

	for (unsigned i = 0; i < n; i++) {
		assert_true(why[i].rule->low <= value || !why[i].field);
		assert_ptr_equal(why[i].field, i ? &m.field[0] : NULL);
	}
	return n;
}

TEST(rows_are_whole)
{
	static const unsigned least[] = { 40, 40, 15 }; /* of each protocol */

	for (unsigned k = 0; hs_protocol_at(k); k++) {
		const struct hs_rule *r = hs_protocol_at(k)->codec->rules;
		unsigned n = 0;

		for (; r->text; r++, n++) {
			assert_true(r->low <= r->high);
			assert_true(*r->clause && *r->text);
			assert_int_not_equal(r->text[strlen(r->text) - 1], '.');
			assert_true(*r->message || *r->field);
		}
		assert_true(n > least[k]);
	}
}

TEST(each_ntrace_value)
{
	const struct hs_protocol *p = hs_protocol_find("ntrace");
	static const unsigned tcodes[] = { 2, 3, 4, 8, 9, 11, 12, 27, 28, 29, 30, 33 };

	for (unsigned i = 0; i < sizeof(tcodes) / sizeof(*tcodes); i++) {
		const char *name = hs_nt_msg_name(tcodes[i]), *clause = hs_nt_msg_clause(tcodes[i]);
		enum hs_nt_field fields[HS_NTF_COUNT];
		const unsigned n = hs_nt_msg_fields(tcodes[i], fields);

		assert_int_equal(rules_of(p, name, clause, NULL, 0), 1);
		for (unsigned f = 0; f < n; f++) {
			const char *field = hs_nt_field_name(fields[f]);
			const bool two_bits = strcmp(field, "B-TYPE") == 0 ||
			                      strcmp(field, "CDF") == 0;
			const unsigned most = two_bits ? 3 : 15;

			for (uint64_t v = strcmp(field, "HIST") == 0; v <= most; v++)
				if (rules_of(p, name, clause, field, v) != 2)
					fail_msg("%s of %s: no rule for %u", field, name,
					         (unsigned)v);
		}
	}
	assert_int_equal(rules_of(p, "Other", "NT 6.1", NULL, 0), 0);
}

/* Fields that say nothing of why: the message's name has said it. */
static bool says_nothing(const char *field)
{
	static const char *const names[] = { "format", "subformat", "msg_type", "control_code",
		                             "support_type", "source_size", "source",
		                             "cycle_size", "denable", "doptions", "discovery",
		                             "irets", "irdepth", "dloss", "notify", "updiscon",
		                             "irreport", "ioptions", "branch" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(names[i], field) == 0)
			return true;
	return false;
}

TEST(each_etrace_packet)
{
	const struct hs_protocol *p = hs_protocol_find("etrace");
	unsigned packets = 0;

	for (unsigned v = 0; v < HS_ET_VERSIONS; v++)
		for (unsigned form = 0; form < HS_ET_FORMS; form++) {
			uint8_t fields[HS_ETF_COUNT];
			const unsigned n = hs_et_form_fields(v, form, fields);
			const char *name = hs_et_form_name(v, form);
			const char *clause = hs_et_form_clause(v, form);

			if (!n)
				continue;
			packets++;
			if (rules_of(p, name, clause, NULL, 0) != 1)
				fail_msg("%s (%s) has no rule", name, clause);
			for (unsigned f = 0; f < n; f++)
				if (!says_nothing(hs_et_field_name(fields[f])) &&
				    rules_of(p, name, clause, hs_et_field_name(fields[f]), 0) != 2)
					fail_msg("%s of %s (%s) has no rule",
					         hs_et_field_name(fields[f]), name, clause);
		}
	assert_true(packets > 20);
}
