"""The Python module, against what the tool prints of the same recording and traces."""

import json
import os
import pathlib
import subprocess
import threading

import numpy as np
import pytest

import hartscope

TOOL = os.environ["HARTSCOPE"]
SOURCE = pathlib.Path(os.environ["HARTSCOPE_SOURCE"])


def tool(*arguments):
    """What the tool prints."""
    return subprocess.run([TOOL, *map(str, arguments)], check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def tool_json(*arguments):
    """The same as a value."""
    return json.loads(tool(*arguments))


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """A program of tests/programs, built."""
    elf = tmp_path_factory.mktemp("program") / "report"
    subprocess.run(["riscv64-linux-gnu-gcc", "-g", "-O1", "-static",
                    SOURCE / "tests/programs/report.c", "-o", elf], check=True)
    return elf


@pytest.fixture(scope="session")
def recording(program):
    """A recording of it."""
    path = program.parent / "app.rec"
    subprocess.run([TOOL, "record", "-q", "-o", path, "--", program], check=True,
                   stdout=subprocess.DEVNULL)
    return path


@pytest.fixture(scope="session", params=["ntrace", "etrace"])
def trace(request, recording):
    """A trace of it, without TRACE.json."""
    path = recording.parent / f"app.{request.param}"
    tool("encode", "-q", "--protocol", request.param, "-o", path, recording)
    os.unlink(f"{path}.json")
    return request.param, path


def test_import_log(tmp_path):
    """A log becomes a recording, as the tool makes it; damaged lines are counted."""
    log = tmp_path / "spike.log"
    log.write_text("core   0: 0x0000000080000000 (0x00000513) li a0, 0\n"
                   "core   0: 3 0x0000000080000000 (0x00000513) x10 0x0000000000000000\n"
                   "core   0: 3 0x0000000080000004 (0x0000?513) x10 0x0000000000000000\n"
                   "core   0: 3 0x0000000080000008 (0x0000a001)\n", encoding="ascii")
    made = hartscope.import_log(log, tmp_path / "own.rec")
    said = subprocess.run([TOOL, "import", "--json", "-o", tmp_path / "tool.rec", log],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    printed = json.loads(said.stdout)
    assert (made.format, made.blocks, made.gaps) == ("spike", printed["blocks"], printed["gaps"])
    assert made.damage_count == printed["errors"] == 1
    assert "line 3" in made.damage[0] and made.damage[0] in said.stderr
    with hartscope.open(tmp_path / "own.rec") as own, \
            hartscope.open(tmp_path / "tool.rec") as other:
        assert pcs_of(own)[1] == pcs_of(other)[1]
    with pytest.raises(hartscope.Error) as why:
        hartscope.import_log(SOURCE / "README.md", tmp_path / "no.rec")
    assert why.value.status == "E_FORMAT"


def pcs_of(run):
    """Addresses of blocks, and half-words that retired."""
    starts, halfwords = [], 0
    for items in run.blocks():
        blocks = items[items["kind"] == hartscope.Kind.BLOCK]
        starts.append(blocks["iaddr"].copy())
        halfwords += int(blocks["iretire"].sum(dtype=np.uint64))
    return np.concatenate(starts), halfwords


def test_structures_are_those_of_a_compiler(tmp_path):
    """cffi computes layouts itself: here against the compiler's."""
    names = [n for n in hartscope.ffi.list_types()[1] if n.startswith("hs_")]
    sizes = {}
    for name in names:
        try:
            sizes[name] = hartscope.ffi.sizeof(f"struct {name}")
        except (hartscope.ffi.error, ValueError):
            pass  # opaque, or with an array of such
    assert len(sizes) > 100
    headers = sorted(p.name for p in (SOURCE / "include/hartscope").glob("*.h"))
    text = "".join(f"#include <hartscope/{h}>\n" for h in headers)
    text += "".join(f'_Static_assert(sizeof(struct {n}) == {s}, "{n}");\n'
                    for n, s in sizes.items())
    (tmp_path / "sizes.c").write_text(text)
    subprocess.run(["cc", "-fsyntax-only", "-I", SOURCE / "include", tmp_path / "sizes.c"],
                   check=True)


def test_blocks(recording):
    said = tool_json("stat", "--json", recording)
    first = int(json.loads(tool("list", "--json", "--to", "1", recording).splitlines()[0])["pc"], 0)
    with hartscope.open(recording) as run:
        starts, _ = pcs_of(run)
        assert len(starts) == int(said["blocks"])
        assert starts[0] == first
        assert (pcs_of(run)[0] == starts).all()  # again, from the start
        assert run.harts == [0]


def test_blocks_are_not_copied(recording):
    with hartscope.open(recording, names=False) as run:
        for items in run.blocks():
            assert not items.flags.owndata
            with pytest.raises(ValueError):
                items["iaddr"][0] = 1
        iterator = run.blocks()
        next(iterator)
        run.profile()
        with pytest.raises(RuntimeError, match="read again"):
            next(iterator)


def test_a_trace_is_its_recording(recording, program, trace):
    protocol, path = trace
    with hartscope.open(recording) as a, hartscope.open(path, elf=program,
                                                        protocol=protocol) as b:
        starts, halfwords = pcs_of(a)
        others, others_halfwords = pcs_of(b)
        assert (starts == others).all() and halfwords == others_halfwords
        assert a.profile().functions == b.profile().functions
        assert b.damage == [] and b.damage_count == 0


def test_compare(recording, program, trace):
    protocol, path = trace
    said = tool_json("stat", "--json", recording)
    with hartscope.open(recording) as a, hartscope.open(path, elf=program,
                                                        protocol=protocol) as b:
        assert a.compare(b) == b.compare(a) == (
            True, int(said["blocks"]), int(said["instructions"]), a.compare(b).traps, 0, None, None)
        assert a.compare(b, gaps=True).equal
    with hartscope.open(recording, end=1000) as a, hartscope.open(path, elf=program,
                                                                  protocol=protocol) as b:
        result = a.compare(b)
        assert not result.equal and result.difference is not None
        assert result.difference.items[1] is not None
        assert len(result.difference.before) == 4
        assert result.difference.blocks == result.blocks


def test_profile(recording):
    said = tool_json("stat", "--json", recording)
    with hartscope.open(recording) as run:
        profile = run.profile()
        assert profile.instructions == int(said["instructions"])
        assert profile.instructions == sum(f.instructions for f in profile.functions)
        assert sum(profile.ends) == profile.blocks
        assert [g.instructions for g in run.profile(by="hart").groups] == [profile.instructions]
        with pytest.raises(ValueError, match="none of nothing, "):
            run.profile(by="hour")


def test_functions(recording):
    said = tool_json("report", "--json", "--top", "100000", recording)
    want = {(f["name"], int(f["self"]), int(f["total"]), int(f["calls"]))
            for f in said["functions"]}
    with hartscope.open(recording) as run:
        have = {(f.name or "(no symbol)", f.self_instructions, f.instructions, f.calls)
                for f in run.functions()}
    assert have == want and any(name == "fib" for name, *_ in have)


def test_calls(recording):
    with hartscope.open(recording) as run:
        calls = run.calls()
        tree = run.call_tree()
    assert sum(n.calls for n in tree.nodes) == len(calls)
    assert all(c.start <= c.end for c in calls)
    fib = [c for c in calls if c.name == "fib"]
    assert len(fib) == 177  # fib(10), as tests/conformance/report.sh counts them
    assert sum(n.self_instructions for n in tree.nodes) == tree.instructions


def test_ranges(recording):
    with hartscope.open(recording, start=100, end=1100) as run:
        assert run.profile().instructions == 1000
    with hartscope.open(recording, function="fib") as run:
        assert {f.name for f in run.profile().functions} == {"fib"}
    with pytest.raises(ValueError, match="not a position"):
        hartscope.open(recording, start="insn:zz")
    with hartscope.open(recording, start="nowhere") as run:
        with pytest.raises(hartscope.Error, match="nowhere") as e:
            run.profile()
        assert e.value.status == "E_NOTHING"


def test_places(recording):
    with hartscope.open(recording) as run:
        fib = next(f for f in run.profile().functions if f.name == "fib")
        place = run.place(fib.start)
        assert place.function == "fib" and place.offset == 0
        assert "fib(" in run.source_line(place.file, place.line - 1)  # above its brace
        assert run.source_line("/etc/passwd", 1) is None


def test_damage(recording, program, trace):
    protocol, path = trace
    damaged = path.with_suffix(".damaged")
    damaged.write_bytes(path.read_bytes()[:2000] + b"\xff" * 40 + path.read_bytes()[2100:])
    with hartscope.open(damaged, elf=program, protocol=protocol) as run:
        kinds = np.concatenate([items["kind"].copy() for items in run.blocks()])
        assert run.damage_count >= 1 and run.damage[0].status.startswith("E_")
        assert (kinds == hartscope.Kind.GAP).sum() >= 1
        assert run.profile().gaps == (kinds == hartscope.Kind.GAP).sum()


def test_settings(recording, program):
    path = recording.parent / "btm.nt"
    tool("encode", "-q", "--set", "trTeInstMode=btm", "-o", path, recording)
    os.unlink(f"{path}.json")
    with hartscope.open(path, elf=program, settings={"trTeInstMode": "btm"}) as run:
        assert run.profile().instructions == int(tool_json("stat", "--json",
                                                           recording)["instructions"])
    with pytest.raises(hartscope.Error, match="trTeInstMood"):
        hartscope.open(path, elf=program, settings={"trTeInstMood": 1})


def test_errors(tmp_path, recording):
    with pytest.raises(hartscope.Error, match="No such file") as e:
        hartscope.open(tmp_path / "none.rec")
    assert e.value.status == "E_SYSTEM"
    run = hartscope.open(recording)
    run.close()
    run.close()
    with pytest.raises(ValueError, match="closed"):
        run.profile()


@pytest.mark.parametrize("given, wrong", [
    ({"elf": [None]}, TypeError), ({"elf": None}, TypeError), ({"elf": 7}, TypeError),
    ({"elf": "a\0b"}, ValueError), ({"config": [None]}, TypeError),
    ({"settings": {None: 1}}, TypeError), ({"settings": {1: 1}}, TypeError),
    ({"settings": {"a\0b": 1}}, ValueError), ({"settings": {"trTeInstMode": "h\0tm"}}, ValueError),
    ({"protocol": "n\0trace"}, ValueError), ({"protocol": 1}, TypeError),
    ({"transport": "r\0aw"}, ValueError), ({"hart": -1}, OverflowError),
    ({"threads": "x"}, TypeError),
])
def test_what_is_no_argument(trace, given, wrong):
    """Nothing reaches the library that a C string cannot be, or cut."""
    with pytest.raises(wrong):
        hartscope.open(trace[1], **given)


def test_names_with_a_nul(recording):
    for name in (None, 7, f"{recording}\0x"):
        with pytest.raises((TypeError, ValueError)):
            hartscope.open(name)
    for given in {"function": "m\0ain"}, {"start": "1\0"}:
        with pytest.raises(ValueError, match="null"):
            hartscope.open(recording, **given)
    with hartscope.open(recording) as run, pytest.raises(ValueError, match="null"):
        run.source_line("a\0b", 1)


def python(*arguments):
    """What a Python of its own prints, in which memory that was freed has other bytes."""
    return subprocess.run([os.environ["PYTHON"], *map(str, arguments)], check=True, text=True,
                          env={**os.environ, "MALLOC_PERTURB_": "165"},
                          stdout=subprocess.PIPE).stdout


def test_an_array_outlives_its_run(recording):
    assert python("-c", """
import hartscope, sys
run = hartscope.open(sys.argv[1])
array = next(run.blocks())
copy = array.copy()
run.close()
del run
print((array == copy).all())""", recording) == "True\n"


def test_threads_wait_for_each_other(recording):
    with hartscope.open(recording, end=5000) as run:
        want, seen = run.profile().instructions, []
        others = [threading.Thread(target=lambda: seen.extend(
            run.profile().instructions for _ in range(40))) for _ in range(4)]
        for other in others:
            other.start()
        for other in others:
            other.join()
        assert seen == [want] * 160


def test_random_calls(recording, program, trace):
    """Nothing ends the interpreter; 1,000 here, more by hand."""
    script = SOURCE / "tests/languages/random_calls.py"
    assert python(script, recording, trace[1], program, 1000, 1) == "1000 calls\n"


def test_the_example(recording):
    out = subprocess.run([os.environ["PYTHON"], SOURCE / "examples/look.py", recording], check=True,
                         text=True, stdout=subprocess.PIPE).stdout
    assert "fib" in out


def test_tables(recording):
    said = tool_json("report", "--json", "--top", 100000, recording)
    with hartscope.open(recording) as run:
        t = run.tables(calls=True, code=True)
        named = {f["name"]: (int(f["self"]), int(f["total"]), int(f["calls"]))
                 for f in said["functions"]}
        for row, name in zip(t.functions, t.names(t.functions["name"])):
            assert named[name or "(no symbol)"] == (row["self"], row["total"], row["calls"])
        assert int(t.nodes["self"].sum()) == int(said["instructions"])
        given = run.calls()
        assert [(c.start, c.end, c.depth, c.hart) for c in given] == \
            [(int(c["start"]), int(c["end"]), int(c["depth"]), int(c["hart"])) for c in t.calls]
        assert [c.name for c in given] == t.names(t.nodes["name"])[t.calls["node"]].tolist()
        assert (t.called["calls"].sum(), t.edges["calls"].sum()) == \
            (t.nodes["calls"].sum(), t.nodes["calls"].sum())
        assert int(t.instructions["count"].sum()) == int(said["instructions"])
        assert len(t.traps) and len(t.profile)
        for array in (t.functions, t.nodes, t.calls, t.called, t.edges, t.instructions, t.traps):
            assert not array.flags.owndata and not array.flags.writeable
        alone = run.calls_array()
    assert "fib" in t.names(t.nodes["name"])  # though the run is closed
    del t
    assert (alone["end"] >= alone["start"]).all() and len(alone) == len(given)


def test_tables_without_calls(recording):
    with hartscope.open(recording) as run:
        t = run.tables(by="hart")
        assert len(t.calls) == len(t.instructions) == 0 and len(t.nodes)
        assert t.groups["instructions"].tolist() == [t.nodes["self"].sum()]


def test_frames(recording):
    pytest.importorskip("pandas")
    with hartscope.open(recording) as run:
        t = run.tables(calls=True)
        frame = t.frame("calls")
        assert frame["name"].tolist() == [c.name for c in run.calls()]
        assert "fib" in set(t.frame("functions")["name"])


def test_auto(recording, program, trace):
    protocol, path = trace
    if protocol == "etrace":  # with its start it is explained as well by other parameters
        path = path.with_suffix(".auto")
        tool("encode", "-q", "--protocol", protocol, "-o", path, recording)
        os.unlink(f"{path}.json")
    with hartscope.open(recording) as a, hartscope.open(path, elf=program, auto=True) as b:
        assert a.compare(b).equal
    with hartscope.open(recording, auto=True) as a:  # which says itself what it is
        assert a.harts == [0]
    with pytest.raises(ValueError, match="auto"):
        hartscope.open(path, elf=program, auto=True, protocol=protocol)
    noise = path.with_suffix(".noise")
    noise.write_bytes(os.urandom(5000))
    with pytest.raises(hartscope.Error, match="nothing fits"):
        hartscope.open(noise, elf=program, auto=True)


def test_the_notebook_is_the_example():
    """examples/look.ipynb has the cells of examples/look.py, which are executed above."""
    cells = json.loads((SOURCE / "examples/look.ipynb").read_text())["cells"]
    code = ["".join(c["source"]).strip() for c in cells if c["cell_type"] == "code"]
    script = (SOURCE / "examples/look.py").read_text()
    assert code == [c.partition("\n")[2].strip() for c in script.split("# %%")[1:]]


def test_the_notebook_runs(recording, program, tmp_path, monkeypatch):
    """As Jupyter runs it: what its cells print, and no error."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    for name in ("HOME", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("RECORDING", str(recording))
    notebook = nbformat.read(SOURCE / "examples/look.ipynb", as_version=4)
    kernel = notebook.metadata.kernelspec.name
    nbclient.NotebookClient(notebook, timeout=120, kernel_name=kernel).execute()
    cells = [c for c in notebook.cells if c.cell_type == "code"]
    said = ["".join(o.get("text", "") for o in c.outputs) for c in cells]
    assert all(o.output_type == "stream" for c in cells for o in c.outputs)
    with hartscope.open(recording) as run:
        most = max(run.functions(), key=lambda f: f.self_instructions)
        assert said[1].splitlines()[0].endswith("  " + most.name)
    assert " instructions from " in said[3]
