/* Is standard input one JSON document? */
#include <jansson.h>
#include <stdio.h>

int main(void)
{
	json_error_t why;
	json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &why);

	if (!root) {
		fprintf(stderr, "  line %d: %s\n", why.line, why.text);
		return 1;
	}
	json_decref(root);
	return 0;
}
