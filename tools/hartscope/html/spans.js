/* What the page has of a hart over time: times, calls in levels by their length, the function that has
 * most of each depth and span, and sums of spans. */
"use strict";
(function () {
	const app = hartscope, harts = app.data.timeline.harts;

	/* The times of harts. */
	for (const hart of harts) {
		const v = app.unpack(hart.times), scale = { at: [0], time: [0] };

		for (let i = 0; i < v.length; i += 2) {
			scale.at.push(scale.at[i / 2] + v[i]);
			scale.time.push(scale.time[i / 2] + v[i + 1]);
		}
		scale.at.shift();
		scale.time.shift();
		hart.scale = scale;
		if (hart.inlined) /* it is read like the calls of a hart */
			Object.assign(hart.inlined, { hart: hart.hart, end: hart.end, scale });
	}

	/* The first number that is more than @x, or with @equal not less. */
	function after(numbers, x, equal) {
		let low = 0, high = numbers.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (equal ? numbers[middle] < x : numbers[middle] <= x)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* A number of one list by a number of the other, evenly between two that are known. */
	function between(x, xs, ys, later) {
		const i = after(xs, x, !later);

		if (i === 0)
			return ys[0];
		if (i === xs.length)
			return ys[i - 1];
		return ys[i - 1] + (ys[i] - ys[i - 1]) * (x - xs[i - 1]) / (xs[i] - xs[i - 1]);
	}

	/* The calls of a level: start, length, depth, function and mode (what). */
	function calls(level) {
		if (level.start)
			return level;
		const v = app.unpack(level.calls), n = level.count;
		let at = 0;

		level.start = new Float64Array(n);
		level.length = new Float64Array(n);
		level.depth = new Uint32Array(n);
		level.what = new Uint32Array(n);
		for (let i = 0; i < n; i++) {
			at += v[4 * i];
			level.start[i] = at;
			level.length[i] = v[4 * i + 1];
			level.depth[i] = v[4 * i + 2];
			level.what[i] = v[4 * i + 3];
		}
		level.calls = "";
		return level;
	}

	/* Of each depth where a function begins and ends to have most. */
	function depths(level) {
		if (level.depths)
			return level.depths;
		const v = app.unpack(level.runs), span = Math.pow(2, level.shift);
		let depth = 0, at = 0;

		level.depths = [];
		for (let i = 0; i < v.length; i += 4) {
			at = v[i] ? 0 : at;
			depth += v[i];
			const d = level.depths[depth] || (level.depths[depth] = { start: [], end: [], what: [] });

			at += v[i + 1];
			d.start.push(at * span);
			at += v[i + 2];
			d.end.push(at * span);
			d.what.push(v[i + 3]);
		}
		level.runs = "";
		return level.depths;
	}

	/* The level with the shortest spans of at least so many instructions. */
	function levelFor(hart, least) {
		const wide = hart.spans.find((l) => Math.pow(2, l.shift) >= least);

		return wide || hart.spans[hart.spans.length - 1];
	}

	/* The sums of spans. */
	function table(hart) {
		const t = hart.table;

		if (t.length)
			return t;
		const v = app.unpack(t.spans);

		t.length = Math.pow(2, t.shift);
		t.traps = [];
		t.gaps = [];
		t.first = [0];
		t.what = [];
		t.self = [];
		t.total = [];
		t.calls = [];
		for (let i = 0; i < v.length;) {
			t.traps.push(v[i]);
			t.gaps.push(v[i + 1]);
			let n = v[i + 2], what = 0;

			for (i += 3; n; n--, i += 4) {
				what += v[i];
				t.what.push(what);
				t.self.push(v[i + 1]);
				t.total.push(v[i + 2]);
				t.calls.push(v[i + 3]);
			}
			t.first.push(t.what.length);
		}
		t.spans = "";
		return t;
	}

	/* Has the page every call between two instructions of a hart? */
	const isKnown = (hart, from, to) => !hart.hidden || to <= hart.hidden[0] || from >= hart.hidden[1];

	/* Are some of its traps and gaps left out? */
	const isThinned = (hart) => app.data.thinned.some((t) => t[0] === hart.hart && (t[1] > 1 || t[2] > 1));

	/* ---- sums of a range ------------------------------------------------------------- */

	function add(sums, what, self, total, calls) {
		const f = sums.functions.get(what) || { what, self: 0, total: 0, calls: 0 };

		f.self += self;
		f.total += total;
		f.calls += calls;
		sums.functions.set(what, f);
	}

	/* By the calls themselves. */
	function sumCalls(hart, sums) {
		const found = [], open = [];

		for (const packed of hart.levels) {
			const l = calls(packed);

			for (let i = after(l.start, sums.from - l.longest, true); i < l.count && l.start[i] < sums.to; i++)
				if (l.start[i] + l.length[i] > sums.from || l.start[i] >= sums.from)
					found.push([l.start[i], l.depth[i], l.length[i], l.what[i]]);
		}
		found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
		for (const [start, depth, length, what] of found) {
			const inside = Math.min(start + length, sums.to) - Math.max(start, sums.from);
			const f = what >> 4, within = open.slice(0, depth);

			add(sums, f, inside, within.includes(f) ? 0 : inside, start >= sums.from && !(what & 8) ? 1 : 0);
			if (depth)
				add(sums, open[depth - 1], -inside, 0, 0);
			open[depth] = f;
		}
	}

	function sumSpans(t, sums) {
		const first = sums.from / t.length, last = Math.ceil(sums.to / t.length);

		for (let i = t.first[first]; i < t.first[Math.min(last, t.traps.length)]; i++)
			add(sums, t.what[i], t.self[i], t.total[i], t.calls[i]);
		for (let i = first; i < last && i < t.traps.length; i++) {
			sums.traps += t.traps[i];
			sums.gaps += t.gaps[i];
		}
	}

	/* Of a list those of a hart in the range; a trap is of the instruction before it. */
	const among = (list, at, number, hart, sums, before) => list.filter((r) => r[number] === hart.hart &&
		Math.max(r[at] - before, 0) >= sums.from && Math.max(r[at] - before, 0) < sums.to).length;

	/* What a hart ran between two instructions.  Where the page has not every call, the range becomes
	 * one of whole spans. */
	function sum(hart, from, to) {
		const sums = { from: Math.max(Math.round(from), 0), to: Math.min(Math.round(to), hart.end),
			functions: new Map(), traps: 0, gaps: 0, span: 1 };

		if (sums.from >= sums.to)
			return sums;
		if (isKnown(hart, sums.from, sums.to) && !isThinned(hart)) {
			sumCalls(hart, sums);
			sums.traps = among(app.data.traps, 0, 1, hart, sums, 1);
			sums.gaps = among(app.data.gaps, 3, 2, hart, sums, 0);
			return sums;
		}
		const t = table(hart);

		sums.span = t.length;
		sums.from = Math.floor(sums.from / t.length) * t.length;
		sums.to = Math.min(Math.ceil(sums.to / t.length) * t.length, hart.end);
		sumSpans(t, sums);
		return sums;
	}

	const starters = new RegExp("^(_start|_dl_start(_user)?|__libc_start_(main|call_main).*|generic_start_main|" +
		"(__)?thread_start|start_thread|(__)?clone3?|execute_native_thread_routine|.*_M_run.*|.*std::__?invoke.*|" +
		"\\(no symbol\\)|.*:0x[0-9a-f]+)$");

	/* The function that a hart is in for most of the time, after those which only start threads and programs, or
	 * have no name; "": there is none. */
	function nameOf(hart) {
		for (const d of depths(hart.spans[hart.spans.length - 1])) {
			const sums = new Map();

			for (let i = 0; d && i < d.start.length; i++)
				sums.set(d.what[i] >> 4, (sums.get(d.what[i] >> 4) || 0) + Math.min(d.end[i], hart.end) - d.start[i]);
			const most = Array.from(sums).reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0]);

			if (most[1] * 2 < hart.end)
				return "";
			if (!starters.test(app.functionOf(most[0])[0]))
				return app.label(most[0]);
		}
		return "";
	}

	/* "hart 1: worker" */
	const titleOf = (hart) => "hart " + hart.hart + (nameOf(hart) ? ": " + nameOf(hart) : "");

	app.time = { titleOf, harts, between, after, calls, depths, levelFor, table, isKnown, sum };
})();
