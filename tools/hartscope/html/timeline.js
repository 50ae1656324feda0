/* The timeline: calls of each hart by depth, from all of the run to single calls.
 *
 * Where calls are too short to be seen, or are not on the page, a cell is the function that has most of
 * the instructions of its depth and span. */
"use strict";
(function () {
	const app = hartscope, time = app.time, harts = time.harts;
	const ROW = 16, HEAD = 22, STRIP = 9, DEPTH_MAX = 200, WIDE = 2;
	const modes = ["U", "S", "D", "M", "VU", "VS", "", "unknown"];
	const canvas = document.getElementById("time-canvas");
	const info = document.getElementById("time-info");
	const colour = document.getElementById("time-colour");
	const axis = document.getElementById("time-axis");
	/* What the axis can have across: from where to where, and of a hart both ways between its
	 * instructions and the axis.  Where time passed while nothing retired, @after chooses its end. */
	const axes = {
		instructions: { begin: 0, end: harts.reduce((n, h) => Math.max(n, h.end), 1),
			place: (hart, at) => at, at: (hart, x) => x, has: () => true },
		time: { begin: 0, end: 0,
			place: (hart, at, after) => time.between(at, hart.scale.at, hart.scale.time, after),
			at: (hart, x, after) => time.between(x, hart.scale.time, hart.scale.at, after),
			has: (hart) => hart.scale.at.length > 1 },
	};
	const timed = harts.filter(axes.time.has);

	axes.time.begin = timed.reduce((n, h) => Math.min(n, h.scale.time[0]), Infinity);
	axes.time.end = timed.reduce((n, h) => Math.max(n, h.scale.time[h.scale.time.length - 1]), 0);
	document.getElementById("time-axis-label").hidden = !timed.length;
	const order = app.data.timeline.order; /* of threads by their system calls, in place of times */
	let across = order ? axes.time : axes.instructions;

	if (order) {
		axis.options[1].text = "instructions, aligned";
		axis.selectedIndex = 1;
	}
	const box = document.getElementById("time-scroll"), space = document.getElementById("time-space");
	let from = across.begin, to = across.end, selected = null, chosen = null, lanes = [], top = 0;

	const nameOf = (what, inlined) => (inlined ? app.data.timeline.inlinedNames[what >> 4] : app.functionOf(what >> 4)[0]);

	/* ---- what is seen ---------------------------------------------------------------- */

	/* What is seen of a hart: its instructions, and how many a pixel has. */
	function viewOf(hart) {
		const first = across.at(hart, from, false), last = across.at(hart, to, true);
		const pixel = (last - first) / (canvas.parentElement.clientWidth || 1);
		const level = time.levelFor(hart, pixel), span = Math.pow(2, level.shift);

		return { hart, first, last, pixel, level, span, rough: span >= 2 * pixel };
	}

	/* Call @each with the calls of at least so many instructions that can be seen, the longest ones
	 * first, and where they begin and end on the axis; true: stop. */
	function visible(view, least, each) {
		for (const packed of view.hart.levels) {
			if (packed.longest < least)
				continue;
			const level = time.calls(packed);

			for (let i = time.after(level.start, view.first - level.longest, true);
				i < level.count && level.start[i] <= view.last; i++) {
				if (level.start[i] + level.length[i] < view.first || level.depth[i] >= DEPTH_MAX)
					continue;
				const [begin, finish] = placeOf(view.hart, level, i);

				if (finish >= from && begin < to && each(level, i, begin, finish))
					return true;
			}
		}
		return false;
	}

	/* Where a call begins and ends on the axis. */
	const placeOf = (hart, level, i) => [across.place(hart, level.start[i], true),
		across.place(hart, level.start[i] + level.length[i], false)];

	/* Call @each with where a part of a hart is on the axis: without waits inside it, of which only calls that
	 * are known say what was open. */
	function pieces(hart, start, end, each) {
		const { at, time: times } = hart.scale, waits = order && across === axes.time;
		let begin = across.place(hart, start, true);

		for (let i = waits ? time.after(at, start, true) : at.length; i + 1 < at.length && at[i + 1] <= end; i++)
			if (at[i] === at[i + 1] && times[i] < times[i + 1] && at[i] > 0) {
				each(begin, Math.max(begin, times[i]));
				begin = Math.max(begin, times[i + 1]);
			}
		each(begin, Math.max(begin, across.place(hart, end, false)));
	}

	/* Call @each with depth, function, and first and last instruction of what has most there: all
	 * that is seen, or without calls what is between those that are known; of inlined functions nothing,
	 * as others that have less of a span would be wrong there. */
	function spans(view, each) {
		let first = view.first, last = view.last;

		if (view.rough) {
			if (!view.hart.hidden || !view.hart.table)
				return;
			first = Math.max(first, view.hart.hidden[0]);
			last = Math.min(last, view.hart.hidden[1]);
		}
		time.depths(view.level).forEach(function (d, depth) {
			for (let i = time.after(d.end, first, false); i < d.end.length && d.start[i] < last; i++)
				each(depth, d.what[i], Math.max(d.start[i], first), Math.min(d.end[i], last, view.hart.end));
		});
	}

	/* Of calls that are narrower than a cell, where all of them are known: the function that has most
	 * of a pixel and depth.  The same with @inlined, where all of these are known, too.  Map of depth and
	 * pixel to it. */
	function narrow(view, inlined, scale) {
		const sums = new Map(), most = new Map();
		const known = (v, start, end) => time.isKnown(view.hart, start, end) && time.isKnown(v.hart, start, end);
		const add = (v, other) => visible(v, 0, function (level, i, begin, finish) {
			const width = (finish - begin) * scale;

			if (width >= WIDE || !known(v, level.start[i], level.start[i] + level.length[i]))
				return false;
			for (let x = Math.floor((begin - from) * scale); x < (finish - from) * scale; x++) {
				const part = Math.min((finish - from) * scale, x + 1) - Math.max((begin - from) * scale, x);
				const cell = level.depth[i] * 65536 + x, key = (cell * 1048576 + (level.what[i] >> 4)) * 2 + other;
				const sum = (sums.get(key) || 0) + part;

				sums.set(key, sum);
				if (x >= 0 && (!most.has(cell) || most.get(cell)[0] < sum))
					most.set(cell, [sum, level.what[i], other > 0]);
			}
			return false;
		});

		add(view, 0);
		if (inlined && inlined.rough)
			add(inlined, 1);
		return most;
	}

	/* ---- what is said ---------------------------------------------------------------- */

	function describe(hart, level, i, inlined) {
		const f = inlined ? [nameOf(level.what[i], true), "inlined into the call above it"] : app.functionOf(level.what[i] >> 4);

		return app.short(f[0]) + (f[1] ? "  [" + f[1] + "]" : "") + ": " + app.number(level.length[i]) +
			" instructions from " + app.number(level.start[i]) + " on, " + describeTime(hart, level, i) + "depth " + level.depth[i] +
			", mode " + modes[level.what[i] & 7] + ", hart " + hart.hart;
	}

	function describeTime(hart, level, i) {
		if (!axes.time.has(hart))
			return "";
		const begin = axes.time.place(hart, level.start[i], true);
		const end = axes.time.place(hart, level.start[i] + level.length[i], false);

		return (order ? "aligned " : "time " + app.number(Math.round(Math.max(end - begin, 0))) + " from ") +
			app.number(Math.round(begin)) + (order ? " to " + app.number(Math.round(end)) + ", " : " on, ");
	}

	/* ---- drawing --------------------------------------------------------------------- */

	/* Lanes are as high as the deepest call that is seen. */
	function layout(scale) {
		let y = HEAD;

		lanes = harts.map(function (hart) {
			const lane = { hart, y, rows: 1, strip: app.found ? STRIP : 0, view: null, inlined: null };

			if (across.has(hart)) {
				const deepen = (depth) => { lane.rows = Math.max(lane.rows, depth + 1); return false; };

				lane.view = viewOf(hart);
				lane.inlined = app.inlinedShown && hart.inlined ? viewOf(hart.inlined) : null;
				lane.narrow = lane.view.rough ? narrow(lane.view, lane.inlined, scale) : new Map();
				for (const cell of lane.narrow.keys())
					deepen(Math.floor(cell / 65536));
				for (const view of lane.inlined ? [lane.view, lane.inlined] : [lane.view]) {
					spans(view, deepen);
					visible(view, view.pixel, (level, i, begin, finish) =>
						(finish - begin) * scale >= 1 && deepen(level.depth[i]));
				}
			}
			lane.top = y + HEAD + lane.strip;
			y += HEAD + lane.strip + lane.rows * ROW + 6;
			return lane;
		});
		return y;
	}

	/* Lines through all lanes, and their numbers over them. */
	function drawAxis(c, text) {
		const least = Math.max(90, 30 + 8 * app.number(Math.round(to)).length) / c.width * (to - from);
		const ten = Math.pow(10, Math.floor(Math.log10(least)));
		const each = Math.max(1, ten * [1, 2, 5, 10].find((n) => n * ten >= least));

		c.context.fillStyle = app.style("--soft");
		c.context.strokeStyle = app.style("--line");
		c.context.lineWidth = 1;
		for (let at = Math.ceil(from / each) * each; at <= to; at += each) {
			const x = (at - from) / (to - from) * c.width;

			if (text) {
				c.context.fillText(app.number(at), x + 3, HEAD / 2);
				continue;
			}
			c.context.beginPath();
			c.context.moveTo(x, 0);
			c.context.lineTo(x, c.height);
			c.context.stroke();
		}
	}

	/* The colours of cells. */
	function paints() {
		const tail = " " + app.style("--sat") + " " + app.style("--light") + ")";
		const hit = app.style("--hit"), text = app.style("--cell-text"), hitText = app.style("--hit-text");

		return function (what, inlined) {
			const name = nameOf(what, inlined), found = app.isFound(name);
			const hue = colour.value === "mode" ? 67 * (what & 7) + 210 : app.hue(name);

			return { name, fill: found ? hit : "hsl(" + hue % 360 + tail, text: found ? hitText : text };
		};
	}

	function drawLane(c, lane, scale) {
		const paint = paints();
		const cell = function (what, inlined, x, y, width) {
			const p = paint(what, inlined);

			app.cell(c.context, x, y, width, ROW, p.fill, app.short(p.name), p.text);
			if (inlined && width > 4)
				app.dash(c.context, x, y, width, ROW);
		};

		c.context.fillStyle = app.style("--fore");
		c.context.fillText(time.titleOf(lane.hart) + (lane.view ? "" : order ? ": not aligned" : ": its flow has no time"), 4, lane.y + 7);
		if (!lane.view)
			return;
		drawSpans(c, lane, lane.view, scale, cell);
		if (lane.inlined)
			drawSpans(c, lane, lane.inlined, scale, cell);
		for (const [key, most] of lane.narrow)
			cell(most[1], most[2], key % 65536, lane.top + Math.floor(key / 65536) * ROW, 1);
		drawWide(c, lane, lane.view, scale, cell);
		if (lane.inlined)
			drawWide(c, lane, lane.inlined, scale, cell);
		drawFound(c, lane, scale);
		drawGaps(c, lane, scale);
		drawTraps(c, lane, scale);
	}

	/* What has most of its spans. */
	function drawSpans(c, lane, view, scale, cell) {
		spans(view, function (depth, what, start, end) {
			pieces(lane.hart, start, end, function (begin, finish) {
				const x = Math.max((begin - from) * scale, 0), last = Math.min((finish - from) * scale, c.width);

				if (last > x)
					cell(what, view === lane.inlined, x, lane.top + depth * ROW, Math.max(last - x, 1));
			});
		});
	}

	/* The calls, or inlined functions, that are wide enough. */
	function drawWide(c, lane, view, scale, cell) {
		visible(view, view.pixel * WIDE / (across === axes.time ? 4 : 1), function (level, i, begin, finish) {
			const x = Math.max((begin - from) * scale, 0), width = Math.min((finish - from) * scale, c.width) - x;
			const y = lane.top + level.depth[i] * ROW;

			if ((finish - begin) * scale < WIDE || width <= 0)
				return false;
			c.context.clearRect(x, y, width, ROW - 1);
			cell(level.what[i], view === lane.inlined, x, y, width);
			if (selected && selected.level === level && selected.i === i) {
				c.context.strokeStyle = app.style("--fore");
				c.context.lineWidth = 2;
				c.context.strokeRect(x + 1, y, Math.max(width - 2, 1), ROW - 2);
			}
			return false;
		});
	}

	/* How much of each span is in what is found, or in what that called. */
	function drawFound(c, lane, scale) {
		if (!lane.strip)
			return;
		const t = time.table(lane.hart), first = Math.max(Math.floor(lane.view.first / t.length), 0);
		const found = app.data.functions.map((f) => app.isFound(f[0]));

		c.context.fillStyle = app.style("--line");
		c.context.fillRect(0, lane.top - 3, c.width, 1);
		c.context.fillStyle = app.style("--hit");
		for (let i = first; i < t.traps.length && i * t.length < lane.view.last; i++) {
			let inside = 0;

			for (let k = t.first[i]; k < t.first[i + 1]; k++)
				inside += found[t.what[k]] ? t.total[k] : 0;
			const x = (across.place(lane.hart, i * t.length, true) - from) * scale;
			const end = (across.place(lane.hart, (i + 1) * t.length, false) - from) * scale;

			c.context.globalAlpha = inside ? 0.15 + 0.85 * Math.sqrt(Math.min(inside / t.length, 1)) : 0;
			c.context.fillRect(x, lane.top - STRIP, Math.max(end - x, 1), STRIP - 3);
		}
		c.context.globalAlpha = 1;
	}

	/* A band through the calls of a hart, at least as wide as can be seen. */
	function drawGaps(c, lane, scale) {
		const bottom = lane.top + lane.rows * ROW;
		let last = -Infinity, labelled = c.context.measureText(time.titleOf(lane.hart)).width + 4;

		c.context.fillStyle = app.style("--gap");
		for (const gap of app.data.gaps) {
			const begin = across.place(lane.hart, gap[3], false);
			const x = Math.min(Math.round((begin - from) * scale), begin <= to ? c.width - 3 : Infinity);
			const width = Math.max((across.place(lane.hart, gap[3], true) - from) * scale - x, 3);

			if (gap[2] !== lane.hart.hart || x + width < 0 || x > c.width || x + width < last + 1)
				continue;
			last = x + width;
			c.context.globalAlpha = width > 3 ? 0.3 : 1;
			c.context.fillRect(x, lane.top - 6, width, bottom - lane.top + 6);
			c.context.globalAlpha = 1;
			c.context.fillRect(x, lane.top - 6, 1, bottom - lane.top + 6);
			if (x < labelled)
				continue;
			c.context.fillText("gap", x + 2, lane.y + 7);
			labelled = x + 28;
		}
	}

	/* Triangles; where traps were left out, and none of their span is there, an empty one. */
	function drawTraps(c, lane, scale) {
		const seen = new Set(), t = time.table(lane.hart), y = lane.y + HEAD;
		const triangle = function (x) {
			c.context.beginPath();
			c.context.moveTo(x - 3, y - 8);
			c.context.lineTo(x + 3, y - 8);
			c.context.lineTo(x, y - 1);
			c.context.closePath();
		};
		const mark = function (at, open) {
			const x = Math.round((across.place(lane.hart, at, false) - from) * scale);

			if (x < 0 || x > c.width || seen.has(x))
				return;
			seen.add(x);
			triangle(x);
			if (open)
				c.context.stroke();
			else
				c.context.fill();
		};

		c.context.fillStyle = c.context.strokeStyle = app.style("--bad");
		c.context.lineWidth = 1;
		const filled = new Set();

		for (const trap of app.data.traps) {
			if (trap[1] !== lane.hart.hart)
				continue;
			filled.add(Math.floor(Math.max(trap[0] - 1, 0) / t.length)); /* it is of the instruction before it */
			mark(trap[0], false);
		}
		for (let i = Math.max(Math.floor(lane.view.first / t.length), 0); i < t.traps.length && i * t.length < lane.view.last; i++)
			if (t.traps[i] && !filled.has(i))
				mark((i + 0.5) * t.length, true);
	}

	/* The canvas is as high as what is seen of all lanes, and moves with it. */
	function draw() {
		const width = canvas.parentElement.clientWidth || 1;
		const height = layout(width / (to - from)), seen = Math.min(height, Math.max(Math.floor(window.innerHeight * 0.7), 200));

		top = Math.max(Math.min(box.scrollTop, height - seen), 0);
		space.style.height = height - seen + "px";
		box.style.height = seen + 2 + "px";
		const c = app.canvasOf(canvas, seen);
		const scale = c.width / (to - from);

		drawAxis(c, false);
		c.context.translate(0, -top);
		for (const lane of lanes)
			if (lane.y < top + seen && lane.top + lane.rows * ROW > top)
				drawLane(c, lane, scale);
		for (const more of app.views.time.also)
			more(c, scale, height);
		c.context.translate(0, top);
		c.context.fillStyle = app.style("--back");
		c.context.fillRect(0, 0, c.width, HEAD - 2);
		drawAxis(c, true);
		if (!info.textContent)
			info.textContent = "Click a call: what it is.  Twice: zoom to it.  Drag: what ran in a range.";
	}

	function show(a, b) {
		const span = Math.min(Math.max(b - a, 10), across.end - across.begin);

		from = Math.min(Math.max(a, across.begin), across.end - span);
		to = from + span;
		draw();
	}

	/* ---- calls ----------------------------------------------------------------------- */

	/* Where the pointer is from the top of all lanes. */
	const yOf = (event) => event.clientY - canvas.getBoundingClientRect().top + top;

	function laneAt(event) {
		const y = event.clientY - canvas.getBoundingClientRect().top < HEAD ? -1 : yOf(event);

		return lanes.find((l) => y >= l.y && y < l.top + l.rows * ROW);
	}

	function timeAt(event) {
		const box = canvas.getBoundingClientRect();

		return from + (event.clientX - box.left) / box.width * (to - from);
	}

	/* The call, or what has most of the span, that is drawn there. */
	function callAt(event) {
		const lane = laneAt(event), at = timeAt(event);
		const depth = lane ? Math.floor((yOf(event) - lane.top) / ROW) : -1;

		if (depth < 0 || !lane.view)
			return null;
		const scale = canvas.clientWidth / (to - from);
		const most = lane.narrow.get(depth * 65536 + Math.floor((at - from) * scale));
		const views = (most ? [most[2] ? lane.inlined : lane.view] : [lane.inlined, lane.view]).filter((v) => v);
		let found = null;

		for (const view of views)
			found = found || knownAt(lane, view, most ? 0 : view.pixel * WIDE / 4, depth, at);
		for (const view of [lane.inlined, lane.view].filter((v) => v))
			found = found || mostAt(lane, view, depth, at);
		return found;
	}

	/* A call of at least so many instructions. */
	function knownAt(lane, view, least, depth, at) {
		let found = null;

		visible(view, least, function (level, i, begin, finish) {
			if (level.depth[i] === depth && begin <= at && finish > at)
				found = { hart: lane.hart, level, i, inlined: view === lane.inlined };
			return found !== null;
		});
		return found;
	}

	/* What has most of a span. */
	function mostAt(lane, view, depth, at) {
		const here = across.at(lane.hart, at, false);
		let most = null;

		spans(view, function (d, what, start, end) {
			if (d === depth && start <= here && end > here)
				pieces(lane.hart, start, end, function (begin, finish) {
					most = begin <= at && finish > at
						? { hart: lane.hart, what, start, end, depth, inlined: view === lane.inlined } : most;
				});
		});
		return most;
	}

	/* The function of a call: its number, or a name. */
	function functionOf(call) {
		const what = call.level ? call.level.what[call.i] : call.what;

		return call.inlined ? nameOf(what, true) : what >> 4;
	}

	/* Say what a call is, with the way to its function. */
	function tell(call) {
		app.say(info, say(call), functionOf(call));
	}

	/* What the pointer is on. */
	function say(call) {
		if (call.level)
			return describe(call.hart, call.level, call.i, call.inlined);
		return "Mostly " + app.short(nameOf(call.what, call.inlined)) + (call.inlined ? " (inlined)" : "") + " among the calls at depth " +
			call.depth + " of the " + app.number(call.end - call.start) + " instructions from " + app.number(call.start) +
			" on, hart " + call.hart.hart;
	}

	function choose(call, close) {
		chosen = call;
		tell(call);
		selected = call.level ? call : selected;
		const [start, finish] = call.level ? placeOf(call.hart, call.level, call.i)
			: [across.place(call.hart, call.start, true), across.place(call.hart, call.end, false)];
		const length = finish - start;

		if (close)
			show(start - length * 0.05, start + length * 1.05);
		reveal(call);
		draw();
	}

	/* Scrolls to the row of a call. */
	function reveal(call) {
		const lane = lanes.find((l) => l.hart === call.hart);
		const y = lane ? lane.top + (call.level ? call.level.depth[call.i] : call.depth) * ROW : 0;

		if (lane && (y < box.scrollTop + HEAD + ROW || y > box.scrollTop + canvas.clientHeight - ROW))
			box.scrollTop = Math.max(Math.min(lane.y - HEAD, y - ROW), y - canvas.clientHeight / 2);
	}

	let scrolls = false;

	box.addEventListener("scroll", function () {
		if (scrolls)
			return;
		scrolls = true;
		requestAnimationFrame(function () {
			scrolls = false;
			draw();
		});
	});

	/* The call that begins next after, or before, the selected one, of those that fit. */
	function jump(forwards, fits) {
		const here = selected ? selected.level.start[selected.i] : forwards ? -1 : Infinity;
		const deep = selected ? selected.level.depth[selected.i] : -1;
		let best = null;

		for (const hart of harts)
			for (const packed of hart.levels) {
				const level = time.calls(packed);

				for (let i = 0; i < level.count; i++) {
					const start = level.start[i], depth = level.depth[i];
					const later = start > here || (start === here && depth > deep);
					const other = selected && (hart !== selected.hart || i !== selected.i || level !== selected.level);

					if ((selected && !other) || later !== forwards || !fits(level.what[i] >> 4))
						continue;
					const order = best ? start - best.level.start[best.i] || depth - best.level.depth[best.i] : 0;

					if (!best || (forwards ? order < 0 : order > 0))
						best = { hart, level, i };
				}
			}
		if (best)
			choose(best, true);
		return best !== null;
	}

	function jumpFound(forwards) {
		const isFound = app.data.functions.map((f) => app.isFound(f[0]));

		if (!jump(forwards, (f) => isFound[f]))
			info.textContent = app.found ? "no other call that the page has is found" : "type a name into Find";
	}

	/* Move to where a hart had retired so many instructions, no nearer than a 50th of all. */
	function go(number, at) {
		const hart = harts.find((h) => h.hart === number);

		if (!hart || !across.has(hart))
			return;
		const x = across.place(hart, at, false);
		const half = Math.min(to - from, (across.end - across.begin) / 50) / 2;

		show(x - half, x + half);
	}

	/* ---- how often ------------------------------------------------------------------- */

	/* What Find found, in numbers. */
	function sayFound() {
		const box = document.getElementById("time-found");
		const found = app.data.functions.filter((f) => app.isFound(f[0]));
		const sum = (i) => found.reduce((n, f) => n + f[i], 0);

		box.textContent = app.found === "" ? "" : app.number(found.length) +
			(found.length === 1 ? " function: " : " functions: ") + app.number(sum(4)) + " calls, " +
			app.number(sum(2)) + " instructions in " + (found.length === 1 ? "it" : "them") + " (" +
			app.share(sum(2), app.data.instructions) + ")";
	}

	const t = app.data.timeline;

	document.getElementById("time-note").textContent = "Across: instructions that the hart retired" +
		(order ? ", from where its thread begins. " : timed.length ? ", or time as the flow has it, evenly between two times. " : ". ") +
		(t.least ? "The longest " + app.number(t.shown) + " of " + app.number(t.calls) +
		" calls are cells of their own; elsewhere a cell is the function that has most of its depth there. " :
			"All " + app.number(t.calls) + " calls. ") + (t.inlinedRuns ? "Dashed: what was inlined into the call above, " +
		(t.inlinedShown < t.inlinedRuns ? "where it has most of a pixel; nearer, the longest " + app.number(t.inlinedShown) + " of " +
			app.number(t.inlinedRuns) + " parts. " : "all of it. ") : "") + "Triangles: traps. Bands: gaps.";
	document.getElementById("time-inlined-label").hidden = !t.inlinedRuns;
	const aligned = document.getElementById("time-aligned");

	aligned.hidden = harts.length < 2 || (timed.length > 0 && !order);
	if (order)
		aligned.textContent = "Threads are aligned by their system calls: each begins when it was made, and goes on after a wait " +
			"(futex) when another thread woke it: " + app.number(order[0]) + (order[0] === 1 ? " wait" : " waits") +
			(order[1] ? ", of " + app.number(order[1]) + " it is not known who did" : "") +
			". Between such places their order is not known, and an instruction of each is taken to last as long.";

	app.views.time = { draw: () => { draw(); sayFound(); }, go, show, jump, jumpFound, laneAt, timeAt, callAt, say, choose, functionOf, pieces, also: [],
		axes, view: () => ({ from, to, across, lanes }), reset: () => show(across.begin, across.end),
		setAxis: (name) => { across = axes[name]; show(across.begin, across.end); },
		zoom: (factor, at) => show(at - (at - from) * factor, at + (to - at) * factor),
		selected: () => selected, tell, note: (text) => { info.textContent = text; },
		chosen: () => chosen,
		state: () => ({ from, to, across: axis.value, decoded: harts.map((h) => h.levels.filter((l) => l.start).length),
			levels: harts.map((h) => h.levels.length), selected: selected && info.textContent }) };
})();
