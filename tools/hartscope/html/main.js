/* Tabs, the search, links to places, and what draws again. */
"use strict";
(function () {
	const app = hartscope, data = app.data;
	const tabs = Array.from(document.querySelectorAll("[role=tab]"));
	const find = document.getElementById("find"), long = document.getElementById("long-names");
	let current = "summary";

	function show(name) {
		current = name;
		for (const tab of tabs) {
			const on = tab.getAttribute("aria-controls") === name;

			tab.setAttribute("aria-selected", on);
			tab.tabIndex = on ? 0 : -1;
			document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
		}
		app.views[name].draw();
	}

	/* ---- links ----------------------------------------------------------------------- */

	/* #TAB, #function=NAME, #source=FILE:LINE, #range=HART:FROM-TO */
	const places = {
		function: function (text) {
			app.views.function.set(app.views.function.fromLink(text));
			show("function");
		},
		source: function (text) {
			const m = /^(.*):(\d+)$/.exec(text);

			app.views.source.go(m ? m[1] : text, m ? +m[2] : 0);
			show("source");
		},
		range: function (text) {
			const m = /^(\d+|all):(time:)?(\d+)-(\d+)$/.exec(text);

			show("time");
			if (m)
				app.views.time.select({ hart: m[1] === "all" ? null : +m[1], axis: m[2] ? "time" : "instructions",
					from: +m[3], to: +m[4] }, true);
		},
	};

	/* Show what a link names; false: there is no such place. */
	function follow(hash) {
		window.scrollTo(0, 0); /* not to the element of that name */
		const m = /^#(\w+)(?:=(.*))?$/.exec(hash);
		let text = "";

		try {
			text = m && m[2] ? decodeURIComponent(m[2]) : "";
		} catch (e) {
			return false;
		}
		if (m && m[2] !== undefined && Object.hasOwn(places, m[1]))
			places[m[1]](text);
		else if (m && Object.hasOwn(app.views, m[1]))
			show(m[1]);
		else
			return false;
		return true;
	}

	/* The browser's Back leads to the place before. */
	app.setLink = function (hash) {
		if (hash !== location.hash)
			history.pushState(null, "", hash);
	};

	function go(name, hash) {
		app.setLink(hash || "#" + (name === "function" ? app.views.function.linkOf().slice(1) : name));
		show(name);
	}

	window.addEventListener("popstate", () => follow(location.hash) || show("summary"));

	/* ---- tabs and Find --------------------------------------------------------------- */

	tabs.forEach(function (tab, i) {
		tab.addEventListener("click", () => go(tab.getAttribute("aria-controls")));
		tab.addEventListener("keydown", function (event) {
			const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];

			if (!step)
				return;
			const next = tabs[(i + step + tabs.length) % tabs.length];

			next.focus();
			go(next.getAttribute("aria-controls"));
		});
	});
	function search() {
		app.found = find.value.trim().toLowerCase();
		if (current === "summary" || current === "function") /* they have nothing to find */
			go("functions");
		else if (app.views[current].find)
			app.views[current].find();
		else
			app.views[current].draw();
	}
	find.addEventListener("input", search);
	find.addEventListener("keydown", function (event) {
		if (event.key === "Enter" && app.views[current].next)
			app.views[current].next(!event.shiftKey);
	});
	app.find = function (text) {
		find.value = text;
		search();
	};
	document.addEventListener("keydown", function (event) {
		if (event.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) {
			event.preventDefault();
			find.focus();
		}
	});
	const redraw = () => app.views[current].draw();

	long.addEventListener("change", function () {
		app.longNames = long.checked;
		redraw();
	});
	/* The switch for inlined functions is in several tabs. */
	document.addEventListener("change", function (event) {
		const { id, checked } = event.target;

		if (!event.target.matches(".inlined-too"))
			return;
		app.inlinedShown = checked;
		for (const box of document.querySelectorAll(".inlined-too"))
			box.checked = checked;
		app.views.flame.renew();
		redraw();
		document.getElementById(id).focus();
	});
	window.addEventListener("resize", redraw);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	const title = data.title + (data.before ? " against " + data.before.title : "");

	document.title = title + " – Hartscope";
	document.getElementById("title").textContent = title;
	document.getElementById("facts").textContent = app.number(data.instructions) + " instructions, " +
		app.number(data.timeline.calls) + " calls, Hartscope " + data.version;
	app.show = go;
	if (!follow(location.hash))
		show("summary");
	app.ready = performance.now() - app.begun;
})();
