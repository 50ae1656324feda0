/* Firmware events between two harts: one sends, and the hart that ran before it counts what it
 * receives.  Fences wait for their answer; an IPI is seen before the next one is sent. */
#include "payload.h"

#define EID_IPI 0x735049u
#define EID_RFENCE 0x52464e43u
#define SSIE ((reg)1 << 1)
#define SSIP ((reg)1 << 1)
#define KINDS 4u
#define PATIENCE 300000000u
#define COUNT (HS_PMU_CFG_CLEAR_VALUE | HS_PMU_CFG_AUTO_START)

/* The hart that waits, and what it is asked for. */
static struct {
	volatile reg hart;
	volatile unsigned seen;    /* IPIs */
	volatile bool report, reported;
	volatile reg received[KINDS];
} mail = { .hart = ONES };

static const reg sent[KINDS] = { 6, 8, 10, 12 }, received[KINDS] = { 7, 9, 11, 13 };
/* IPI, FENCE.I, SFENCE.VMA, SFENCE.VMA with ASID */
static const unsigned times[KINDS] = { 3, 2, 4, 5 };

static reg read_counter(const struct layout *l, unsigned i)
{
	return pmu(HS_PMU_COUNTER_FW_READ, (reg)l->fw + i, 0, 0, 0).value;
}

static void stop_all(const struct layout *l, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		stop((reg)l->fw + i, 1, HS_PMU_STOP_RESET);
}

/* Count what this hart receives from now on. */
void listen(unsigned hart)
{
	const struct layout l = find_layout(hart);

	for (unsigned i = 0; i < KINDS; i++)
		config((reg)l.fw + i, 1, COUNT, 0xf0000 + received[i], 0);
	mail.seen = 0;
	mail.report = mail.reported = false;
	mail.hart = hart;
}

/* Until the machine is switched off. */
void answer_mail(unsigned hart)
{
	const struct layout l = find_layout(hart);

	csr_set(sie, SSIE); /* wakes wfi; interrupts are disabled */
	for (;;) {
		__asm__ volatile("wfi");
		if (!(csr_read(sip) & SSIP) || mail.hart != hart)
			continue;
		csr_clear(sip, SSIP);
		if (mail.report && !mail.reported) {
			for (unsigned i = 0; i < KINDS; i++)
				mail.received[i] = read_counter(&l, i);
			stop_all(&l, KINDS);
			mail.reported = true;
		}
		mail.seen++;
	}
}

static bool send_ipi(void)
{
	const unsigned before = mail.seen;

	sbi(EID_IPI, 0, 1, mail.hart, 0, 0, 0, 0);
	for (unsigned n = 0; n < PATIENCE && mail.seen == before; n++)
		__asm__ volatile("");
	return mail.seen != before;
}

static void send_all(void)
{
	for (unsigned n = 0; n < times[0]; n++)
		send_ipi();
	for (unsigned kind = 1; kind < KINDS; kind++)
		for (unsigned n = 0; n < times[kind]; n++)
			sbi(EID_RFENCE, kind - 1, 1, mail.hart, 0, ONES, 0, 0);
}

void between_harts(unsigned hart)
{
	static const char *const names[KINDS] = { "IPI", "FENCE.I", "SFENCE.VMA",
		"SFENCE.VMA with ASID" };
	const struct layout l = find_layout(hart);

	for (unsigned i = 0; i < KINDS; i++) {
		config((reg)l.fw + 2 * i, 1, COUNT, 0xf0000 + sent[i], 0);
		config((reg)l.fw + 2 * i + 1, 1, COUNT, 0xf0000 + received[i], 0);
	}
	send_all();
	for (unsigned i = 0; i < KINDS; i++) {
		check(hart, names[i], read_counter(&l, 2 * i) == times[i]);
		check(hart, "... the sender receives none", read_counter(&l, 2 * i + 1) == 0);
	}
	stop_all(&l, 2 * KINDS);
	mail.report = true;
	check(hart, "the other hart answers", send_ipi() && mail.reported);
	/* it was asked with one more IPI */
	check(hart, "IPI: received by the other hart", mail.received[0] == times[0] + 1);
	check(hart, "FENCE.I: received by the other hart", mail.received[1] == times[1]);
	check(hart, "SFENCE.VMA: received by the other hart", mail.received[2] == times[2]);
	check(hart, "SFENCE.VMA with ASID: received by the other hart",
	      mail.received[3] == times[3]);
}
