"""The device tree of Linux as the hypervisor's guest: one hart, memory, a UART without interrupts.

    linux_tree.py OUT INITRD-START INITRD-END ARGUMENTS
"""
import struct
import sys

STRINGS = bytearray()


def name_at(name):
    """Where the name of a property is."""
    found = (b"\0" + bytes(STRINGS)).find(b"\0" + name.encode() + b"\0")
    if found >= 0:
        return found
    STRINGS.extend(name.encode() + b"\0")
    return len(STRINGS) - len(name) - 1


def pad(data):
    return data + bytes(-len(data) % 4)


def value_of(value):
    if isinstance(value, str):
        return value.encode() + b"\0"
    if isinstance(value, int):
        return struct.pack(">I", value)
    return struct.pack(">%dI" % len(value), *value)


def node(name, properties, *children):
    made = struct.pack(">I", 1) + pad(name.encode() + b"\0")
    for key, value in properties.items():
        data = value_of(value)
        made += struct.pack(">III", 3, len(data), name_at(key)) + pad(data)
    return made + b"".join(children) + struct.pack(">I", 2)


def cells(value):
    return [value >> 32, value & 0xffffffff]


def main():
    out, start, end, arguments = sys.argv[1:]
    start, end = int(start, 0), int(end, 0)
    structure = node(
        "", {"#address-cells": 2, "#size-cells": 2, "compatible": "hartscope,guest",
             "model": "hartscope,guest"},
        node("chosen", {"bootargs": arguments, "rng-seed": list(range(16)),
                        "linux,initrd-start": cells(start), "linux,initrd-end": cells(end)}),
        node("memory@80200000", {"device_type": "memory",
                                 "reg": cells(0x80200000) + cells(0x1fe00000)}),
        node("cpus", {"#address-cells": 1, "#size-cells": 0, "timebase-frequency": 10000000},
             node("cpu@0", {"device_type": "cpu", "reg": 0, "status": "okay",
                            "compatible": "riscv", "mmu-type": "riscv,sv39",
                            "riscv,isa": "rv64imafdc_zicntr_zicsr_zifencei_zihpm_sscofpmf"},
                  node("interrupt-controller", {"#interrupt-cells": 1, "interrupt-controller": [],
                                                "compatible": "riscv,cpu-intc", "phandle": 1}))),
        node("serial@10000000", {"compatible": "ns16550a", "clock-frequency": 3686400,
                                 "reg": cells(0x10000000) + cells(0x100)}),
    ) + struct.pack(">I", 9)
    at = 40 + 16
    head = struct.pack(">10I", 0xd00dfeed, at + len(structure) + len(STRINGS), at,
                       at + len(structure), 40, 17, 16, 0, len(STRINGS), len(structure))
    with open(out, "wb") as tree:
        tree.write(head + bytes(16) + structure + STRINGS)


main()
