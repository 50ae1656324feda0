/* As many children at once as the argument says: each exits with its number. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const int n = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < n; i++)
		if (fork() == 0)
			_exit(i);
	while (wait(NULL) > 0)
		;
	return 0;
}
