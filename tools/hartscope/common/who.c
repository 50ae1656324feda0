/* Who runs, in words and in reports. */
#include <stdio.h>

#include "common/tool.h"

void who_text(const struct who *w, char *text, size_t size)
{
	if (w->task && w->task->tid)
		snprintf(text, size, "%.200s (pid %u, tid %u)",
		         w->task->name ? w->task->name : "thread", w->task->pid, w->task->tid);
	else if (w->task && w->task->name && w->task->pid)
		snprintf(text, size, "%.200s (pid %u)", w->task->name, w->task->pid);
	else if (w->task && w->task->name)
		snprintf(text, size, "%.200s (context 0x%llx)", w->task->name,
		         (unsigned long long)w->context);
	else if (w->has_context)
		snprintf(text, size, "context 0x%llx", (unsigned long long)w->context);
	else
		snprintf(text, size, "no context");
}

void who_report(struct report *r, const struct who *w)
{
	char text[256];

	who_text(w, text, sizeof(text));
	report_text(r, "process", "",
	            r->json && w->task && w->task->name ? w->task->name : text);
	if (!r->json)
		return;
	if (w->has_context)
		report_hex(r, "context", "", w->context);
	if (!w->task)
		return;
	if (w->task->pid)
		report_u32(r, "pid", "", w->task->pid);
	if (w->task->tid)
		report_u32(r, "tid", "", w->task->tid);
	if (w->task->program)
		report_text(r, "program", "", w->task->program);
}

const char *mode_name(unsigned priv)
{
	static const char *const names[8] = { "U", "S", "D", "M", "VU", "VS" };

	return priv < 8 && names[priv] ? names[priv] : "unknown";
}
