/* Names as they are shown: short ones, unless the long ones are wanted. */
"use strict";
(function () {
	const app = hartscope, kept = new Map();

	app.longNames = false;
	app.inlinedShown = true;

	/* A C++ or Rust name without what its templates and parameters are. */
	function cut(name) {
		const text = name.replace(/\(anonymous namespace\)/g, "{anonymous}")
			.replace(/std::(__cxx11::)?basic_string<char, std::char_traits<char>, std::allocator<char> >/g, "std::string");
		let out = "", depth = 0, braces = 0, i = 0;

		for (; i < text.length; i++) {
			const symbol = depth ? null : /^operator\s*(<=>|<<=|>>=|->\*|\(\)|\[\]|[-+*/%^&|=!<>~,]{1,2})/.exec(text.slice(i));
			const c = text[i];

			if (symbol && !/[\w$]$/.test(out)) {
				out += symbol[0];
				i += symbol[0].length - 1;
			} else if (c === "<") {
				out += depth++ ? "" : "<…";
			} else if (c === ">" && depth) {
				out += --depth ? "" : ">";
			} else if (depth) {
				i += c === "-" && text[i + 1] === ">" ? 1 : 0;
			} else if (c === "(" && !braces) {
				break;
			} else {
				braces += c === "{" ? 1 : c === "}" ? -1 : 0;
				out += c;
			}
		}
		const clone = /\[clone ([^\]]*)\]\s*$/.exec(text);
		const typed = /^(.*[^,])\s(?!.*\{)(\S+)$/.exec(out);

		if (typed && i < text.length && !/operator\s*$|\boperator\b|^(non-virtual|virtual|covariant|guard|vtable|typeinfo|construction)/.test(out))
			out = typed[2].replace(/^[*&]+/, "");
		return (out || name) + (clone ? " [" + clone[1] + "]" : "");
	}

	/* _D4core5thread3Foo3barMFZv: core.thread.Foo.bar */
	function fromD(name) {
		const parts = [];

		for (let rest = name.slice(2), m; (m = /^(\d+)/.exec(rest)) && rest.length >= m[1].length + +m[1];) {
			parts.push(rest.substr(m[1].length, +m[1]));
			rest = rest.slice(m[1].length + +m[1]);
		}
		return parts.length ? parts.join(".") : name;
	}

	function shorten(name) {
		let m;

		if ((m = /^__(\w+)_MOD_(\w+)$/.exec(name))) /* Fortran */
			return m[1] + "::" + m[2];
		if ((m = /^_ada_(\w+)$/.exec(name)))
			return m[1];
		if (/^_D\d/.test(name))
			return fromD(name);
		return /[<(]/.test(name) && !/^\(no symbol\)|^\(other/.test(name) ? cut(name) : name;
	}

	function memoised(name) {
		if (!kept.has(name))
			kept.set(name, shorten(name));
		return kept.get(name);
	}

	app.short = (name) => (app.longNames ? name : memoised(name));

	/* Of a function by its number. */
	app.label = (number) => app.short(app.functionOf(number)[0]);

	/* Does a name have what is looked for? */
	app.isFound = (name) => app.found !== "" && (name.toLowerCase().includes(app.found) ||
		memoised(name).toLowerCase().includes(app.found));
})();
