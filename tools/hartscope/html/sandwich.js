/* A function with all that called it above and all that it called below, over all paths. */
"use strict";
(function () {
	const app = hartscope, ROW = 19, UP = 10, DOWN = 14, LEAST = 0.5;

	/* The nodes of a function that are not inside of another one of it. */
	function outermost(number) {
		const found = [], left = app.tree().callees.slice();

		while (left.length) {
			const node = left.pop();

			if (node.what === number)
				found.push(node);
			else
				left.push(...node.callees);
		}
		return found;
	}

	/* Pairs of a node and instructions as groups of one function, those with most first. */
	function group(pairs) {
		const groups = new Map();

		for (const [node, total] of pairs) {
			const g = groups.get(node.what) || { what: node.what, total: 0, pairs: [] };

			g.total += total;
			g.pairs.push([node, total]);
			groups.set(node.what, g);
		}
		return Array.from(groups.values()).sort((a, b) => b.total - a.total);
	}

	const callees = (pairs) => pairs.flatMap(([node]) => node.callees.map((c) => [c, c.total]));
	const callers = (pairs) => pairs.filter(([node]) => node.parent.depth >= 0).map(([node, total]) => [node.parent, total]);

	/* Cells of the groups next to one: what, instructions, where, how far from the function. */
	function place(cells, pairs, next, x, distance, most) {
		if (distance > most)
			return;
		for (const g of group(next(pairs))) {
			cells.push({ what: g.what, total: g.total, x, distance });
			place(cells, g.pairs, next, x, distance + 1, most);
			x += g.total;
		}
	}

	function draw(canvas, number, cells, all) {
		const wide = cells.filter((c) => c.total / all * canvas.parentElement.clientWidth >= LEAST);
		const reach = (list) => list.reduce((n, c) => Math.max(n, c.distance), 0);
		const up = reach(wide.filter((c) => c.up)), down = reach(wide.filter((c) => !c.up));
		const c = app.canvasOf(canvas, (up + down + 1) * ROW + 2), scale = c.width / all;
		const tail = " " + app.style("--sat") + " " + app.style("--light") + ")", text = app.style("--cell-text");

		for (const cell of wide) {
			cell.y = (up + (cell.up ? -cell.distance : cell.distance)) * ROW;
			cell.box = [cell.x * scale, cell.total * scale];
			app.cell(c.context, cell.box[0], cell.y, cell.box[1], ROW, "hsl(" + app.hue(app.functionOf(cell.what)[0]) + tail,
				app.label(cell.what), text);
		}
		c.context.strokeStyle = app.style("--fore");
		c.context.lineWidth = 2;
		c.context.strokeRect(1, up * ROW + 1, c.width - 2, ROW - 3);
		return wide;
	}

	/* Into a box: the cells of a function by its number; false: it is on no path of the page. */
	app.sandwich = function (box, number) {
		const nodes = outermost(number), pairs = nodes.map((n) => [n, n.total]);
		const all = nodes.reduce((n, node) => n + node.total, 0), up = [], down = [];

		if (!all)
			return false;
		place(up, pairs, callers, 0, 1, UP);
		place(down, pairs, callees, 0, 1, DOWN);
		up.forEach((cell) => { cell.up = true; });
		const scroll = app.make("div", undefined, "scroll"), canvas = app.make("canvas"), info = app.make("p", "", "soft");

		info.textContent = "Above: what called it, and their callers. Below: what it called. The tables have the same with numbers.";
		scroll.append(canvas);
		box.append(app.make("h2", "Callers and callees"), scroll, info);
		const cells = draw(canvas, number, [{ what: number, total: all, x: 0, distance: 0 }].concat(up, down), all);
		const cellAt = function (event) {
			const area = canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;

			return cells.find((c) => y >= c.y && y < c.y + ROW && x >= c.box[0] && x < c.box[0] + c.box[1]);
		};

		canvas.setAttribute("aria-hidden", "true");
		canvas.addEventListener("mousemove", function (event) {
			const cell = cellAt(event);

			canvas.style.cursor = cell ? "pointer" : "default";
			if (cell)
				info.textContent = app.label(cell.what) + ": " + app.number(cell.total) + " instructions, " +
					app.share(cell.total, all) + (cell.distance ? cell.up ? " of the function's come from here" : " of the function's are here" : "");
		});
		canvas.addEventListener("click", function (event) {
			const cell = cellAt(event);

			if (cell && cell.distance)
				app.open(cell.what);
		});
		return true;
	};
})();
