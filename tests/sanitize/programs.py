# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Programs to run under sanitizers: each one function of a file, with its arguments and what it should give."""

import re
import shutil
import subprocess
import threading

import arrays
import npz

PORT = re.compile(r"^ \*   (\w+) \((in|out)\): tensor<((?:\d+x)*)([^>]+>?)>, (\d+) (\w+)", re.M)
FUNCTION = re.compile(r'^\s*func\.func\s+(private\s+)?(?:public\s+)?@("[^"]+"|[\w.$-]+)', re.M)
CHECK = re.compile(r"^\s*check\.expect_\w+\s*\(?(%[\w#]+)(?:, (%[\w#]+))?.*: \(?(tensor<\S+>)(?:, (tensor<\S+>))?(?:\) -> \(\))?\s*$")
BYTES = {"uint8_t": 1, "uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "int8_t": 1, "int16_t": 2, "int32_t": 4}
BYTES |= {"int64_t": 8, "float": 4, "double": 8}


class Refused(Exception):
    """A command that ended in an error."""


class NoObjectCode(Exception):
    """A program that is more than object code: it calls LAPACK through libpartita."""


def run(command, **options):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", **options)
    if done.returncode != 0:
        raise Refused(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[:3000]}")
    return done.stdout


class Port:
    def __init__(self, match):
        self.name, direction, shape, self.element, count, ctype = match.groups()
        self.is_input, self.shape = direction == "in", [int(d) for d in shape.split("x") if d]
        self.bytes = int(count) * BYTES[ctype]


def ports_header(name, symbol, ins, outs):
    """What driver.c includes."""
    passed = [f"(const void*)(in)[{k}], " for k in range(len(ins))] + [f"(void*)(out)[{k}], " for k in range(len(outs))]
    sizes = lambda of: ", ".join(str(p.bytes) for p in of) or "0"
    return (
        f'#include "{name}.h"\n#define INPUTS {len(ins)}\n#define OUTPUTS {len(outs)}\n'
        f"static const size_t input_bytes[] = {{{sizes(ins)}}}, output_bytes[] = {{{sizes(outs)}}};\n"
        f"#define CALL(in, out, arena, parallel) {symbol}({''.join(passed)}arena, parallel)\n"
        f"#define ARENA_BYTES {symbol.upper()}_ARENA_BYTES\n#define ARENA_ALIGNMENT {symbol.upper()}_ARENA_ALIGNMENT\n"
        f"#define STATUS_TEXT {name}_status_text\n"
    )


def with_results(text):
    """A program whose functions check themselves, with functions that give what they check instead."""
    lines, operands, types, head = [], [], [], None
    for line in text.splitlines():
        check = CHECK.match(line)
        if FUNCTION.match(line):
            operands, types, head = [], [], len(lines)
        if check:
            found = [o for o in check.groups()[:2] if o]
            operands, types = operands + found, types + [check[3], check[4] or check[3]][: len(found)]
            continue
        if line.strip() == "return" and operands:
            lines[head] = re.sub(r"\)\s*\{\s*$", f") -> ({', '.join(types)}) {{", lines[head])
            line = f"return {', '.join(operands)} : {', '.join(types)}"
        lines.append(line)
    return "\n".join(lines) + "\n"


class Program:
    """One function of a file. Arguments and expected results come from the recording beside the file, else
    arguments are drawn and the program's lane code, which no C compiler has seen, says what to expect."""

    def __init__(self, partita, path, function=None):
        self.partita, self.path, self.function = partita, path, function
        # Programs of several folders have one name.
        self.name = f"{path.parent.name}_{path.stem}".replace(".", "_") + (f".{function}" if function else "")
        recordings = [path.parent / (path.name.split(".")[0] + suffix) for suffix in (".io.npz", ".npz")]
        self.recording = next((r for r in recordings if r.exists()), None)
        self.size = path.stat().st_size + (self.recording.stat().st_size if self.recording else 0)
        self.fed_by = arrays.coarsest(path.read_text())
        self.lock, self.emitted, self.expected, self.failure = threading.Lock(), {}, None, None
        self.has_object_code = True

    def selection(self):
        return ["--function", self.function] if self.function else []

    def emit(self, folder, level):
        """Writes p.c, p.h, ports.h, inputs and flags once; gives (folder, flags)."""
        with self.lock:
            if not self.has_object_code:
                raise NoObjectCode
            if self.failure:
                raise Refused(self.failure)
            try:
                if level not in self.emitted:
                    self.emitted[level] = self._emit(folder / self.name / level, level)
                return self.emitted[level]
            except (Refused, KeyError, ValueError) as error:
                self.failure = str(error)
                if "needs LAPACK through libpartita" in self.failure:
                    self.has_object_code = False
                    raise NoObjectCode from None
                raise Refused(self.failure) from None

    def _emit(self, folder, level):
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "p.mlir"
        text = self.path.read_text()
        source.write_text(with_results(text) if self.recording is None else text)
        run([self.partita, "compile", source, "-o", folder / "p.c", "--target", "cpu", "--emit", "c",
             "--gemm", "generated", "--cpu", level, *self.selection()])  # fmt: skip
        header = (folder / "p.h").read_text()
        ports = [Port(m) for m in PORT.finditer(header)]
        ins, outs = [p for p in ports if p.is_input], [p for p in ports if not p.is_input]
        self.outputs = outs
        symbol = re.search(r"^void\* (\w+)_new_arena", header, re.M)[1]
        (folder / "ports.h").write_text(ports_header("p", symbol, ins, outs))
        if self.expected is None:
            self._find_expected(folder, source, ins, outs)
        for k, data in enumerate(self.inputs):
            (folder / f"in{k}").write_bytes(data)
        return folder, re.search(r"^ \* flags:(.*?)(?:\*/)?$", (folder / "p.c").read_text(), re.M)[1].split()

    def _find_expected(self, folder, source, ins, outs):
        recording = self.recording
        if recording is None:
            drawn = [arrays.draw(p.element, p.bytes // len(arrays.draw(p.element, 1, 0)), k) for k, p in enumerate(ins)]
            types = [arrays.TYPES[p.element][0] for p in ins]
            arrays.write_npz(folder / "in.npz", {f"in{k}": (t, p.shape, d) for k, (p, t, d) in enumerate(zip(ins, types, drawn))})
            run([self.partita, "compile", source, "-o", folder / "p.pta", "--target", "cpu", "--tier", "0",
                 "--gemm", "generated", *self.selection()])  # fmt: skip
            run([self.partita, "run", folder / "p.pta", "--outputs", folder / "out.npz"]
                + (["--inputs", folder / "in.npz"] if ins else []))  # fmt: skip
            recording = folder / "out.npz"
            self.inputs = drawn
        found = {name: (dtype, data) for name, (dtype, _, data) in npz.read_npz(recording).items()}
        if self.recording is not None:
            self.inputs = [arrays.converted(p.element, *found[f"in{k}"]) for k, p in enumerate(ins)]
        self.expected = [arrays.converted(p.element, *found[f"out{k}"]) for k, p in enumerate(outs)]

    def problems(self, folder):
        """What is wrong with folder/out0, ..."""
        found = [(folder / f"out{k}").read_bytes() for k in range(len(self.outputs))]
        each = [arrays.difference(p.element, f, e, self.fed_by) for p, f, e in zip(self.outputs, found, self.expected)]
        return [f"out{k}: {text}" for k, text in enumerate(each) if text]


def expected_refusals(source):
    """Names of the corpus that target cpu refuses, of tests/expectations.txt."""
    lines = [line.split() for line in (source / "tests/expectations.txt").read_text().splitlines()]
    return {l[0] for l in lines if len(l) > 1 and not l[0].startswith("#") and l[1] in ("all", "cpu")}


def programs_of(partita, path):
    public = [name.strip('"') for private, name in FUNCTION.findall(path.read_text()) if not private]
    beside = path.parent / (path.name.split(".")[0] + ".io.npz")
    if beside.exists() or len(public) == 1:
        return [Program(partita, path, "main" if "main" in public and len(public) > 1 else None)]
    return [Program(partita, path, name) for name in public]


def all_programs(partita, source, corpus, shared):
    """In a fixed order, small ones first."""
    paths = sorted((source / "tests/regress").glob("*.mlir"))
    # checks.mlir is about checks that fail.
    paths += [p for p in sorted((source / "tests/e2e/programs").glob("*.mlir")) if p.stem != "checks"]
    # On drawn arguments the rounds of fedavg_digits make much of little: roundings of sums grow over its local steps.
    paths += [p for p in sorted((source / "examples").rglob("*.mlir")) if p.parent.name != "fedavg_digits"]
    if corpus:
        paths += sorted(corpus.glob("*.mlir")) + sorted(corpus.glob("rounds/*_[28].mlir"))
        refused = expected_refusals(source)
        # Other spellings of a program that is there.
        paths = [p for p in paths if p.name not in refused and p.suffixes[0] == ".mlir"]
    if shared:
        paths += [p for p in sorted(shared.glob("*.mlir")) if p.with_suffix(".io.npz").exists()]
    programs = [program for path in paths for program in programs_of(partita, path)]
    return sorted(programs, key=lambda p: (p.size, p.name))


def missing(tool):
    return shutil.which(tool) is None
