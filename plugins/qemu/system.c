/* The plugin for whole systems: qemu-system-riscv64 and qemu-system-riscv32 from QEMU 9.2 on.
 *
 * With socket=NAME it records (system_record.c), with wait=on not before the recorder says so, and
 * with data=addresses or data=values the accesses (system_access.c); otherwise it compares QEMU's
 * CTR with the model, in lock-step (lockstep.c).
 */
#include <string.h>

#include "marks.h"
#include "system.h"
#include "version.h"

/* What the plugin does.  A recording needs no function for the end: where a hart stands is in
 * memory that it shares with hs_recorder_run(). */
static const struct purpose {
	void (*vcpu)(unsigned vcpu);
	void (*translate)(struct qemu_plugin_tb *tb);
	void (*end)(void);
	void (*idle)(unsigned vcpu);
	void (*resume)(unsigned vcpu);
} lockstep = { lockstep_vcpu, lockstep_translate, lockstep_end, NULL, NULL },
  recording = { system_record_vcpu, system_record_translate, NULL, system_stand_begin,
	        system_stand_end };

static const struct purpose *purpose;

static void start_vcpu(unsigned vcpu)
{
	purpose->vcpu(vcpu);
}

static void translate(struct qemu_plugin_tb *tb)
{
	purpose->translate(tb);
}

static void begin_idle(unsigned vcpu)
{
	purpose->idle(vcpu);
}

static void end_idle(unsigned vcpu)
{
	purpose->resume(vcpu);
}

PLUGIN_VCPU_CALLBACK(on_vcpu_start, start_vcpu)
PLUGIN_TB_CALLBACK(on_translate, translate)
PLUGIN_VCPU_CALLBACK(on_idle, begin_idle)
PLUGIN_VCPU_CALLBACK(on_resume, end_idle)

static void end(void)
{
	purpose->end();
}

PLUGIN_END_CALLBACK(on_exit, end)

static qemu_plugin_id_t plugin;

static void register_all(void)
{
	qemu_plugin_register_vcpu_init_cb(plugin, on_vcpu_start PLUGIN_NO_DATA);
	qemu_plugin_register_vcpu_tb_trans_cb(plugin, on_translate PLUGIN_NO_DATA);
	if (purpose->idle != NULL) {
		qemu_plugin_register_vcpu_idle_cb(plugin, on_idle PLUGIN_NO_DATA);
		qemu_plugin_register_vcpu_resume_cb(plugin, on_resume PLUGIN_NO_DATA);
	}
	if (purpose->end != NULL)
		qemu_plugin_register_atexit_cb(plugin, on_exit, NULL);
}

PLUGIN_CALLBACK(on_reset, register_all)

void system_marks_reset(void)
{
	qemu_plugin_reset(plugin, on_reset PLUGIN_NO_DATA);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *socket_name = NULL, *data = NULL;
	bool wait = false;

	plugin_probe(info, argc, argv);
	if (!info->system_emulation)
		return -1;
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "socket=", 7) == 0)
			socket_name = argv[i] + 7;
		else if (strncmp(argv[i], "data=", 5) == 0)
			data = argv[i] + 5;
		else if (strcmp(argv[i], "wait=on") == 0)
			wait = true;
		else if (strncmp(argv[i], "context=", 8) == 0 &&
		         system_context_argument(argv[i] + 8))
			continue;
		else if (plugin_marks_argument(argv[i]))
			continue;
		else if (!lockstep_argument(argv[i]))
			return -1;
	sys_xlen = strcmp(info->target_name, "riscv32") == 0 ? 32 : 64;
	purpose = socket_name != NULL ? &recording : &lockstep;
	if (socket_name != NULL ? !system_record_start(socket_name, data, wait) : !lockstep_start())
		return -1;
	plugin = id;
	register_all();
	return 0;
}
