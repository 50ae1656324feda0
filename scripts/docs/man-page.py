#!/usr/bin/env python3
"""Make a man page of a page of docs/.

    scripts/docs/man-page.py NAME SECTION VERSION PAGE.md [COMMANDS.md] >NAME.SECTION

A page of docs/cli has the text of --help between "```text" and "```": its parts become the sections
of the man page.  COMMANDS.md is the table with what each command does, for the first line.
"""

import re
import sys

PARTS = {"Options:": "OPTIONS", "Example:": "EXAMPLES"}
OPTION = re.compile(r"  (-\w, |    )(--[a-z-]+)(\S*)( \S+)?(  +(\S.*))?$")
ROW = re.compile(r"  (\S+)(  +(\S.*))?$")


def escape(text):
    """Text as roff has it."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = re.sub(r"[^\x00-\x7f]", lambda m: "\\[u%04X]" % ord(m.group()), text.expandtabs())
    return re.sub(r"^\.", r"\\&.", text.replace("`", "\\(ga"))


def inline(text):
    """Emphasis, code and links of Markdown."""
    text = re.sub(r"\[([^]]*)\]\(([^)]*)\)", r"\1", text)
    parts = re.split(r"(`+[^`]+`+)", text)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = "\\fB" + escape(part.strip("`")) + "\\fR"
            continue
        bold = re.split(r"\*\*(.+?)\*\*", part)
        for k, piece in enumerate(bold):
            italic = re.split(r"(?<!\w)\*(\S.*?)\*(?!\w)", piece)
            bold[k] = "".join(("\\fI" + escape(t) + "\\fR") if n % 2 else escape(t)
                              for n, t in enumerate(italic))
            if k % 2:
                bold[k] = "\\fB" + bold[k] + "\\fR"
        parts[i] = "".join(bold)
    return "".join(parts)


def literal(lines):
    """Lines as they are."""
    return [".PP", ".RS 4", ".nf", *(escape(line) for line in lines), ".fi", ".RE"]


# ---- the text of --help ----------------------------------------------------------------------


def rows(lines):
    """A list of --help: entries, with the lines of each joined."""
    out = []
    for line in lines:
        option, row = OPTION.match(line), ROW.match(line)
        if option:
            short, name, glued, value, _, text = option.groups()
            head = "\\fB" + escape(short.strip()) + ("\\fR " if short.strip() else "\\fR")
            head += "\\fB" + escape(name) + "\\fR" + escape(glued)
            out += [".TP", head + (" \\fI" + escape(value.strip()) + "\\fR" if value else "")]
        elif row:
            out += [".TP", "\\fB" + escape(row.group(1)) + "\\fR"]
            text = row.group(3)
        else:
            text = line.strip()
        if text:
            out.append(escape(text))
    return out


def usage(lines):
    """SYNOPSIS and DESCRIPTION."""
    out = [".SH SYNOPSIS"]
    end = lines.index("") if "" in lines else len(lines)
    forms = []
    for line in lines[:end]:
        line = re.sub(r"^Usage: ", "", line).rstrip()
        if line.startswith("           "):
            forms[-1] += " " + line.strip()
        else:
            forms.append(line.strip())
    for i, form in enumerate(forms):
        words = form.split(" ")
        bold = 2 if words[0] == "hartscope" else 1
        out += [".br"] if i else []
        out.append(".B " + escape(" ".join(words[:bold])))
        out.append(escape(" ".join(words[bold:])))
    out.append(".SH DESCRIPTION")
    for line in lines[end + 1:]:
        out.append(escape(line) if line else ".PP")
    return out


def help_text(text):
    """All of --help."""
    parts = [["", []]]
    for line in text:
        if re.match(r"[A-Z][^ ]*( .*)?:$", line):
            parts.append([line, []])
        elif parts[-1][1] or line or len(parts) == 1:
            parts[-1][1].append(line)
    out = []
    for head, lines in parts:
        while lines and not lines[-1]:
            lines.pop()
        plain = [line for line in lines if line and line[0] != " "] if head else []
        lines = [line for line in lines if not head or not line or line[0] == " "]
        if not head:
            if lines:
                out += usage(lines)
        elif head == "Example:":
            out += [".SH EXAMPLES", *literal([line[2:] for line in lines])]
        else:
            out += [".SH " + escape(PARTS.get(head, head.rstrip(":").upper()))]
            out += rows([line for line in lines if line])
        for line in plain:
            out += [".PP", escape(line)]
    return out


# ---- Markdown ----------------------------------------------------------------------------------


def table(lines):
    """A table: the first column is what the others are about."""
    cells = [[c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
             for line in lines]
    names = cells[0]
    out = []
    for row in cells[2:]:
        out += [".TP", inline(row[0]) or "\\&"]
        rest = [inline(c) if i == 0 or not names[i + 1] or len(row) == 2
                else inline(names[i + 1]) + ": " + inline(c)
                for i, c in enumerate(row[1:]) if c and i + 1 < len(names)]
        out.append("; ".join(rest).replace("\\|", "|") or "\\&")
    return out + [".PP"]


def paragraph(lines):
    """Text, or a list."""
    out = []
    for line in lines:
        item = re.match(r"\s*([-*]|\d+\.) (.*)", line)
        if item:
            mark = "\\(bu" if item.group(1) in "-*" else item.group(1)
            out += [f".IP {mark} 4", inline(item.group(2))]
        else:
            out.append(inline(line.strip()))
    return ([] if out[0].startswith(".IP") else [".PP"]) + out


def markdown(lines, out, top):
    """Blocks of Markdown; the text of --help goes to @top."""
    i = 0
    while i < len(lines):
        line = lines[i]
        end = i + 1
        if line.startswith("```"):
            while not lines[end].startswith("```"):
                end += 1
            block = lines[i + 1:end]
            if line == "```text":
                top += help_text(block)
                if out and out[-1].startswith(".S"):
                    out.pop()
            else:
                out += literal(block)
            end += 1
        elif line.startswith("    "):
            while end < len(lines) and (lines[end].startswith("    ") or
                                        (not lines[end] and lines[end + 1:end + 2] and
                                         lines[end + 1].startswith("    "))):
                end += 1
            out += literal([text[4:] for text in lines[i:end]])
        elif line.startswith("#"):
            level, text = re.match(r"(#+) (.*)", line).groups()
            section = len(level) < 3 and not top
            out.append(".SH " + inline(text).upper() if section and "`" not in text
                       else ".SS " + inline(text))
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            out += table(lines[i:end])
        elif line.strip():
            while end < len(lines) and lines[end].strip() and \
                    not re.match(r"#|```|\|", lines[end]):
                end += 1
            out += paragraph(lines[i:end])
        i = end


def summary(name, title, commands):
    """What the first line says."""
    if name == "hartscope":
        return "show exactly what a RISC-V hart executed"
    row = re.search(r"\| \[" + name.removeprefix("hartscope-") + r"\]\([^)]*\) \| (.*?) \|",
                    commands)
    if row:
        return row.group(1)
    return title[0].lower() + title[1:]


def main():
    """The page on standard output."""
    name, section, version, path = sys.argv[1:5]
    commands = ""
    if len(sys.argv) > 5:
        with open(sys.argv[5], encoding="utf-8") as f:
            commands = f.read()
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    title = lines[0].lstrip("# ")
    top, out = [], []
    markdown(lines[1:], out, top)
    if top and out:
        out = [".SH NOTES", *out]
    elif out and not out[0].startswith(".SH"):
        out = [".SH DESCRIPTION", *out]
    if name == "hartscope":
        top = [".SH SYNOPSIS", ".B hartscope", "COMMAND [OPTION]... [FILE]..."]
    kind = "User Commands" if section == "1" else "Hartscope"
    print(f'.TH {name.upper()} {section} "" "hartscope {version}" "{kind}"')
    print(".nh\n.ad l")
    print(".SH NAME")
    print(escape(name) + " \\- " + inline(summary(name, title, commands)))
    print("\n".join(top + out))
    print(".SH SEE ALSO")
    print(".BR hartscope (1)")


if __name__ == "__main__":
    main()
