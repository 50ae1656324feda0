# For tests to source.
# shellcheck shell=sh

# need TOOL...: skip the whole test where one of them is not there
need()
{
	for tool; do
		command -v "$tool" >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
	done
}

# system_plugin FOLDER QEMU: the plugin for whole machines in FOLDER that QEMU loads
system_plugin()
{
	for object in "$1"/hartscope-qemu-system-*.so; do
		! "$2" -M none -display none -nodefaults -plugin "$object,probe=on" \
			>/dev/null 2>&1 </dev/null || { echo "$object"; return; }
	done
	return 1
}
