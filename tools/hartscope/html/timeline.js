/* The timeline: calls of each hart by depth, from all of the run to single calls.
 *
 * The file has levels of detail: each has the calls of one range of lengths, and is decoded when the
 * zoom is such that they can be seen. */
"use strict";
(function () {
	const app = hartscope, ROW = 16, HEAD = 22, DEPTH_MAX = 200;
	const modes = ["U", "S", "D", "M", "VU", "VS", "", "unknown"];
	const canvas = document.getElementById("time-canvas");
	const info = document.getElementById("time-info");
	const colour = document.getElementById("time-colour");
	const harts = app.data.timeline.harts;
	const axis = document.getElementById("time-axis");
	/* What the axis can have across: from where to where, and of a hart both ways between its
	 * instructions and the axis.  Where time passed while nothing retired, @after chooses its end. */
	const axes = {
		instructions: { begin: 0, end: harts.reduce((n, h) => Math.max(n, h.end), 1),
			place: (hart, at) => at, at: (hart, x) => x, has: () => true },
		time: { begin: 0, end: 0, place: timeOf, at: retiredAt, has: (hart) => hart.scale.at.length > 1 },
	};
	let across = axes.instructions;
	let from = across.begin, to = across.end, drag = null, selected = null, lanes = [];

	/* The times of a hart, and the axis of all of them. */
	for (const hart of harts) {
		const v = app.unpack(hart.times), scale = { at: [0], time: [0] };

		for (let i = 0; i < v.length; i += 2) {
			scale.at.push(scale.at[i / 2] + v[i]);
			scale.time.push(scale.time[i / 2] + v[i + 1]);
		}
		scale.at.shift();
		scale.time.shift();
		hart.scale = scale;
	}
	const timed = harts.filter(axes.time.has);

	axes.time.begin = timed.reduce((n, h) => Math.min(n, h.scale.time[0]), Infinity);
	axes.time.end = timed.reduce((n, h) => Math.max(n, h.scale.time[h.scale.time.length - 1]), 0);
	document.getElementById("time-axis-label").hidden = !timed.length;

	/* A number of one list by a number of the other, evenly between two that are known. */
	function between(x, xs, ys, after) {
		let low = 0, high = xs.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (after ? xs[middle] <= x : xs[middle] < x)
				low = middle + 1;
			else
				high = middle;
		}
		if (low === 0)
			return ys[0];
		if (low === xs.length)
			return ys[low - 1];
		return ys[low - 1] + (ys[low] - ys[low - 1]) * (x - xs[low - 1]) / (xs[low] - xs[low - 1]);
	}

	function timeOf(hart, at, after) {
		return between(at, hart.scale.at, hart.scale.time, after);
	}

	function retiredAt(hart, time, after) {
		return between(time, hart.scale.time, hart.scale.at, after);
	}

	/* The calls of a level: start, length, depth, function, mode. */
	function decode(level) {
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

	function firstFrom(level, value) {
		let low = 0, high = level.count;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (level.start[middle] < value)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}

	/* Call @each with the calls that can be seen, the longest ones first, and where they begin and end
	 * on the axis; true: stop. */
	function visible(hart, least, each) {
		if (!across.has(hart))
			return false;
		const first = across.at(hart, from, false), last = across.at(hart, to, true);
		/* A time may have four times the instructions that others have. */
		const shortest = least * (last - first) / (to - from) / (across === axes.time ? 4 : 1);

		for (const packed of hart.levels) {
			if (packed.longest < shortest)
				continue;
			const level = decode(packed);

			for (let i = firstFrom(level, first - level.longest); i < level.count && level.start[i] <= last; i++) {
				if (level.start[i] + level.length[i] < first || level.depth[i] >= DEPTH_MAX)
					continue;
				const [begin, finish] = placeOf(hart, level, i);

				if (finish >= from && begin < to && each(level, i, begin, finish))
					return true;
			}
		}
		return false;
	}

	/* Where a call begins and ends on the axis. */
	const placeOf = (hart, level, i) => [across.place(hart, level.start[i], true),
		across.place(hart, level.start[i] + level.length[i], false)];

	function describe(hart, level, i) {
		const f = app.functionOf(level.what[i] >> 3);

		return f[0] + (f[1] ? "  [" + f[1] + "]" : "") + ": " + app.number(level.length[i]) +
			" instructions from " + app.number(level.start[i]) + " on, " + describeTime(hart, level, i) + "depth " + level.depth[i] +
			", mode " + modes[level.what[i] & 7] + ", hart " + hart.hart;
	}

	function describeTime(hart, level, i) {
		if (!axes.time.has(hart))
			return "";
		const begin = timeOf(hart, level.start[i], true);
		const end = timeOf(hart, level.start[i] + level.length[i], false);

		return "time " + app.number(Math.round(Math.max(end - begin, 0))) + " from " +
			app.number(Math.round(begin)) + " on, ";
	}

	/* The deepest call that is seen of each hart, so that lanes are no higher than needed. */
	function layout(least) {
		let y = HEAD;

		lanes = harts.map(function (hart) {
			let depth = 0;

			visible(hart, least, function (level, i) {
				depth = Math.max(depth, level.depth[i] + 1);
				return false;
			});
			const lane = { hart, y, rows: Math.max(depth, 1) };

			y += HEAD + lane.rows * ROW + 6;
			return lane;
		});
		return y;
	}

	function drawAxis(c) {
		const step = Math.pow(10, Math.floor(Math.log10((to - from) / 4 || 1)));
		const each = Math.max(1, (to - from) / step > 20 ? 5 * step : (to - from) / step > 10 ? 2 * step : step);

		c.context.fillStyle = app.style("--soft");
		c.context.strokeStyle = app.style("--line");
		c.context.lineWidth = 1;
		for (let at = Math.ceil(from / each) * each; at <= to; at += each) {
			const x = (at - from) / (to - from) * c.width;

			c.context.beginPath();
			c.context.moveTo(x, 0);
			c.context.lineTo(x, c.height);
			c.context.stroke();
			c.context.fillText(app.number(at), x + 3, HEAD / 2);
		}
	}

	function drawLane(c, lane, scale) {
		const text = app.style("--cell-text"), hit = app.style("--hit");
		const tail = " " + app.style("--sat") + " " + app.style("--light") + ")";
		const last = new Float64Array(DEPTH_MAX).fill(-1), top = lane.y + HEAD;

		c.context.fillStyle = app.style("--fore");
		c.context.fillText("hart " + lane.hart.hart + (across.has(lane.hart) ? "" : ": its flow has no time"),
			4, lane.y + 7);
		visible(lane.hart, 0.4 / scale, function (level, i, begin, finish) {
			const x = Math.max((begin - from) * scale, 0);
			const width = Math.max(Math.min((finish - from) * scale, c.width) - x, 0);
			const name = app.functionOf(level.what[i] >> 3)[0], found = app.isFound(name);
			const depth = level.depth[i], pixel = Math.floor(x);

			if (width < 1 && !found && last[depth] === pixel)
				return false;
			last[depth] = pixel;
			const hue = colour.value === "mode" ? 67 * (level.what[i] & 7) + 210 : app.hue(name);

			app.cell(c.context, x, top + depth * ROW, width, ROW,
				found ? hit : "hsl(" + hue % 360 + tail, name,
				found ? app.style("--hit-text") : text);
			if (selected && selected.level === level && selected.i === i) {
				c.context.strokeStyle = app.style("--fore");
				c.context.lineWidth = 2;
				c.context.strokeRect(x + 1, top + depth * ROW, Math.max(width - 2, 1), ROW - 2);
			}
			return false;
		});
		if (!across.has(lane.hart))
			return;
		drawGaps(c, lane, scale);
		drawTraps(c, lane, scale);
	}

	/* A band through the calls of a hart, at least as wide as can be seen. */
	function drawGaps(c, lane, scale) {
		const bottom = lane.y + HEAD + lane.rows * ROW;
		let last = -Infinity;

		c.context.fillStyle = app.style("--gap");
		for (const gap of app.data.gaps) {
			const begin = across.place(lane.hart, gap[3], false);
			const x = Math.min(Math.round((begin - from) * scale), begin <= to ? c.width - 3 : Infinity);
			const width = Math.max((across.place(lane.hart, gap[3], true) - from) * scale - x, 3);

			if (gap[2] !== lane.hart.hart || x + width < 0 || x > c.width || x + width < last + 1)
				continue;
			last = x + width;
			c.context.globalAlpha = width > 3 ? 0.3 : 1;
			c.context.fillRect(x, lane.y + HEAD - 6, width, bottom - lane.y - HEAD + 6);
			c.context.globalAlpha = 1;
			c.context.fillRect(x, lane.y + HEAD - 6, 1, bottom - lane.y - HEAD + 6);
			c.context.fillText("gap", x + 2, lane.y + 7);
		}
	}

	function drawTraps(c, lane, scale) {
		let last = -Infinity;

		c.context.fillStyle = app.style("--bad");
		for (const trap of app.data.traps) {
			const x = (across.place(lane.hart, trap[0], false) - from) * scale;

			if (trap[1] !== lane.hart.hart || x < 0 || x > c.width || Math.abs(x - last) < 0.5)
				continue;
			last = x;
			c.context.beginPath();
			c.context.moveTo(x - 3, lane.y + HEAD - 8);
			c.context.lineTo(x + 3, lane.y + HEAD - 8);
			c.context.lineTo(x, lane.y + HEAD - 1);
			c.context.fill();
		}
	}

	function draw() {
		const width = canvas.parentElement.clientWidth || 1;
		const height = layout(0.4 * (to - from) / width);
		const c = app.canvasOf(canvas, Math.min(height, 8000));
		const scale = c.width / (to - from);

		drawAxis(c);
		for (const lane of lanes)
			drawLane(c, lane, scale);
		if (!info.textContent)
			info.textContent = "Click a call: what it is.  Twice: zoom to it.";
	}

	function show(a, b) {
		const span = Math.min(Math.max(b - a, 10), across.end - across.begin);

		from = Math.min(Math.max(a, across.begin), across.end - span);
		to = from + span;
		draw();
	}

	function zoom(factor, at) {
		show(at - (at - from) * factor, at + (to - at) * factor);
	}

	function timeAt(event) {
		const box = canvas.getBoundingClientRect();

		return from + (event.clientX - box.left) / box.width * (to - from);
	}

	function callAt(event) {
		const y = event.clientY - canvas.getBoundingClientRect().top, at = timeAt(event);
		const lane = lanes.find((l) => y >= l.y + HEAD && y < l.y + HEAD + l.rows * ROW);
		let found = null;

		if (!lane)
			return null;
		const depth = Math.floor((y - lane.y - HEAD) / ROW);
		const least = 0.4 * (to - from) / canvas.parentElement.clientWidth;

		visible(lane.hart, least, function (level, i, begin, finish) {
			if (level.depth[i] === depth && begin <= at && finish > at)
				found = { hart: lane.hart, level, i };
			return found !== null;
		});
		return found;
	}

	function choose(call, close) {
		const [start, finish] = placeOf(call.hart, call.level, call.i), length = finish - start;

		selected = call;
		info.textContent = describe(call.hart, call.level, call.i);
		if (close)
			show(start - length * 0.05, start + length * 1.05);
		else
			draw();
	}

	/* The found call that begins next after, or before, the selected one. */
	function jump(forwards) {
		const here = selected ? selected.level.start[selected.i] : forwards ? -1 : Infinity;
		const deep = selected ? selected.level.depth[selected.i] : -1;
		let best = null;

		for (const hart of harts)
			for (const packed of hart.levels) {
				const level = decode(packed);

				for (let i = 0; i < level.count; i++) {
					const start = level.start[i], depth = level.depth[i];
					const later = start > here || (start === here && depth > deep);
					const other = selected && (hart !== selected.hart || i !== selected.i || level !== selected.level);

					if ((selected && !other) || later !== forwards || !app.isFound(app.functionOf(level.what[i] >> 3)[0]))
						continue;
					const order = best ? start - best.level.start[best.i] || depth - best.level.depth[best.i] : 0;

					if (!best || (forwards ? order < 0 : order > 0))
						best = { hart, level, i };
				}
			}
		if (best)
			choose(best, true);
		else
			info.textContent = app.found ? "no other call is found" : "type a name into Find";
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

	/* The first trap or gap that is later than the middle of what is shown. */
	function nextOf(list, at, number, name) {
		const middle = (from + to) / 2;
		let best = null;

		for (const item of list) {
			const hart = harts.find((h) => h.hart === item[number]);
			const x = hart && across.has(hart) ? across.place(hart, item[at], false) : -1;

			if (x > middle + 0.5 && (!best || x < best.x))
				best = { x, item };
		}
		if (!best) {
			info.textContent = "no later " + name;
			return;
		}
		go(best.item[number], best.item[at]);
		info.textContent = name + ": " + (name === "gap" ? best.item[1] : best.item[3] + " at " + best.item[4] +
			", " + best.item[5]) + ", hart " + best.item[number] + ", after " +
			app.number(best.item[at]) + " instructions";
	}

	canvas.addEventListener("wheel", function (event) {
		if (event.shiftKey)
			return;
		event.preventDefault();
		zoom(event.deltaY < 0 ? 0.7 : 1 / 0.7, timeAt(event));
	}, { passive: false });
	canvas.addEventListener("mousedown", (event) => { drag = { x: event.clientX, from, moved: false }; });
	window.addEventListener("mouseup", () => { drag = null; });
	canvas.addEventListener("mousemove", function (event) {
		if (drag && event.buttons) {
			const by = (drag.x - event.clientX) / canvas.clientWidth * (to - from);

			drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
			show(drag.from + by, drag.from + by + (to - from));
			return;
		}
		const call = callAt(event);

		if (call)
			info.textContent = describe(call.hart, call.level, call.i);
	});
	canvas.addEventListener("click", function (event) {
		const call = callAt(event);

		if (call)
			choose(call, false);
	});
	canvas.addEventListener("dblclick", function (event) {
		const call = callAt(event);

		if (call)
			choose(call, true);
	});
	canvas.addEventListener("keydown", function (event) {
		const middle = (from + to) / 2, step = (to - from) / 8;
		const moves = { "+": () => zoom(0.5, middle), "=": () => zoom(0.5, middle),
			"-": () => zoom(2, middle), ArrowLeft: () => show(from - step, to - step),
			ArrowRight: () => show(from + step, to + step), Escape: () => show(across.begin, across.end),
			t: () => nextOf(app.data.traps, 0, 1, "trap"), g: () => nextOf(app.data.gaps, 3, 2, "gap"),
			"[": () => jump(false), "]": () => jump(true),
			Enter: () => { if (selected) choose(selected, true); } };

		if (!moves[event.key] || event.ctrlKey || event.metaKey)
			return;
		event.preventDefault();
		moves[event.key]();
	});
	const on = (id, act) => document.getElementById(id).addEventListener("click", act);

	on("time-in", () => zoom(0.5, (from + to) / 2));
	on("time-out", () => zoom(2, (from + to) / 2));
	on("time-reset", () => show(across.begin, across.end));
	on("time-previous", () => jump(false));
	on("time-next", () => jump(true));
	axis.addEventListener("change", function () {
		across = axes[axis.value];
		show(across.begin, across.end);
	});
	colour.addEventListener("change", function () {
		draw();
		showModes();
	});

	/* Which colour is which mode. */
	function showModes() {
		const legend = document.getElementById("time-modes");

		legend.replaceChildren();
		if (colour.value !== "mode")
			return;
		app.data.modes.forEach(function (mode, i) {
			if (!mode[1])
				return;
			const item = app.make("span", mode[0], "key");

			item.style.background = "hsl(" + (67 * i + 210) % 360 + " " + app.style("--sat") + " " +
				app.style("--light") + ")";
			legend.append(item);
		});
	}
	const t = app.data.timeline;

	document.getElementById("time-note").textContent = "Across: instructions that the hart retired" +
		(timed.length ? ", or time as the flow has it, evenly between two times. " : ". ") +
		app.number(t.shown) + " of " + app.number(t.calls) + " calls" + (t.least ? ": those of " +
		app.number(t.least) + " instructions or more, and all of the first and last " +
		app.number(t.window) + "." : ".") + " Triangles: traps. Bands: gaps.";
	app.views.time = { draw, go, state: () => ({ from, to, across: axis.value, decoded: harts.map((h) => h.levels.filter((l) => l.start).length),
		levels: harts.map((h) => h.levels.length), selected: selected && info.textContent }) };
})();
