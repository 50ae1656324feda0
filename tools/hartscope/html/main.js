/* Tabs, the search, and what draws again. */
"use strict";
(function () {
	const app = hartscope, data = app.data;
	const tabs = Array.from(document.querySelectorAll("[role=tab]"));
	const find = document.getElementById("find");
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

	/* The browser's Back leads to the tab before. */
	function go(name) {
		if (name !== current)
			history.pushState({ tab: name }, "");
		show(name);
	}

	window.addEventListener("popstate", (event) => show(event.state ? event.state.tab : "summary"));
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
	find.addEventListener("input", function () {
		app.found = find.value.trim().toLowerCase();
		if (current === "summary") /* it has nothing to find */
			go("functions");
		else
			app.views[current].draw();
	});
	document.addEventListener("keydown", function (event) {
		if (event.key === "/" && document.activeElement !== find) {
			event.preventDefault();
			find.focus();
		}
	});
	const redraw = () => app.views[current].draw();

	window.addEventListener("resize", redraw);
	window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	document.title = data.title + " – Hartscope";
	document.getElementById("title").textContent = data.title;
	document.getElementById("facts").textContent = app.number(data.instructions) + " instructions, " +
		app.number(data.timeline.calls) + " calls, Hartscope " + data.version;
	app.show = go;
	show("summary");
	app.ready = performance.now() - app.begun;
})();
