/* The source, with how often each line ran. */
"use strict";
(function () {
	const app = hartscope, data = app.data, make = app.make, sources = data.sources;
	let file = 0, hottest = false, wanted = "", line = 0, rowAt = null, lines = [], found = [], at = -1;

	const indexOf = (path) => sources.findIndex((s) => s.file === path);

	app.hasSource = (path) => indexOf(path) >= 0;

	/* The text of a line; "": the page has it not. */
	app.sourceText = function (path, number) {
		const s = sources[indexOf(path)];
		const l = s && s.lines.find((l) => l[0] === number);

		return l ? l[3] : "";
	};

	app.openSource = function (path, number) {
		go(path, number);
		app.show("source", "#source=" + encodeURIComponent(path + ":" + number));
	};

	function go(path, number) {
		const i = indexOf(path);

		if (i < 0)
			return;
		file = i;
		line = number;
		hottest = false;
		wanted = "";
	}

	/* ---- what is chosen -------------------------------------------------------------- */

	/* Draws again, and leaves the focus where it was. */
	function again(id) {
		draw();
		document.getElementById(id).focus();
	}

	function option(s, i) {
		const o = make("option", s.file.replace(/^.*\/([^/]*\/[^/]*)$/, "$1") + " (" +
			app.share(s.instructions, data.instructions) + ")");

		o.value = i;
		o.title = s.file;
		return o;
	}

	/* The files that have what was typed in their path. */
	function menu() {
		const select = make("select"), input = make("input"), label = make("label", "File ");
		const fill = function () {
			const rows = sources.map((s, i) => [s, i]).filter(([s]) => s.file.toLowerCase().includes(wanted.toLowerCase()));

			select.replaceChildren(...rows.map(([s, i]) => option(s, i)));
			select.value = file;
			return rows;
		};

		input.type = "search";
		input.id = "source-search";
		input.placeholder = "search files";
		input.setAttribute("aria-label", "Search files");
		input.value = wanted;
		input.addEventListener("input", function () {
			wanted = input.value;
			const rows = fill();

			if (rows.length && !rows.some(([, i]) => i === file)) {
				file = rows[0][1];
				line = 0;
				again("source-search");
			}
		});
		fill();
		select.id = "source-file";
		select.addEventListener("change", function () {
			file = +select.value;
			line = 0;
			again("source-file");
		});
		label.append(select);
		return [input, label];
	}

	function choice() {
		const label = make("label", " Hottest lines first"), check = make("input");

		check.type = "checkbox";
		check.id = "source-hottest";
		check.checked = hottest;
		check.addEventListener("change", function () {
			hottest = check.checked;
			again("source-hottest");
		});
		label.prepend(check);
		return label;
	}

	/* ---- lines that are found -------------------------------------------------------- */

	function mark(number) {
		document.querySelectorAll("#source tr.current").forEach((tr) => tr.classList.remove("current"));
		const tr = number >= 0 ? rowAt(number) : null;

		if (!tr)
			return;
		tr.classList.add("current");
		const scroll = tr.closest(".scroll");

		scroll.scrollTop = tr.offsetTop - scroll.clientHeight / 2;
	}

	function sayFound() {
		document.getElementById("source-found").textContent = app.found === "" ? "" : found.length ? "Line " +
			app.number(at + 1) + " of " + app.number(found.length) + " that have it. Enter: the next one." :
			"No line of this file has it." + (sources.some(has) ? " Enter: the next file that has." : "");
	}

	const has = (s) => s.lines.some((l) => app.isFound(l[3]));

	/* After the last line that is found, the next file that has one. */
	function otherFile(forwards) {
		for (let n = 1; n < sources.length; n++) {
			const i = (file + (forwards ? n : sources.length - n)) % sources.length;

			if (has(sources[i])) {
				file = i;
				wanted = "";
				line = 0;
				draw();
				return true;
			}
		}
		return false;
	}

	/* The next line that is found, or the one before. */
	function next(forwards) {
		const more = at + (forwards ? 1 : -1);

		if ((more < 0 || more >= found.length) && app.found !== "" && otherFile(forwards))
			return;
		if (found.length) {
			at = (more + found.length) % found.length;
			mark(found[at]);
		}
		sayFound();
	}

	function draw() {
		const box = document.getElementById("source");

		box.replaceChildren();
		if (!sources.length) {
			box.append(make("p", "The program has no line information, or its source is not here.", "soft"));
			return;
		}
		if (sources.length < data.sourceCount)
			box.append(make("p", "The page has the hottest " + app.number(sources.length) + " of " +
				app.number(data.sourceCount) + " files: coverage --show lines shows the others.", "warn"));
		const bar = make("div", undefined, "bar"), s = sources[file], says = make("span");

		says.id = "source-found";
		says.setAttribute("aria-live", "polite");
		bar.append(...menu(), choice(), says);
		box.append(bar, make("p", s.file, "soft long"));
		const most = s.lines.reduce((n, l) => Math.max(n, l[2]), 1);

		lines = hottest ? s.lines.filter((l) => l[2]).sort((a, b) => b[2] - a[2]) : s.lines;
		found = [];
		lines.forEach(function (l, i) {
			if (app.isFound(l[3]))
				found.push(i);
		});
		rowAt = app.table(box, [["Line", "", (l) => String(l[0])], ["Times", "", (l) => (l[2] ? app.number(l[1]) : "")],
			["Instructions", "", (l) => ({ text: l[2] ? app.number(l[2]) : "", share: 100 * l[2] / most })],
			["Source", "code", (l) => l[3]]], lines, (l) => app.isFound(l[3]), null,
		(l, i) => (l[2] ? "" : "idle") + (!hottest && i && lines[i - 1][0] + 1 !== l[0] ? " skip" : ""));
		at = -1;
		if (line)
			mark(lines.findIndex((l) => l[0] === line));
		else if (found.length)
			mark(found[at = 0]);
		sayFound();
	}

	function search() {
		line = 0;
		draw();
	}

	app.views.source = { draw, go, next, find: search, state: () => ({ file: sources[file] && sources[file].file, line, found: found.length, at,
		rows: lines.length }) };
})();
