/* Serves the memory of the board in model.h over a Unix socket:
 *
 *   board-serve SOCKET RECORDING ntrace|etrace [BLOCKS [SINK]]
 *
 * A line in, a line out:
 *   r ADDRESS         the word, or "error"
 *   w ADDRESS VALUE   "ok" or "error"
 *   go                the harts execute BLOCKS blocks before each access from now on
 *   run               they execute all that is left: their number
 *   halt              they stop
 * It ends with the connection. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/model.h"
#include "board/socket.h"

static size_t blocks_each = 8, running;

static void answer_access(char *line, FILE *out)
{
	char *end;
	const uint64_t address = strtoull(line + 1, &end, 0);
	uint32_t value = 0;
	bool good;

	board_run(running);
	if (*line == 'r') {
		good = board_read(address, &value);
	} else {
		good = board_write(address, (uint32_t)strtoull(end, NULL, 0));
	}
	if (good && *line == 'r')
		fprintf(out, "0x%08x\n", value);
	else
		fputs(good ? "ok\n" : "error\n", out);
}

static void answer(char *line, FILE *out)
{
	line[strcspn(line, "\r\n")] = '\0';
	if (line[0] && line[1] == ' ') {
		answer_access(line, out);
	} else if (strcmp(line, "run") == 0) {
		fprintf(out, "%zu\n", board_run(SIZE_MAX));
	} else {
		running = strcmp(line, "go") == 0 ? blocks_each : 0;
		fputs("ok\n", out);
	}
	fflush(out);
}

int main(int argc, char **argv)
{
	char line[200];
	FILE *in, *out;

	if (argc < 4)
		return 2;
	const struct board_options o = { .recording = argv[2],
		                         .etrace = strcmp(argv[3], "etrace") == 0,
		                         .sink = argc > 5 ? argv[5] : NULL };

	blocks_each = argc > 4 ? strtoull(argv[4], NULL, 0) : blocks_each;
	if (!board_open(&o) || !socket_wait(argv[1], &in, &out))
		return 1;
	while (fgets(line, sizeof(line), in))
		answer(line, out);
	fclose(in);
	fclose(out);
	board_close();
	return 0;
}
