/* The flame graph: callers above, widths by instructions. */
"use strict";
(function () {
	const app = hartscope, ROW = 20, ROWS_MAX = 700;
	const marks = [" [?]", "", " [trap]", " [signal]", ""];
	const canvas = document.getElementById("flame-canvas");
	const info = document.getElementById("flame-info");
	const shape = document.getElementById("flame-shape");
	let root = null, nodes = null, selected = null, zoom = null, most = 1;

	document.getElementById("flame-inlined-label").hidden = Boolean(app.data.before);
	document.getElementById("flame-before").hidden = !app.data.before;

	/* Nodes come after their callers: [depth, function and how, self, total, calls]. */
	function read() {
		const v = app.unpack(app.data.flame), path = [];
		const w = app.data.before ? app.unpack(app.data.flameBefore) : null;

		root = { depth: -1, self: 0, total: 0, calls: 0, callees: [], children: [], inlines: [], x: 0, name: "all",
			before: { total: 0 } };
		for (let i = 0; i < v.length; i += 5) {
			const parent = v[i] ? path[v[i] - 1] : root, what = Math.floor(v[i + 1] / 8), f = app.functionOf(what);
			const node = { depth: v[i], name: f[0], what, mark: marks[v[i + 1] & 7], library: f[1],
				self: v[i + 2], total: v[i + 3], calls: v[i + 4], parent, callees: [], children: [], hue: app.hue(f[0]) };

			parent.callees.push(node);
			path[v[i]] = node;
			if (w) {
				node.before = { self: w[3 * i / 5], total: w[3 * i / 5 + 1], calls: w[3 * i / 5 + 2] };
				most = Math.max(most, Math.abs(node.total - node.before.total));
			}
			if (!v[i]) {
				root.total += node.total;
				root.before.total += w ? node.before.total : 0;
			}
		}
		zoom = root;
	}

	/* All that the page has of the tree of calls. */
	app.tree = function () {
		if (!root)
			read();
		return root;
	};

	/* What was inlined into functions, by their number. */
	function copiesOf() {
		const copies = new Map();

		for (const c of app.inlined())
			copies.set(c.into, (copies.get(c.into) || []).concat(c));
		return copies;
	}

	/* What of a node's own instructions was inlined into it.  The counts are those of all paths: where
	 * others have the function, too, they are shared out evenly. */
	function inlinesOf(node, copies) {
		const all = node.depth < 0 ? 0 : app.functionOf(node.what)[2], exact = node.self === all;

		if (!all || !node.self)
			return [];
		return (copies.get(node.what) || []).map((c) => ({ depth: node.depth + 1, name: c.name, what: c.name, inlined: true, exact,
			mark: exact ? " [inlined]" : " [inlined, about]", library: "", self: Math.round(node.self * c.self / all),
			total: Math.round(node.self * c.self / all), calls: 0, parent: node, children: [], callees: [],
			hue: app.hue(c.name) })).sort((x, y) => y.total - x.total);
	}

	/* The nodes that are shown, each after its caller, and where they are. */
	function build() {
		const copies = app.inlinedShown && !app.data.before ? copiesOf() : new Map(), left = [root];

		const sizeOf = (node) => (shape.checked ? node.before.total : node.total);

		nodes = [];
		root.size = sizeOf(root);
		while (left.length) {
			const node = left.pop();
			let x = node.x;

			if (node !== root)
				nodes.push(node);
			node.children = node.callees.concat(node.inlined ? [] : inlinesOf(node, copies)).filter((n) => sizeOf(n));
			node.children.forEach(function (child, place) {
				child.x = x;
				child.place = place;
				child.size = sizeOf(child);
				x += child.size;
			});
			for (let i = node.children.length; i-- > 0;)
				left.push(node.children[i]);
		}
		selected = nodes[0] || root;
	}

	function isInside(node, outer) {
		while (node && node !== outer)
			node = node.parent;
		return node === outer;
	}

	/* As many rows as can be seen, and one below them. */
	function levels() {
		const least = 0.4 * zoom.size / (canvas.parentElement.clientWidth || 1);
		let most = 1;

		for (const node of nodes)
			if (node.depth > most && node.size >= least && node.x < zoom.x + zoom.size &&
			    node.x + node.size > zoom.x)
				most = node.depth;
		return Math.min(most + 2, ROWS_MAX);
	}

	function draw() {
		if (!root)
			read();
		if (!nodes)
			build();
		const c = app.canvasOf(canvas, levels() * ROW);
		const scale = c.width / (zoom.size || 1), text = app.style("--cell-text");
		const tail = " " + app.style("--sat") + " " + app.style("--light") + ")";
		const hit = app.style("--hit");

		for (const node of nodes) {
			const above = node.depth <= zoom.depth && isInside(zoom, node);
			const width = above ? c.width : node.size * scale;
			const x = above ? 0 : (node.x - zoom.x) * scale;

			if (width < 0.4 || x + width <= 0 || x >= c.width || node.depth >= ROWS_MAX ||
			    (!above && node.depth <= zoom.depth))
				continue;
			const found = app.isFound(node.name);

			app.cell(c.context, Math.max(x, 0), node.depth * ROW,
				Math.min(width, c.width - Math.max(x, 0)), ROW,
				found ? hit : colourOf(node, tail), labelOf(node),
				found ? app.style("--hit-text") : text);
			node.box = [x, width];
			if (node.inlined && width > 4)
				app.dash(c.context, Math.max(x, 0), node.depth * ROW, Math.min(width, c.width - Math.max(x, 0)), ROW);
			if (node === selected) {
				c.context.strokeStyle = app.style("--fore");
				c.context.lineWidth = 2;
				c.context.strokeRect(Math.max(x, 1), node.depth * ROW + 1,
					Math.max(Math.min(width, c.width - 2) - 2, 1), ROW - 3);
			}
		}
		showFound();
		if (!info.textContent)
			describe(zoom);
	}

	/* Red takes more than in the run before, blue less; grey the same. */
	function colourOf(node, tail) {
		const more = node.before ? node.total - node.before.total : 0;

		return !node.before ? "hsl(" + node.hue + tail : "hsl(" + (more > 0 ? 5 : 215) + " " +
			Math.round(85 * Math.sqrt(Math.abs(more) / most)) + "% " + app.style("--light") + ")";
	}

	const labelOf = (node) => (node.depth < 0 ? "all" : app.short(node.name) + node.mark);

	/* What is found, without what is inside of something found. */
	function showFound() {
		let sum = 0, depth = Infinity, count = 0;

		for (const node of nodes) {
			if (node.depth <= depth)
				depth = Infinity;
			if (!app.isFound(node.name))
				continue;
			count++;
			if (depth === Infinity) {
				sum += node.total;
				depth = node.depth;
			}
		}
		document.getElementById("flame-found").textContent = app.found === "" ? ""
			: count + " found, " + app.share(sum, app.data.instructions) + " of all instructions";
	}

	function describe(node) {
		const all = app.data.instructions;
		const more = node.inlined ? ", inlined into " + app.short(node.parent.name) + (node.exact ? ""
			: ", which is on several paths: its inlined functions are shared out evenly")
			: ", itself " + app.number(node.self) + " (" + app.share(node.self, all) + "), " + app.number(node.calls) +
			(node.calls === 1 ? " call" : " calls") + (node.depth > 0 ? " from " + app.short(node.parent.name) : "");

		app.say(info, node.depth < 0 ? "all: " + app.number(node.total) + " instructions"
			: labelOf(node) + (node.library ? "  [" + node.library + "]" : "") + ": " + app.number(node.total) +
			" instructions (" + app.share(node.total, all) + ")" + more +
			(app.data.before ? "; before: " + app.number(node.before.total) + ", " + app.change(node.total, node.before.total)
				: ""), node.what);
	}

	function nodeAt(event) {
		const box = canvas.getBoundingClientRect();
		const depth = Math.floor((event.clientY - box.top) / ROW);
		const scale = box.width / (zoom.size || 1);
		const at = zoom.x + (event.clientX - box.left) / scale;

		for (let n = zoom; n; n = n.parent)
			if (n.depth === depth)
				return n;
		return nodes.find((n) => n.depth === depth && at >= n.x && at < n.x + n.size);
	}

	function zoomTo(node) {
		zoom = node;
		selected = node.depth < 0 ? nodes[0] : node;
		describe(node);
		draw();
	}

	function select(node) {
		if (!node || node.depth < 0)
			return;
		selected = node;
		if (!isInside(node, zoom) && !isInside(zoom, node))
			zoom = node.parent;
		describe(node);
		draw();
	}

	canvas.addEventListener("click", function (event) {
		const node = nodeAt(event);

		if (node)
			zoomTo(node);
	});
	canvas.addEventListener("mouseleave", () => describe(selected && selected.depth >= 0 && zoom.depth >= 0 ? selected : zoom));
	canvas.addEventListener("mousemove", function (event) {
		const node = nodeAt(event);

		if (node)
			describe(node);
		canvas.style.cursor = node ? "pointer" : "default";
	});
	canvas.addEventListener("keydown", function (event) {
		const beside = (step) => selected.parent.children[selected.place + step];
		const moves = { ArrowDown: () => select(selected.children[0]),
			ArrowUp: () => select(selected.parent), ArrowLeft: () => select(beside(-1)),
			ArrowRight: () => select(beside(1)), Enter: () => zoomTo(selected),
			f: () => app.open(selected.what), Escape: () => zoomTo(root) };

		if (!selected || !selected.parent || !moves[event.key])
			return;
		event.preventDefault();
		moves[event.key]();
	});
	document.getElementById("flame-reset").addEventListener("click", () => zoomTo(root));
	shape.addEventListener("change", function () {
		nodes = null;
		zoom = root;
		draw();
	});
	/* The nodes become others. */
	function renew() {
		nodes = null;
		zoom = zoom && zoom.inlined ? zoom.parent : zoom;
	}
	app.views.flame = { draw, renew, state: () => ({ zoom: labelOf(zoom), selected: labelOf(selected),
		nodes: nodes.length, box: selected.box }),
	changes: () => nodes.map((n) => ({ name: n.name, depth: n.depth, total: n.total, before: n.before.total, size: n.size,
		colour: colourOf(n, "") })),
	inlined: () => nodes.filter((n) => n.inlined).map((n) => ({ name: n.name, total: n.total, exact: n.exact })) };
})();
