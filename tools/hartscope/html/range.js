/* The timeline's pointer and keys, its map of the whole run, and ranges: what ran between two places. */
"use strict";
(function () {
	const app = hartscope, time = app.time, harts = time.harts, view = app.views.time;
	const canvas = document.getElementById("time-canvas"), map = document.getElementById("time-map");
	const info = document.getElementById("time-info"), box = document.getElementById("time-range");
	const MAP_ROW = 3, MAP_MAX = 72; /* pixels: of a depth, of all harts */
	let drag = null, range = null; /* range: hart (null: all), axis, from, to */

	/* ---- ranges ---------------------------------------------------------------------- */

	/* What ran in a range: of each hart its sums, and functions, those with most of it first. */
	function sumUp(r) {
		const axis = view.axes[r.axis], parts = [], rows = new Map();

		for (const hart of harts) {
			if ((r.hart !== null && hart.hart !== r.hart) || !axis.has(hart))
				continue;
			const sums = time.sum(hart, axis.at(hart, r.from, false), axis.at(hart, r.to, true));

			if (sums.from < sums.to)
				parts.push({ hart, sums });
			for (const f of sums.functions.values()) {
				const row = rows.get(f.what) || { f: app.functionOf(f.what), what: f.what, self: 0, total: 0, calls: 0 };

				row.self += f.self;
				row.total += f.total;
				row.calls += f.calls;
				rows.set(f.what, row);
			}
		}
		const functions = Array.from(rows.values()).sort((a, b) => b.self - a.self || b.total - a.total);
		const sum = (key) => parts.reduce((n, p) => n + p.sums[key], 0);

		return { parts, functions, instructions: parts.reduce((n, p) => n + p.sums.to - p.sums.from, 0),
			traps: sum("traps"), gaps: sum("gaps") };
	}

	const linkOf = (r) => "#range=" + (r.hart === null ? "all" : r.hart) + ":" +
		(r.axis === "time" ? "time:" : "") + Math.round(r.from) + "-" + Math.round(r.to);

	/* Which commands show the same. */
	function commandOf(part) {
		return "hartscope stat " + (harts.length > 1 ? "--hart " + part.hart.hart + " " : "") + "--from " + part.sums.from +
			" --to " + part.sums.to + " " + app.data.title;
	}

	function button(text, act) {
		const b = app.make("button", text);

		b.addEventListener("click", act);
		return b;
	}

	function tell(r, result) {
		const bar = app.make("div", undefined, "bar"), share = (n) => ({ text: app.share(n, result.instructions),
			share: result.instructions ? 100 * n / result.instructions : 0 });
		const coarse = result.parts.filter((p) => p.sums.span > 1);

		bar.append(button("Zoom to it", () => { view.show(r.from, r.to); canvas.focus(); }),
			button("Clear", () => { clear(); canvas.focus(); }));
		if (r.hart !== null && harts.length > 1)
			bar.append(button("All harts", () => select(Object.assign({}, r, { hart: null }))));
		box.replaceChildren(app.make("h2", "Range: " + app.number(result.instructions) + " instructions, " +
			app.number(result.traps) + (result.traps === 1 ? " trap, " : " traps, ") + app.number(result.gaps) +
			(result.gaps === 1 ? " gap" : " gaps")), bar);
		for (const p of result.parts)
			box.append(app.make("p", "Range of " + time.titleOf(p.hart) + ": " + app.number(p.sums.from) + " to " + app.number(p.sums.to) +
				" (" + commandOf(p) + ")", "soft"));
		if (coarse.length)
			box.append(app.make("p", "The page has not every call here: the range begins and ends at a multiple of " +
				app.number(Math.max(...coarse.map((p) => p.sums.span))) + " instructions, and is exact for that.", "soft"));
		if (app.data.full || app.data.forgotten)
			box.append(app.make("p", "Some calls were not kept: totals may be too small.", "warn"));
		app.table(box, [["Function", "text", app.door((f) => f.what)],
			["Self", "", (f) => app.number(f.self)], ["Self %", "", (f) => share(f.self)],
			["Total", "", (f) => app.number(f.total)], ["Total %", "", (f) => share(f.total)],
			["Calls", "", (f) => app.number(f.calls)]], result.functions);
	}

	/* A range becomes the chosen one. */
	function select(r, silent) {
		const result = sumUp(r);

		if (!result.parts.length)
			return;
		if (r.hart !== null && r.axis === "instructions") {
			r.from = result.parts[0].sums.from;
			r.to = result.parts[0].sums.to;
		}
		range = r;
		tell(r, result);
		view.draw();
		if (!silent)
			app.setLink(linkOf(r));
	}

	function clear() {
		range = null;
		box.replaceChildren();
		view.draw();
		app.setLink("#time");
	}

	/* ---- drawing --------------------------------------------------------------------- */

	function shade(c, lane, a, b, scale, all) {
		const x = (a - view.view().from) * scale, width = Math.max((b - a) * scale, 1);
		const y = lane ? lane.y : 0, height = lane ? lane.top + lane.rows * 16 - lane.y : all;

		c.context.fillStyle = c.context.strokeStyle = app.style("--accent");
		c.context.globalAlpha = 0.18;
		c.context.fillRect(x, y, width, height);
		c.context.globalAlpha = 1;
		c.context.lineWidth = 1;
		c.context.strokeRect(Math.round(x) + 0.5, y + 0.5, Math.round(width), height - 1);
	}

	/* Where a range is on the axis that is shown. */
	function placed(r, hart) {
		const shown = view.view().across;

		if (shown === view.axes[r.axis])
			return [r.from, r.to];
		const at = (x, after) => view.axes[r.axis].at(hart, x, after);

		return [shown.place(hart, at(r.from, false), true), shown.place(hart, at(r.to, true), false)];
	}

	function drawRange(c, scale, all) {
		if (drag && drag.moved && drag.selects)
			shade(c, drag.lane, Math.min(drag.at, drag.now), Math.max(drag.at, drag.now), scale, all);
		else if (range)
			for (const lane of view.view().lanes)
				if (lane.view && (range.hart === null || range.hart === lane.hart.hart))
					shade(c, lane, ...placed(range, lane.hart), scale, all);
	}

	/* All of the run, its outermost calls, and what of it is shown. */
	function drawMap() {
		const shown = view.view(), across = shown.across;
		const each = Math.min(MAP_MAX / harts.length, 30), rows = Math.max(Math.floor((each - 1) / MAP_ROW), 1);
		const row = Math.min(each, MAP_ROW), c = app.canvasOf(map, Math.ceil(harts.length * each) + 4);
		const scale = c.width / (across.end - across.begin);
		const tail = " " + app.style("--sat") + " " + app.style("--light") + ")", hit = app.style("--hit");

		harts.forEach(function (hart, n) {
			if (!across.has(hart))
				return;
			time.depths(time.levelFor(hart, hart.end / c.width)).slice(0, rows).forEach(function (d, depth) {
				for (let i = 0; i < d.start.length; i++) {
					const name = app.functionOf(d.what[i] >> 4)[0];

					c.context.fillStyle = app.isFound(name) ? hit : "hsl(" + app.hue(name) + tail;
					view.pieces(hart, d.start[i], Math.min(d.end[i], hart.end), function (begin, end) {
						c.context.fillRect((begin - across.begin) * scale, 2 + n * each + depth * row,
							Math.max((end - begin) * scale, 0.5), row);
					});
				}
			});
		});
		const x = (shown.from - across.begin) * scale, width = Math.max((shown.to - shown.from) * scale, 2);

		c.context.fillStyle = app.style("--back");
		c.context.globalAlpha = 0.6;
		c.context.fillRect(0, 0, x, c.height);
		c.context.fillRect(x + width, 0, c.width, c.height);
		c.context.globalAlpha = 1;
		c.context.strokeStyle = app.style("--accent");
		c.context.lineWidth = 2;
		c.context.strokeRect(Math.max(x, 1), 1, Math.min(width, c.width - 2), c.height - 2);
	}

	/* ---- the pointer ----------------------------------------------------------------- */

	canvas.addEventListener("wheel", function (event) {
		const { from, to } = view.view(), step = (to - from) / 8;

		if (event.shiftKey && !event.deltaX)
			return;
		event.preventDefault();
		if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			view.show(from + Math.sign(event.deltaX) * step, to + Math.sign(event.deltaX) * step);
		else
			view.zoom(event.deltaY < 0 ? 0.7 : 1 / 0.7, view.timeAt(event));
	}, { passive: false });
	canvas.addEventListener("mousedown", function (event) {
		const { from, to } = view.view();

		if (event.button === 0)
			drag = { x: event.clientX, from, to, at: view.timeAt(event), lane: view.laneAt(event) || null,
				selects: !event.shiftKey, moved: false };
	});
	function move(event) {
		drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
		drag.now = Math.max(Math.min(view.timeAt(event), drag.to), drag.from);
		if (drag.moved && drag.selects) {
			view.draw();
			return;
		}
		const by = (drag.x - event.clientX) / canvas.clientWidth * (drag.to - drag.from);

		if (drag.moved)
			view.show(drag.from + by, drag.to + by);
	}
	window.addEventListener("mousemove", function (event) {
		if (drag && event.buttons)
			move(event);
	});
	window.addEventListener("mouseup", function () {
		const d = drag;

		drag = null;
		if (!d || !d.moved || !d.selects)
			return;
		view.draw();
		pick(d.lane, Math.min(d.at, d.now), Math.max(d.at, d.now));
	});
	/* A part of the axis becomes the range: of one hart in its instructions. */
	function pick(lane, a, b) {
		const across = view.view().across;

		if (!lane)
			select({ hart: null, axis: across === view.axes.time ? "time" : "instructions", from: a, to: b });
		else
			select({ hart: lane.hart.hart, axis: "instructions", from: across.at(lane.hart, a, false), to: across.at(lane.hart, b, true) });
	}
	canvas.addEventListener("mousemove", function (event) {
		const call = drag && event.buttons ? null : view.callAt(event);

		if (call)
			view.tell(call);
	});
	canvas.addEventListener("mouseleave", function () {
		if (view.chosen())
			view.tell(view.chosen());
	});
	let clicked = false; /* the pointer did not move between press and release */

	canvas.addEventListener("mouseup", (event) => { clicked = drag !== null && !drag.moved && event.button === 0; });
	canvas.addEventListener("click", function (event) {
		const call = clicked ? view.callAt(event) : null;

		if (call)
			view.choose(call, false);
	});
	canvas.addEventListener("dblclick", function (event) {
		const call = view.callAt(event);

		if (call)
			view.choose(call, true);
	});

	/* The map: what is shown moves to the pointer. */
	function toPointer(event) {
		const area = map.getBoundingClientRect(), { from, to, across } = view.view();
		const at = across.begin + (event.clientX - area.left) / area.width * (across.end - across.begin);

		view.show(at - (to - from) / 2, at + (to - from) / 2);
	}
	map.addEventListener("mousedown", toPointer);
	map.addEventListener("mousemove", function (event) {
		if (event.buttons & 1)
			toPointer(event);
	});

	/* ---- keys ------------------------------------------------------------------------ */

	/* The first trap or gap that is later than the middle of what is shown. */
	function nextOf(list, at, number, name) {
		const { from, to, across } = view.view(), middle = (from + to) / 2;
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
		view.go(best.item[number], best.item[at]);
		info.textContent = name + ": " + (name === "gap" ? best.item[1] : best.item[3] + " at " + best.item[4] +
			", " + best.item[5]) + ", hart " + best.item[number] + ", after " +
			app.number(best.item[at]) + " instructions";
	}

	function keySelect() {
		const { from, to, lanes } = view.view(), call = view.selected();

		pick(harts.length === 1 ? lanes[0] : call ? lanes.find((l) => l.hart === call.hart) : null, from, to);
	}

	canvas.addEventListener("keydown", function (event) {
		const { from, to } = view.view(), middle = (from + to) / 2, step = (to - from) / 8;
		const moves = { "+": () => view.zoom(0.5, middle), "=": () => view.zoom(0.5, middle),
			"-": () => view.zoom(2, middle), ArrowLeft: () => view.show(from - step, to - step),
			ArrowRight: () => view.show(from + step, to + step), Escape: () => { if (range) clear(); view.reset(); },
			t: () => nextOf(app.data.traps, 0, 1, "trap"), g: () => nextOf(app.data.gaps, 3, 2, "gap"),
			f: () => { if (view.selected()) app.open(view.functionOf(view.selected())); },
			"[": () => view.jumpFound(false), "]": () => view.jumpFound(true), s: keySelect,
			Enter: () => { if (view.selected()) view.choose(view.selected(), true); } };

		if (!moves[event.key] || event.ctrlKey || event.metaKey)
			return;
		event.preventDefault();
		moves[event.key]();
	});
	const on = (id, act, kind) => document.getElementById(id).addEventListener(kind || "click", act);
	const middle = () => (view.view().from + view.view().to) / 2;

	on("time-in", () => view.zoom(0.5, middle()));
	on("time-out", () => view.zoom(2, middle()));
	on("time-reset", view.reset);
	on("time-previous", () => view.jumpFound(false));
	on("time-next", () => view.jumpFound(true));
	on("time-axis", (event) => view.setAxis(event.target.value), "change");
	on("time-colour", function () {
		view.draw();
		showModes();
	}, "change");

	/* Which colour is which mode. */
	function showModes() {
		const legend = document.getElementById("time-modes");

		legend.replaceChildren();
		if (document.getElementById("time-colour").value !== "mode")
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
	view.also.push(drawRange, drawMap);
	view.select = select;
	view.sumUp = sumUp;
	view.range = () => range;
})();
