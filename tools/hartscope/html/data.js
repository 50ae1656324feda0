/* The run's data, and what all views share. */
"use strict";
const hartscope = { begun: performance.now(), views: {}, found: "" };

/* Numbers of a list: base64 of LEB128. */
hartscope.unpack = function (text) {
	const bytes = atob(text), numbers = [];
	let value = 0, scale = 1;

	for (let i = 0; i < bytes.length; i++) {
		const byte = bytes.charCodeAt(i);

		value += (byte & 127) * scale;
		scale *= 128;
		if (byte < 128) {
			numbers.push(value);
			value = 0;
			scale = 1;
		}
	}
	return numbers;
};

hartscope.data = JSON.parse(document.getElementById("data").textContent);
hartscope.others = ["(other functions)", "", 0, 0, 0, 0, 0, ""];
hartscope.functionOf = (n) => hartscope.data.functions[n] || hartscope.others;
hartscope.number = (n) => n.toLocaleString("en-US");
hartscope.share = (part, all) => (all ? (100 * part / all).toFixed(2) : "0.00") + " %";

/* How a count changed: "+1,234 (+5.0 %)". */
hartscope.change = function (now, before) {
	const sign = now < before ? "−" : "+", by = Math.abs(now - before);

	return now === before ? "the same" : sign + hartscope.number(by) +
		(before ? " (" + sign + (100 * by / before).toFixed(1) + " %)" : "");
};

hartscope.style = function (name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
};

/* A colour for a text: the same text, the same colour. */
hartscope.hue = function (text) {
	let h = 7;

	for (let i = 0; i < text.length; i++)
		h = (h * 31 + text.charCodeAt(i)) % 100003;
	return h % 360;
};

/* An element with text; children are elements. */
hartscope.make = function (tag, text, className) {
	const element = document.createElement(tag);

	if (text !== undefined)
		element.textContent = text;
	if (className)
		element.className = className;
	return element;
};

/* A canvas as wide as its box; its context, scaled to CSS pixels. */
hartscope.canvasOf = function (canvas, height) {
	const ratio = Math.min(window.devicePixelRatio || 1, height > 8000 ? 1 : 2);
	const width = canvas.parentElement.clientWidth;

	canvas.width = Math.max(1, Math.floor(width * ratio));
	canvas.height = Math.max(1, Math.floor(height * ratio));
	canvas.style.height = height + "px";
	const context = canvas.getContext("2d");

	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	context.font = "12px system-ui, sans-serif";
	context.textBaseline = "middle";
	return { context, width, height };
};

/* The border of a cell of an inlined function. */
hartscope.dash = function (context, x, y, width, height) {
	context.strokeStyle = hartscope.style("--fore");
	context.lineWidth = 1;
	context.setLineDash([4, 3]);
	context.strokeRect(x + 0.5, y + 0.5, width - 2, height - 2);
	context.setLineDash([]);
};

/* A cell with as much of a name as fits, and a thin line at its end. */
hartscope.cell = function (context, x, y, width, height, fill, name, textColour) {
	context.fillStyle = fill;
	context.fillRect(x, y, Math.max(width, 0.5), height - 1);
	if (width > 3) {
		context.fillStyle = "rgb(128 128 128 / 0.5)";
		context.fillRect(x + width - 1, y, 1, height - 1);
	}
	if (width < 24)
		return;
	const room = Math.floor((width - 8) / 6.2);
	const text = name.length > room ? name.slice(0, Math.max(room - 1, 1)) + "…" : name;

	context.fillStyle = textColour;
	context.fillText(text, x + 4, y + height / 2, width - 6);
};
