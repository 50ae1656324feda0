"""The rules of style that a program can see, over sources and documents below the current folder.

Prints findings, and one "ok" or "not ok" line a rule.  A rule with a number in style-ratchet.txt allows
that many findings; the number may only shrink.

    style.py RATCHET
"""
import os
import re
import sys

FUNCTION_LIMIT = 80
FILE_LIMIT = 800
WIDTH_LIMIT = 100
ROW_LIMIT = 120  # a row of a table, where wrapping would ruin it
TEXT_LIMIT = 40  # what a string counts at most
TAB = 8

FOLDERS = ("include", "src", "tools", "plugins", "tests", "bench", "examples", "firmware", "scripts")
C_ENDS = (".c", ".h", ".def")
ALL_ENDS = C_ENDS + (".S", ".sh", ".py")
DOCUMENTS = ("docs", "docs/cli", "docs/design")  # *.md in each

# Comments and texts have the field's words in place of these (CONTRIBUTING.md).
WORDS = re.compile(r"\b(tells?|told|telling|behind|beside|at hand|whoever|own(s|ed)? up|blam(e|es|ed)|hand(s|ed)? over|"
                   r"(lose|loses|lost) (its|the) place)\b", re.IGNORECASE)
# Documents have more of them, as they name no files or functions.  One word may be on two lines.
PROSE = re.compile(WORDS.pattern.replace(" ", r"\s+") + r"|\b(besides|in\s+place\s+of|in\s+(its|their)\s+place|"
                   r"(un)?foreseen?|unseen|seams?|crews?|relays?|what\s+(precedes|follows))\b", re.IGNORECASE)
# Not prose: code, what a script writes between comments, code in a line, quotes, targets of links.
NOT_PROSE = (re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE),
             re.compile(r"^( {4}|\t).*", re.MULTILINE),
             re.compile(r"^<!-- (.*?) -->.*?^<!-- end of .*? -->", re.DOTALL | re.MULTILINE),
             re.compile(r"`(?:[^`\n]|\n(?!\n))+`"), re.compile(r'"(?:[^"\n]|\n(?![\n|]))+"'),
             re.compile(r"\]\([^)\s]*\)"))
ROW = re.compile(r'\t*([{".}]|0x|[0-9]|[A-Z][A-Z0-9_]+[(,])')
VAGUE = re.compile(r"^static\b[^=;]*?\b\**(take|put|find|get)\(")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')
ANY_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')

status = 0
ratchet = {}


def verdict(rule, findings):
    """One line for a rule, after what breaks it."""
    global status
    limit = ratchet.get(rule, 0)
    good = len(findings) <= limit
    if not good:
        for line in findings[:20]:
            print("  " + line)
        status = 1
    text = rule if limit == 0 and good else "%s: %d found, %d allowed" % (rule, len(findings), limit)
    print("%s - %s" % ("ok" if good else "not ok", text))


def too_wide(path, line):
    """Columns of a line that has too many, else 0."""
    row = path.endswith(".def") or (path.startswith("tests/") and path.endswith(C_ENDS) and ROW.match(line))
    limit = ROW_LIMIT if row else WIDTH_LIMIT
    columns = len(line.expandtabs(TAB))
    if columns > limit:  # a text or pattern is not cut: it is searched for
        literal = LITERAL if path.endswith(C_ENDS) else ANY_LITERAL
        columns = len(literal.sub(lambda text: text.group(0)[:TEXT_LIMIT], line.expandtabs(TAB)))
    return columns if columns > limit else 0


def at(path, text, offset):
    """PATH:LINE of an offset."""
    return "%s:%d" % (path, text.count("\n", 0, offset) + 1)


def functions(path, lines):
    """(place, lines) of each function: from its brace in the first column to the closing one."""
    start = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            yield "%s:%d" % (path, start), number - start + 1
            start = 0


def conditions(code):
    """(offset, text) of each condition of an if or while."""
    for found in re.finditer(r"\b(?:if|while) \(", code):
        depth, end = 1, found.end()
        while depth and end < len(code):
            depth += (code[end] == "(") - (code[end] == ")")
            end += 1
        yield found.start(), code[found.end():end - 1]


def blank(match):
    """Comments and strings as spaces, so that offsets stay."""
    return re.sub(r"[^\n]", " ", match.group(0))


