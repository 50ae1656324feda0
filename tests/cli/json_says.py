"""json_says.py SCHEMA LIST: is each output as its definition says?

Lines of LIST are a definition, a file and a text, with tabs between them.  A file is one document,
or has an object a line.  Prints "ok - TEXT" or "FAIL - TEXT" for each.
"""
import json
import sys

import jsonschema


def documents(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = [json.loads(line) for line in text.splitlines()]
    return found if isinstance(found, list) else [found]


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        definitions = json.load(f)["definitions"]
    bad = 0
    with open(sys.argv[2], encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    for name, path, text in rows:
        wanted = {"$ref": "#/definitions/" + name, "definitions": definitions}
        found = documents(path)
        check = jsonschema.Draft7Validator(wanted)
        errors = [e for document in found for e in check.iter_errors(document)]
        good = found and not errors
        bad |= not good
        print(("ok - " if good else "FAIL - ") + text)
        for e in errors[:5]:
            print("  " + "/".join(map(str, e.absolute_path)) + ": " + e.message[:300])
    sys.exit(bad)


main()
