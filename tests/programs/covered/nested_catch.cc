// Handlers in handlers; exceptions that are thrown again.
struct Error {
	int code;
};

__attribute__((noinline)) static void raise(int code)
{
	if (code)
		throw Error{ code };
}

__attribute__((noinline)) static int outer(int code)
{
	try {
		try {
			raise(code);
			return 0;
		} catch (Error &e) {
			if (e.code > 2)
				throw;
			return e.code;
		}
	} catch (const Error &e) {
		return -e.code;
	}
}

extern "C" int nested_catch(void)
{
	int s = 0;

	for (int i = 0; i < 5; i++)
		s += outer(i);
	return s;
}