def words_in(path, text):
    """Banned words in comments, and in the texts of src and tools."""
    with_strings = path.startswith(("src/", "tools/"))
    for token in TOKEN.finditer(text):
        if token.group(0)[0] == "/" or (with_strings and token.group(0)[0] == '"'):
            for word in WORDS.finditer(token.group(0)):
                yield "%s: %s" % (at(path, text, token.start() + word.start()), word.group(0))


def shell_words(path, lines):
    """The same in the comments of scripts and Python."""
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            for word in WORDS.finditer(line):
                yield "%s:%d: %s" % (path, number, word.group(0))


def prose_words(path, text):
    """Those of PROSE in the sentences of a document."""
    for code in NOT_PROSE:
        text = code.sub(blank, text)
    for word in PROSE.finditer(text):
        yield "%s: %s" % (at(path, text, word.start()), " ".join(word.group(0).split()))


def late_status(path, lines):
    """$? after $(...) in the same command: it is the status of what stands in the parentheses."""
    for number, line in enumerate(lines, 1):
        if re.search(r'\$\([^()]*\)[^;|&]*\s"?\$\?', line) and not line.lstrip().startswith("#"):
            yield "%s:%d" % (path, number)


def check_documents():
    """The rule of words over every document."""
    found = []
    for folder in DOCUMENTS:
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if name.endswith(".md"):
                with open(os.path.join(folder, name), encoding="utf-8") as source:
                    found += prose_words(os.path.join(folder, name), source.read())
    verdict("documents have the field's words", found)


def check(paths):
    """Every rule over every source."""
    found = {name: [] for name in (
        "no function above %d lines" % FUNCTION_LIMIT, "no file above %d lines" % FILE_LIMIT,
        "tabs indent, and no line ends in space", "a comment begins each file",
        "no line above %d columns, no row above %d" % (WIDTH_LIMIT, ROW_LIMIT), "no assignment in a condition",
        "a static function says what it takes, puts, finds or gets", "comments and texts have the field's words",
        "no status is read after $() in its command", "what begins with #! can be run")}
    (long_functions, long_files, spaces, heads, wide, assigned, vague, words, late,
     unrun) = found.values()
    lengths = []
    for path in paths:
        with open(path, encoding="utf-8") as source:
            text = source.read()
        lines = text.split("\n")
        wide += ["%s:%d: %d columns" % (path, n, too_wide(path, s)) for n, s in enumerate(lines, 1)
                 if too_wide(path, s)]
        if text.startswith("#!") and not os.access(path, os.X_OK):
            unrun.append(path)
        if not path.endswith(C_ENDS):
            words += shell_words(path, lines)
            late += late_status(path, lines)
            continue
        spaces += ["%s:%d" % (path, n) for n, s in enumerate(lines, 1)
                   if s != s.rstrip() or re.match(r" +(if|for|while|do|switch|case|return|else)\b", s)]
        if not text.startswith("/*"):
            heads.append(path)
        if len(lines) - 1 > FILE_LIMIT:
            long_files.append("%s: %d lines" % (path, len(lines) - 1))
        for place, length in functions(path, lines):
            lengths.append(length)
            if length > FUNCTION_LIMIT:
                long_functions.append("%s: %d lines" % (place, length))
        code = TOKEN.sub(blank, text)
        assigned += [at(path, text, offset) for offset, condition in conditions(code)
                     if re.search(r"(?<![=!<>])=(?!=)", re.sub(r"\(struct \w+\)\{.*?\}", "", condition, flags=re.S))]
        vague += ["%s:%d: %s" % (path, n, s) for n, s in enumerate(lines, 1) if VAGUE.match(s)]
        words += words_in(path, text)
    for rule, findings in found.items():
        verdict(rule, findings)
    lengths.sort()
    if lengths:
        print("  functions: half have at most %d lines, nine tenths at most %d, all at most %d" %
              (lengths[len(lengths) // 2], lengths[len(lengths) * 9 // 10], lengths[-1]))


def main():
    with open(sys.argv[1], encoding="utf-8") as table:
        for line in table:
            if not line.startswith("#"):
                number, _, rule = line.strip().partition(" ")
                ratchet[rule] = int(number)
    paths = [os.path.join(folder, name) for top in FOLDERS for folder, _, names in os.walk(top) for name in names
             if name.endswith(ALL_ENDS)]
    check(sorted(paths))
    check_documents()
    return status


sys.exit(main())
