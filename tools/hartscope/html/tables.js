/* Tables: summary, functions, traps and gaps. */
"use strict";
(function () {
	const app = hartscope, data = app.data, make = app.make, PAGE = 300;

	function facts(pairs) {
		const list = make("dl", undefined, "facts");

		for (const [term, text] of pairs)
			list.append(make("dt", term), make("dd", text));
		return list;
	}

	/* Columns: [title, class, cell(row)]; a cell is text, or { text, share, title, act, door }: a button that
	 * acts, or that leads to a function. */
	function row(columns, item) {
		const tr = make("tr");

		for (const [, className, cell] of columns) {
			const c = cell(item), td = make("td", c.text === undefined ? c : c.text, className);

			if (c.share !== undefined) {
				td.classList.add("share");
				td.style.setProperty("--w", Math.min(c.share, 100) + "%");
			}
			if (c.title && c.title !== c.text)
				td.title = c.title;
			if (c.door !== undefined) {
				td.replaceChildren(app.doorButton(c.door));
			} else if (c.act) {
				const button = make("button", c.text);

				button.addEventListener("click", c.act);
				td.replaceChildren(button);
			}
			tr.append(td);
		}
		return tr;
	}

	/* A table that shows more rows when asked.  @classOf: of a row.  What it returns shows, and gives, a row
	 * by its number. */
	function fill(box, columns, rows, isHit, header, classOf) {
		const table = make("table"), head = make("thead"), body = make("tbody"), tr = make("tr");
		const more = make("button");
		let shown = 0;

		columns.forEach(function ([title, className], i) {
			const th = make("th", header ? undefined : title, className);

			th.scope = "col";
			if (header)
				header(th, title, i);
			tr.append(th);
		});
		head.append(tr);
		table.append(head, body);
		function add() {
			for (let i = shown; i < Math.min(shown + PAGE, rows.length); i++) {
				const item = rows[i], tr = row(columns, item);

				if (isHit && isHit(item))
					tr.className = "hit";
				else if (classOf)
					tr.className = classOf(item, i);
				body.append(tr);
			}
			shown = Math.min(shown + PAGE, rows.length);
			more.textContent = "Show more (" + app.number(rows.length - shown) + ")";
			more.hidden = shown === rows.length;
		}
		more.addEventListener("click", add);
		add();
		const scroll = make("div", undefined, "scroll");

		scroll.tabIndex = 0;
		scroll.append(table);
		box.append(scroll, more);
		return function (number) {
			while (shown <= number && shown < rows.length)
				add();
			return body.rows[number];
		};
	}

	app.table = fill;
	const share = (part, all) => ({ text: app.share(part, all), share: all ? 100 * part / all : 0 });

	/* ---- summary --------------------------------------------------------------------- */

	function drawSummary() {
		const box = document.getElementById("summary");

		box.replaceChildren();
		const list = [["Instructions", app.number(data.instructions)], ["Blocks", app.number(data.blocks)]];

		if (data.program)
			list.unshift(["Program", data.program]);
		if (data.end)
			list.push(["It ended with", data.end]);
		if (data.protocol)
			list.push(["Trace", data.protocol]);
		if (data.time)
			list.push(["Time", app.number(data.time)]);
		list.push(["Calls", app.number(data.timeline.calls)], ["Functions", app.number(data.functions.length)],
			[data.timeline.harts.length > 1 ? "Harts" : "Hart",
				app.time.harts.map((h) => app.time.titleOf(h).slice(5)).join(", ")],
			["Traps", app.number(data.trapCount)], ["Gaps", app.number(data.gapCount)]);
		if (data.before)
			list.push(["The run before", data.before.title + ": " + app.number(data.before.instructions) +
				" instructions; now " + app.change(data.instructions, data.before.instructions)]);
		for (const [mode, n] of data.modes)
			if (n)
				list.push(["Mode " + mode, app.number(n) + " instructions (" + app.share(n, data.instructions) + ")"]);
		box.append(facts(list));
		if (data.gapCount || data.errors)
			box.append(make("p", "The trace has gaps: what ran in them is not in any count.", "warn"));
		if (data.unsure)
			box.append(make("p", app.number(data.unsure) + " instructions ran while the stack was not sure.", "warn"));
		if (data.full)
			box.append(make("p", "There were more paths of calls than are kept: totals deep in them are too small.", "warn"));
		if (data.forgotten)
			box.append(make("p", app.number(data.forgotten) + " open calls were dropped, " +
				"for stacks were too deep or too many: totals are too small.", "warn"));
		if (data.functions.length < data.functionCount)
			box.append(make("p", "The page has the hottest " + app.number(data.functions.length) + " of " +
				app.number(data.functionCount) + " functions: report shows all of them.", "warn"));
		if (data.flameLeast > 1)
			box.append(make("p", "The flame graph has calls of " + app.number(data.flameLeast) +
				" instructions and more; export --format speedscope has all of them.", "warn"));
		if (data.before) {
			box.append(make("h2", "Functions that changed most"));
			fill(box, [functionColumns[0], functionColumns[1]].concat(functionColumns.slice(-2)), functionRows
				.filter((r) => r.f[9]).sort((x, y) => Math.abs(y.f[9]) - Math.abs(x.f[9])).slice(0, 15));
		}
		box.append(make("h2", "Hottest functions"));
		fill(box, functionColumns.slice(0, 7), functionRows.slice(0, 15));
	}

	/* ---- functions ------------------------------------------------------------------- */

	/* Next to the run before: its own instructions, and how many more there are now. */
	if (data.before) {
		const v = app.unpack(data.functionsBefore);

		data.functions.forEach((f, i) => f.push(v[3 * i], f[2] - v[3 * i]));
	}
	const functionRows = data.functions.map((f, number) => ({ f, number }));
	const count = (n) => (n < 0 ? "–" : app.number(n));
	const functionColumns = [
		["Function", "text", app.door((r) => r.number)],
		["Self", "", (r) => app.number(r.f[2])],
		["Self %", "", (r) => share(r.f[2], data.instructions)],
		["Total", "", (r) => count(r.f[3])],
		["Total %", "", (r) => (r.f[3] < 0 ? "–" : share(r.f[3], data.instructions))],
		["Calls", "", (r) => count(r.f[4])],
		["Program or library", "text", (r) => r.f[1]],
	];
	if (data.time)
		functionColumns.push(["Self time", "", (r) => count(r.f[5])], ["Total time", "", (r) => count(r.f[6])]);
	if (data.before)
		functionColumns.push(["Self before", "", (r) => count(r.f[8])],
			["Self changed by", "", (r) => (r.f[8] < 0 ? "–" : app.change(r.f[2], r.f[8]))]);
	const keys = [0, 2, 2, 3, 3, 4, 1].concat(data.time ? [5, 6] : [], data.before ? [8, 9] : []);
	let order = 1, down = true;

	/* Inlined functions by name: what they ran is a part of what those ran which have them. */
	function inlinedRows() {
		const rows = new Map();

		for (const c of app.inlined()) {
			const r = rows.get(c.name) || { f: [c.name, "", 0, -1, -1, -1, -1, "", -1, 0], number: c.name, copies: 0 };

			r.f[2] += c.self;
			r.f[1] = ++r.copies === 1 && c.into >= 0 ? "inlined into " + app.label(c.into) : "inlined into " + r.copies + " functions";
			rows.set(c.name, r);
		}
		return Array.from(rows.values());
	}

	function drawFunctions() {
		const box = document.getElementById("functions"), key = keys[order];
		const rows = functionRows.concat(app.inlinedShown ? inlinedRows() : []).filter((r) => app.found === "" ||
			app.isFound(r.f[0]) || app.isFound(r.f[1]));
		const bar = make("div", undefined, "bar"), label = make("label", " Inlined functions, too"), check = make("input");

		check.type = "checkbox";
		check.id = "functions-inlined";
		check.className = "inlined-too";
		check.checked = app.inlinedShown;
		label.prepend(check);
		rows.sort((x, y) => (typeof x.f[key] === "string" ? x.f[key].localeCompare(y.f[key]) : x.f[key] - y.f[key]) * (down ? -1 : 1));
		bar.append(make("span", app.number(rows.length) + " functions", "soft"), label);
		box.replaceChildren(bar);
		fill(box, functionColumns, rows, null, function (th, title, i) {
			const button = make("button", title + (i === order ? down ? " ▾" : " ▴" : ""));

			th.setAttribute("aria-sort", i !== order ? "none" : down ? "descending" : "ascending");
			button.addEventListener("click", function () {
				down = i === order ? !down : functionColumns[i][1] !== "text";
				order = i;
				drawFunctions();
				box.querySelectorAll("th button")[i].focus();
			});
			th.append(button);
		}, (r) => (typeof r.number === "string" ? "inlined" : ""));
	}

	/* ---- traps and gaps -------------------------------------------------------------- */

	/* Which of them the page has, where it has not all. */
	function kept(list, all, step) {
		return list.length >= all ? "" : ": " + data.thinned.filter((t) => t[step] > 1).map((t) =>
			"one of " + app.number(t[step]) + " of hart " + t[0]).join(", ");
	}

	function drawEvents() {
		const box = document.getElementById("events");
		const traps = data.traps.filter((t) => app.found === "" || t.some((c) => app.isFound(String(c))));
		const text = (i) => (r) => r[i], number = (i) => (r) => app.number(r[i]);
		/* A button that leads to the timeline there. */
		const place = (at, hart) => (r) => ({ text: app.number(r[at]), act: function () {
			app.show("time");
			app.views.time.go(r[hart], r[at]);
			document.getElementById("time-canvas").focus();
		} });

		box.replaceChildren(make("h2", "Traps by kind (" + app.number(data.trapCount) + ")"));
		fill(box, [["Modes", "text", text(0)], ["Cause", "text", text(1)], ["Handler", "text", app.doorByName(text(2))],
			["Traps", "", number(3)], ["Returned", "", number(4)], ["Instructions inside", "", number(5)]],
			data.trapKinds);
		box.append(make("h2", "Traps" + kept(data.traps, data.trapCount, 1)));
		fill(box, [["Retired before", "", place(0, 1)], ["Hart", "", number(1)], ["Modes", "text", text(2)],
			["Cause", "text", text(3)], ["EPC", "text", text(4)], ["Where", "text", app.doorByName(text(5))],
			["Handler", "text", app.doorByName(text(6))], ["Handled", "", (t) => (t[7] < 0 ? "–" : app.number(t[7]))]], traps);
		box.append(make("h2", "Gaps (" + app.number(data.gapCount) + ")" + kept(data.gaps, data.gapCount, 2)));
		fill(box, [["Byte offset", "", number(0)], ["Hart", "", number(2)], ["Retired before", "", place(3, 2)],
			["Why", "text", text(1)]], data.gaps);
	}

	app.views.summary = { draw: drawSummary };
	app.views.functions = { draw: drawFunctions };
	app.views.events = { draw: drawEvents };
})();
