#!/usr/bin/env python3
"""embed.py OUTPUT HEADER NAME FILE...: the files as arrays of C, in a list NAME of struct embedded."""
import os
import sys


def main():
    arrays, rows = [], []
    output, header, name = sys.argv[1:4]
    for number, path in enumerate(sys.argv[4:]):
        with open(path, "rb") as source:
            content = source.read()
        digits = ",".join(str(byte) for byte in content + b"\0")
        arrays.append("static const unsigned char part_%d[] = { %s };\n" % (number, digits))
        rows.append("\t{ \"%s\", part_%d, sizeof(part_%d) - 1 },\n"
                    % (os.path.basename(path), number, number))
    with open(output, "w", encoding="ascii") as out:
        out.write("/* Made by embed.py. */\n#include \"%s\"\n\n" % header + "".join(arrays))
        out.write("\nconst struct embedded %s[] = {\n" % name + "".join(rows))
        out.write("\t{ NULL, NULL, 0 },\n};\n")


main()
