/* The C++ header: what it counts of a run, as lines of text, twice; the run against itself; and
 * what it throws.
 *
 *   cxx RUN ELF     ELF is only for a trace
 */
#include <hartscope/hartscope.hpp>
#include <hartscope/hartscope.hpp>

#include <cinttypes>
#include <cstdio>

static void count(hartscope::source &run)
{
	hartscope::counts each(run), all(run, HS_COUNTS_PROFILE | HS_COUNTS_TREE);
	std::size_t blocks = 0;

	for (const hartscope::items &some : run) {
		each.add(some);
		for (const hs_block &b : some)
			blocks += b.kind == HS_KIND_BLOCK;
	}
	run.count(all);
	const hs_profile_result r = all.profile();
	const hs_call_graph_result functions = all.graph();

	std::printf("%zu blocks, %" PRIu64 " instructions, %zu damaged\n", blocks, r.instructions,
	            run.damage().size());
	if (each.profile().instructions != r.instructions || blocks != r.blocks)
		std::printf("not ok - blocks one by one are others\n");
	for (std::size_t i = 0; i < functions.function_count; i++) {
		const auto &f = functions.functions[i];

		std::printf("%s %" PRIu64 " %" PRIu64 "\n",
		            f.name ? f.name : "(no symbol)", f.calls, f.self);
	}
}

static hartscope::source_options options_of(char **argv)
{
	hartscope::source_options o(argv[1]);

	o.names().threads(2);
	if (argv[2])
		o.elf(argv[2]);
	return o;
}

static void compare(hartscope::source &run, const hartscope::source_options &again)
{
	hartscope::source other(again);
	const hartscope::comparison c = hartscope::compare(run, other);

	std::printf("%s - equal to itself: %" PRIu64 " instructions\n",
	            c.result.equal && c.damage.size() == run.damage().size() ? "same" : "differs",
	            c.result.instructions);
}

/* Does it throw, with this status? */
template <typename F> static void throws(const char *what, hs_status status, F call)
{
	try {
		call();
		std::printf("not ok - %s\n", what);
	} catch (const hartscope::error &e) {
		std::printf("%sok - %s: %s\n", e.status() == status ? "" : "not ", what, e.what());
	}
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	hartscope::source first(options_of(argv));
	hartscope::source run(std::move(first));

	count(run);
	count(run);
	compare(run, options_of(argv));
	throws("no file", HS_E_SYSTEM,
	       [] { hartscope::source none(hartscope::source_options("/none.rec")); });
	throws("no parameter", HS_E_CONFIG,
	       [] { hartscope::trace_params("ntrace").set("trTeInstMood", "1"); });
	throws("no protocol", HS_E_CONFIG, [] { hartscope::trace_params("btrace"); });
	return first.get() != nullptr;
}
