/* Is standard input JSON: one document, or one object a line? */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static int is_json(const char *text, size_t n)
{
	json_error_t why;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);

	if (!root)
		fprintf(stderr, "  line %d: %s\n", why.line, why.text);
	json_decref(root);
	return root != NULL;
}

int main(void)
{
	static char text[1 << 28];
	const size_t n = fread(text, 1, sizeof(text) - 1, stdin);
	const char *line = text, *end = strchr(text, '\n');

	if (n < 2 || !(text[0] == '{' && end > text && end[-1] == '}' && end + 1 < text + n))
		return !is_json(text, n);
	for (; end; line = end + 1, end = strchr(line, '\n'))
		if (*line != '{' || !is_json(line, (size_t)(end - line)))
			return 1;
	return *line != '\0';
}
