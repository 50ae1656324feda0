/* The plugin for whole systems: qemu-system-riscv64 and qemu-system-riscv32 of QEMU 10. */
#include <string.h>

#include "system.h"

int qemu_plugin_version = 4;

static void on_vcpu_start(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	lockstep_vcpu(vcpu);
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	lockstep_translate(tb);
}

static void on_exit(qemu_plugin_id_t id, void *udata)
{
	(void)id;
	(void)udata;
	lockstep_end();
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	if (!info->system_emulation || info->version.cur < 4 || info->version.min > 4)
		return -1;
	for (int i = 0; i < argc; i++)
		if (!lockstep_argument(argv[i]))
			return -1;
	sys_xlen = strcmp(info->target_name, "riscv32") == 0 ? 32 : 64;
	if (!lockstep_start())
		return -1;
	qemu_plugin_register_vcpu_init_cb(id, on_vcpu_start);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, on_exit, NULL);
	return 0;
}
