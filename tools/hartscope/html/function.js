/* One function: who called it, what it called, its instructions and lines with counts, what was inlined
 * into it.  And the doors that lead there from every name. */
"use strict";
(function () {
	const app = hartscope, data = app.data, make = app.make, COPIES = 10; /* with their instructions */
	let current = null; /* number of a function, or the name of one that was inlined everywhere */
	let edges = null, code = null, inlined = null, numbers = null, keys = null;

	/* ---- the data -------------------------------------------------------------------- */

	function readEdges() {
		const v = app.unpack(data.edges);

		edges = [];
		for (let i = 0; i < v.length; i += 4)
			edges.push({ caller: v[i] - 1, callee: v[i + 1], calls: v[i + 2], total: v[i + 3] });
		return edges;
	}

	/* The instructions of a function, by address; null: the page has them not. */
	function codeOf(number) {
		const found = data.code.filter((c) => c[0] === number);

		if (!found.length)
			return null;
		return found.flatMap(function ([, first, numbers, texts]) {
			const v = app.unpack(numbers);
			let at = BigInt(first);

			return texts.map(function (text, i) {
				const n = v.slice(7 * i, 7 * i + 7);

				at += BigInt(n[0]);
				return { at, text, count: n[1], taken: n[2], notTaken: n[3],
					file: n[4] ? data.codeFiles[n[4] - 1] : null, line: n[5],
					inlined: n[6] ? data.inlinedNames[n[6] - 1] : null };
			});
		});
	}

	/* Copies of inlined functions: name, the function that has it, instructions. */
	app.inlined = function () {
		if (inlined)
			return inlined;
		const v = app.unpack(data.inlined);

		inlined = [];
		for (let i = 0; i < v.length; i += 3)
			inlined.push({ name: data.inlinedNames[v[i] - 1], into: v[i + 1] - 1, self: v[i + 2] });
		return inlined;
	};

	/* The number of a function by its name; of several with it the hottest. */
	app.numberOf = function (name) {
		if (!numbers) {
			numbers = new Map();
			data.functions.forEach(function (f, i) {
				if (!numbers.has(f[0]))
					numbers.set(f[0], i);
			});
		}
		return numbers.has(name) ? numbers.get(name) : -1;
	};

	/* Can a number or name be opened? */
	const has = (what) => (typeof what === "number" ? what >= 0 && what < data.functions.length
		: app.inlined().some((c) => c.name === what));

	/* How a link names a function, the shortest first: names that several have are followed by the address,
	 * or that and the file. */
	const keysOf = (f) => [f[0], f[0] + "@" + f[7], f[0] + "@" + f[7] + "@" + f[1]];

	/* Functions by these; undefined: several have it. */
	function keyed() {
		if (keys)
			return keys;
		keys = new Map();
		data.functions.forEach(function (f, i) {
			for (const key of keysOf(f))
				keys.set(key, keys.has(key) ? undefined : i);
		});
		return keys;
	}

	function linkOf(what) {
		if (typeof what !== "number")
			return "#function=" + encodeURIComponent(what);
		const all = keysOf(data.functions[what]);

		return "#function=" + encodeURIComponent(all.find((key) => keyed().get(key) === what) || all[0]);
	}

	function fromLink(text) {
		const number = keyed().get(text) === undefined ? app.numberOf(text) : keyed().get(text);

		return number >= 0 ? number : has(text) ? text : -1;
	}

	/* ---- doors ----------------------------------------------------------------------- */

	app.open = function (what) {
		if (!has(what))
			return;
		current = what;
		app.show("function", linkOf(what));
	};

	/* A cell that leads to a function: its number, or a name. */
	app.door = (of) => function (row) {
		const what = of(row), name = typeof what === "number" ? app.functionOf(what)[0] : what;

		return { text: app.short(name), title: name, door: has(what) ? what : undefined };
	};

	/* The same for a name, where one function has it. */
	app.doorByName = (of) => function (row) {
		const number = keyed().get(of(row));

		return number === undefined ? of(row) : app.door(() => number)(row);
	};

	app.doorButton = function (what, text) {
		const name = typeof what === "number" ? app.functionOf(what)[0] : what;
		const button = make("button", text || app.short(name), "door");

		button.title = name;
		button.addEventListener("click", () => app.open(what));
		return button;
	};

	/* Text in a box, with a button that leads to the function which it is of. */
	app.say = function (box, text, what) {
		box.textContent = text;
		if (what !== undefined && has(what))
			box.append(" ", app.doorButton(what, "Callers, callees, source, code"));
	};

	/* ---- the view -------------------------------------------------------------------- */

	const share = (n) => ({ text: app.share(n, data.instructions), share: data.instructions ? 100 * n / data.instructions : 0 });

	function button(text, act) {
		const b = make("button", text);

		b.addEventListener("click", act);
		return b;
	}

	function title(box, text) {
		box.append(make("h2", text));
	}

	function relatives(box, text, rows, of) {
		title(box, text);
		if (!rows.length)
			box.append(make("p", "None.", "soft"));
		else
			app.table(box, [["Function", "text", (e) => (of(e) < 0 ? "(nobody)" : app.door(of)(e))],
				["Calls", "", (e) => app.number(e.calls)], ["Instructions", "", (e) => app.number(e.total)],
				["of all", "", (e) => share(e.total)]], rows);
	}

	/* Where most of the function's own lines are: file and line. */
	function placeOf(number, rows) {
		const own = (rows || []).find((i) => i.file && i.line && !i.inlined) || (rows || []).find((i) => i.file && i.line);

		return own ? { file: own.file, line: own.line } : null;
	}

	function drawNumber(box, number) {
		const f = data.functions[number], rows = code;
		const bar = make("div", undefined, "bar"), place = placeOf(number, rows);
		const list = make("dl", undefined, "facts");
		const fact = (term, text) => list.append(make("dt", term), make("dd", text));

		bar.append(button("Next call in the timeline", () => nextCall(number)));
		if (place && app.hasSource(place.file))
			bar.append(button("Source: " + place.file.replace(/.*\//, "") + ":" + place.line,
				() => app.openSource(place.file, place.line)));
		bar.append(button("Find it everywhere", () => app.find(f[0])));
		fact("Program or library", f[1] || "–");
		fact("Address", f[7]);
		fact("Instructions", app.number(f[2]) + " (" + app.share(f[2], data.instructions) + ") in it, " +
			app.number(f[3]) + " (" + app.share(f[3], data.instructions) + ") with what it called");
		fact("Calls", app.number(f[4]) + (f[4] ? ", on average " + app.number(Math.round(f[3] / f[4])) + " instructions" : ""));
		if (data.time)
			fact("Time", app.number(f[5]) + " in it, " + app.number(f[6]) + " with what it called");
		box.append(bar, list);
		app.sandwich(box, number);
		const all = edges || readEdges(), pair = make("div", undefined, "pair");
		const left = make("div"), right = make("div");

		relatives(left, "Callers", all.filter((e) => e.callee === number), (e) => e.caller);
		relatives(right, "Callees", all.filter((e) => e.caller === number), (e) => e.callee);
		pair.append(left, right);
		box.append(pair);
		if (all.length < data.edgeCount)
			box.append(make("p", "The page has the " + app.number(all.length) + " pairs of functions with most instructions, of " +
				app.number(data.edgeCount) + ".", "soft"));
		drawInlined(box, app.inlined().filter((c) => c.into === number), (c) => c.name, "Inlined into it");
		drawCode(box, number, rows, "Instructions");
	}

	function drawInlined(box, copies, of, text) {
		if (!copies.length)
			return;
		title(box, text);
		app.table(box, [["Function", "text", app.door(of)], ["Instructions", "", (c) => app.number(c.self)],
			["of all", "", (c) => share(c.self)]], copies.sort((a, b) => b.self - a.self));
	}

	/* One row for each line, before its instructions. */
	function drawCode(box, number, rows, text) {
		title(box, text);
		if (!rows) {
			box.append(make("p", "The page has the instructions of the hottest functions only: hartscope annotate '" +
				app.functionOf(number)[0] + "' " + data.title, "soft"));
			return;
		}
		const lines = [], most = rows.reduce((n, i) => Math.max(n, i.count), 1);

		rows.forEach(function (i, n) {
			const last = rows[n - 1];

			if (i.line && (!last || last.line !== i.line || last.file !== i.file || last.inlined !== i.inlined))
				lines.push({ line: i });
			lines.push({ insn: i });
		});
		app.table(box, [
			["Times", "", (r) => (r.insn ? { text: app.number(r.insn.count), share: 100 * r.insn.count / most } : "")],
			["Address", "code", (r) => (r.insn ? "0x" + r.insn.at.toString(16) : "")],
			["Instruction", "code", (r) => (r.insn ? r.insn.text : sourceOf(r.line))],
			["Taken", "", (r) => (r.insn && r.insn.taken + r.insn.notTaken ? app.number(r.insn.taken) : "")],
			["Not taken", "", (r) => (r.insn && r.insn.taken + r.insn.notTaken ? app.number(r.insn.notTaken) : "")],
		], lines, null, null, (r) => (r.line ? "line" : ""));
	}

	/* A line of source, which leads to it. */
	function sourceOf(i) {
		const name = i.file.replace(/.*\//, ""), text = app.sourceText(i.file, i.line).trim();
		const shown = (i.inlined ? "inlined " + app.short(i.inlined) + "  " : "") + name + ":" + i.line + "  " + text;

		return app.hasSource(i.file) ? { text: shown, act: () => app.openSource(i.file, i.line) } : shown;
	}

	function nextCall(number) {
		app.show("time");
		if (!app.views.time.jump(true, (f) => f === number) && !app.views.time.jump(false, (f) => f === number)) {
			app.find(app.functionOf(number)[0]);
			app.views.time.reset();
			app.views.time.note(app.label(number) + " has no call that is long enough to be kept. The strip above the calls shows where it ran.");
		}
		document.getElementById("time-canvas").focus();
	}

	function draw() {
		const box = document.getElementById("function");

		box.replaceChildren();
		if (current === null)
			current = 0;
		if (!has(current)) {
			box.append(make("p", "No function ran.", "soft"));
			return;
		}
		const name = typeof current === "number" ? data.functions[current][0] : current;
		const heading = make("h2", app.short(name), "name");

		heading.title = name;
		box.append(heading);
		if (app.short(name) !== name)
			box.append(make("p", name, "soft long"));
		code = typeof current === "number" ? codeOf(current) : null;
		if (typeof current === "number")
			drawNumber(box, current);
		const copies = app.inlined().filter((c) => c.name === name);

		drawInlined(box, copies, (c) => (c.into >= 0 ? c.into : "(other functions)"), "Copies of it, inlined into");
		for (const c of copies.slice(0, COPIES)) {
			const rows = c.into < 0 ? null : codeOf(c.into);

			if (rows)
				drawCode(box, c.into, rows.filter((i) => i.inlined === name), "Its instructions in " + app.label(c.into));
		}
	}

	app.views.function = { draw, fromLink, linkOf: () => linkOf(current), set: (what) => { current = what; },
		state: () => ({ current, name: typeof current === "number" ? data.functions[current][0] : current }) };
})();
