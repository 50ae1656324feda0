/* The text of --help: 80 columns, the most used options or all of them, parameters as a topic. */
#include <string.h>

#include "common/tool.h"

#define WIDTH 80u
#define HELP_AT 28u /* the column of what an option does */
#define FEW 12u     /* so many options are shown without --all */

/* The length of the word at @text; what is in brackets is one. */
static unsigned word_length(const char *text)
{
	unsigned n = 0, open = 0;

	for (; text[n] && text[n] != '\n' && (open || text[n] != ' '); n++)
		open += (text[n] == '[') - (text[n] == ']' && open);
	return open ? (unsigned)strcspn(text, " \n") : n;
}

/* Print words of @text up to @end from column @at on, lines after the first from column @indent. */
static void print_words(FILE *to, const char *text, const char *end, unsigned at, unsigned indent)
{
	bool first = true;

	for (unsigned n; text < end; text += n) {
		text += strspn(text, " \n");
		n = word_length(text);
		if (text >= end || !n)
			break;
		if (!first && at + 1 + n > WIDTH) {
			fprintf(to, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', to);
			at++;
		}
		fwrite(text, 1, n, to);
		at += n;
		first = false;
	}
	fputc('\n', to);
}

void usage_wrap(FILE *to, const char *text, unsigned at, unsigned indent)
{
	print_words(to, text, text + strlen(text), at, indent);
}

/* Paragraphs are separated by an empty line. */
static void print_paragraphs(FILE *to, const char *text)
{
	for (const char *end; *text; text = end + strspn(end, "\n")) {
		end = strstr(text, "\n\n");
		if (!end)
			end = text + strlen(text);
		print_words(to, text, end, 0, 0);
		fputc('\n', to);
	}
}

static void print_forms(const struct usage *u, FILE *to)
{
	static const char start[] = "Usage: hartscope ";
	const char *end = strchr(u->form, '\n');

	fprintf(to, "%s%s ", start, u->name);
	print_words(to, u->form, end ? end : u->form + strlen(u->form),
	            (unsigned)(sizeof(start) + strlen(u->name)), 11);
	for (const char *line = end; line; line = end) {
		line += strspn(line, "\n ");
		end = strchr(line, '\n');
		fputs("       ", to);
		print_words(to, line, end ? end : line + strlen(line), 7, 11);
	}
	fputc('\n', to);
}

void usage_row(FILE *to, const char *left, unsigned help_at, const char *help)
{
	const unsigned n = (unsigned)strlen(left) + 2;

	fprintf(to, "  %s", left);
	if (n + 2 > help_at)
		fprintf(to, "\n%*s", (int)help_at, "");
	else
		fprintf(to, "%*s", (int)(help_at - n), "");
	print_words(to, help, help + strlen(help), help_at, help_at);
}

static void print_option(const struct option_row *r, FILE *to)
{
	char left[80];

	snprintf(left, sizeof(left), "%c%c%s%s%s%s", r->letter ? '-' : ' ',
	         r->letter ? r->letter : ' ', r->letter ? ", " : "  ", r->name,
	         r->value && *r->value != '[' ? " " : "", r->value ? r->value : "");
	usage_row(to, left, HELP_AT, r->help);
}

/* Is the option one of those that the command names as its most used? */
static bool is_often(const struct usage *u, const struct option_row *r)
{
	const size_t n = strlen(r->name);

	if (strcmp(r->name, "--help") == 0)
		return true;
	for (const char *at = u->often; at && (at = strstr(at, r->name)); at += n)
		if (at[n] == '\0' || at[n] == ' ')
			return true;
	return false;
}

static void print_options(const struct usage *u, bool all, FILE *to)
{
	unsigned count = 0;

	for (struct option_place at = { .row = NULL }; option_next(u, &at);)
		count++;
	all |= !u->often || count <= FEW;
	fputs(all ? "Options:\n" : "The most used options:\n", to);
	for (struct option_place at = { .row = NULL }; option_next(u, &at);)
		if (all || is_often(u, at.row))
			print_option(at.row, to);
	if (!all)
		fprintf(to, "\nAll %u options: hartscope %s --help --all\n", count, u->name);
}

static void print_params_of(const struct hs_protocol *p, FILE *to)
{
	fprintf(to, "Parameters of %s (--set NAME=VALUE):\n", p->name);
	for (unsigned i = 0; i < p->param_count; i++) {
		const struct hs_param *param = &p->params[i];
		char help[1024];

		snprintf(help, sizeof(help), "%s%s%s%s", param->help, param->words ? " (" : "",
		         param->words ? param->words : "", param->words ? ")" : "");
		usage_row(to, param->name, HELP_AT, help);
	}
}

bool usage_params(const char *protocol, FILE *to)
{
	bool any = false;

	for (unsigned i = 0; hs_protocol_at(i); i++) {
		if (protocol && strcmp(protocol, hs_protocol_at(i)->name) != 0)
			continue;
		if (any)
			fputc('\n', to);
		print_params_of(hs_protocol_at(i), to);
		any = true;
	}
	return any;
}

void usage_print(const struct usage *u, bool all, FILE *to)
{
	print_forms(u, to);
	print_paragraphs(to, u->text);
	print_options(u, all, to);
	if (u->list)
		u->list(to);
	if (option_has(u, "--dialect"))
		fputs("\nParameters of --set: hartscope help parameters ntrace (etrace, tacit)\n",
		      to);
	fprintf(to, "\nExample:\n%s\n", u->example);
}
