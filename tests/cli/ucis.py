"""ucis.py XML JSON: is the XML what UCIS 1.0 asks of its interchange form, with the counts of JSON?

The form: elements in their order, and the attributes that each must have, written down from the
schema of the standard (Accellera, Unified Coverage Interoperability Standard 1.0, XML).
"""
import json
import re
import sys
import xml.etree.ElementTree as ET

NUMBER = re.compile(r"\d+$")
POSITIVE = re.compile(r"[1-9]\d*$")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
TEXT = re.compile(r".+$")
PLACE = {"file": POSITIVE, "line": POSITIVE, "inlineCount": POSITIVE}
NAMED = {"name": TEXT, "key": TEXT}
# element: (children in order, "+": one or more, "?": any number; attributes that it must have)
FORM = {
    "UCIS": ("sourceFiles+ historyNodes+ instanceCoverages+",
             {"ucisVersion": TEXT, "writtenBy": TEXT, "writtenTime": TIME}),
    "sourceFiles": ("", {"fileName": TEXT, "id": POSITIVE}),
    "historyNodes": ("", {"historyNodeId": NUMBER, "logicalName": TEXT,
                          "testStatus": re.compile("true|false$"), "date": TIME,
                          "toolCategory": TEXT, "ucisVersion": TEXT, "vendorId": TEXT,
                          "vendorTool": TEXT, "vendorToolVersion": TEXT}),
    "instanceCoverages": ("id covergroupCoverage?", NAMED),
    "id": ("", PLACE),
    "covergroupCoverage": ("cgInstance?", {}),
    "cgInstance": ("options cgId coverpoint+", NAMED),
    "options": ("", {}),
    "cgId": ("cginstSourceId cgSourceId", {"cgName": TEXT, "moduleName": TEXT}),
    "cginstSourceId": ("", PLACE),
    "cgSourceId": ("", PLACE),
    "coverpoint": ("options coverpointBin+", NAMED),
    "coverpointBin": ("range+ userAttr?", dict(NAMED, type=TEXT)),
    "range": ("contents", {"from": NUMBER, "to": NUMBER}),
    "contents": ("historyNodeId?", {"coverageCount": NUMBER}),
    "historyNodeId": ("", {}),
    "userAttr": ("", {"key": TEXT, "type": re.compile("str$")}),
}


def check(node):
    children, attributes = FORM[node.tag]
    pattern = "".join(f"({w.rstrip('+?')} ){'+' if w[-1] == '+' else '*' if w[-1] == '?' else ''}"
                      for w in children.split())
    names = "".join(child.tag + " " for child in node)
    if not re.fullmatch(pattern, names):
        sys.exit(f"{node.tag} has {names[:60]}")
    for name, form in attributes.items():
        if not form.match(node.get(name, "")):
            sys.exit(f"{node.tag}: {name} is {node.get(name)!r}")
    for child in node:
        check(child)


def bins(root):
    for instance in root.iter("instanceCoverages"):
        for point in instance.iter("coverpointBin"):
            yield (instance.get("name"), point.get("name"), point.find("userAttr").text,
                   int(point.find("range/contents").get("coverageCount")))


root = ET.parse(sys.argv[1]).getroot()
check(root)
with open(sys.argv[2]) as f:
    points = [(p["set"], p["name"], p["clause"], int(p["hits"])) for p in json.load(f)["points"]]
found = list(bins(root))
if sorted(found) != sorted(points) or not any(p[3] for p in points):
    sys.exit(f"{len(found)} bins are not the {len(points)} points")
keys = [p.get("key") for p in root.find("instanceCoverages").iter("coverpoint")]
if len(keys) != len(set(keys)):
    sys.exit("two groups have one key")
print("same")
