/* Texts that are kept. */
#ifndef HS_PROGRAM_KEEP_H
#define HS_PROGRAM_KEEP_H

/* A name that is not in the file. */
struct program_text {
	struct program_text *next;
	char text[];
};

/* Keep a text as long as the list; NULL without memory. */
const char *program_keep(struct program_text **texts, const char *text);
void program_free_texts(struct program_text *texts);
/* Without the folder. */
const char *program_base_of(const char *path);

#endif
