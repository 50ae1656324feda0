#!/usr/bin/env python3
"""embed.py OUTPUT FILE...: the files as arrays of C (struct html_part)."""
import os
import sys


def main():
    arrays, rows = [], []
    for number, path in enumerate(sys.argv[2:]):
        with open(path, "rb") as source:
            content = source.read()
        digits = ",".join(str(byte) for byte in content)
        arrays.append("static const unsigned char part_%d[] = { %s };\n" % (number, digits))
        rows.append("\t{ \"%s\", part_%d, sizeof(part_%d) },\n"
                    % (os.path.basename(path), number, number))
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("/* Made by embed.py of the files in tools/hartscope/html. */\n")
        out.write("#include \"commands/report_html.h\"\n\n" + "".join(arrays))
        out.write("\nconst struct html_part html_parts[] = {\n" + "".join(rows))
        out.write("\t{ NULL, NULL, 0 },\n};\n")


main()
