#!/bin/bash
# docs/pmu.md says which files to copy for SBI PMU: they compile and link, and nothing else is
# needed.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n '1,/^```c/p' docs/pmu.md | tr '\n' ' ' | grep -oE 'or copy [^.].*status\.def`' >"$work/words"
inside=
for name in $(grep -oE '`[^`]+`' "$work/words" | tr -d '`'); do
	case $name in
	include/hartscope) inside=include/hartscope/ ;;
	*) ls -d $inside$name >>"$work/files" ;;
	esac
done
mkdir "$work/copy"
xargs -a "$work/files" cp -r --parents -t "$work/copy" || exit 1
cat >"$work/copy/main.c" <<'EOS'
#include <hartscope/pmu.h>

int main(void)
{
	static struct hs_pmu pmu;
	static struct hs_pmu_hart hart;
	const struct hs_pmu_config config = { .size = sizeof(config), .ops = hs_pmu_soft_ops() };
	const uint64_t args[HS_PMU_ARGS] = { 0 };

	if (hs_pmu_init(&pmu, &config) != HS_OK)
		return 1;
	hs_pmu_hart_init(&pmu, &hart, NULL);
	return hs_pmu_ecall(&pmu, &hart, HS_PMU_NUM_COUNTERS, args).value != 16;
}
EOS
cd "$work/copy" || exit 1
if "${CC:-cc}" -std=gnu17 -Wall -Wextra -Werror -Iinclude -Isrc main.c src/pmu/*.c -o main &&
	./main; then
	echo "ok - the $(wc -l <"$work/files") entries of docs/pmu.md are all that src/pmu needs"
else
	echo 'not ok - the files of docs/pmu.md do not suffice'
	exit 1
fi
