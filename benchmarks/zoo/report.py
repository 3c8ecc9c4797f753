#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""Makes a Markdown table of what run.py measured.

    benchmarks/zoo/report.py zoo.json [-o docs/zoo.md] [--below 1.0] [--compile 1.5] [--bytes 1.1]

First counts and medians for each target, then what falls outside the limits, then a row for each program. Rows are in
the order of family and name. Compile times are processor time where that was measured.
"""

import argparse
import json
import pathlib
import statistics
import sys

HEAD = (
    "| program | package | result | error: ours, XLA | compile, s: ours, XLA | bytes: ours, XLA | ours / XLA "
    "| first run, s | ours, ms | XLA, ms | XLA / ours |\n|---|---|---|---|---|---|---|---|---|---|---|"
)


def number(value, digits=3):
    return "" if value is None else f"{value:.{digits}g}"


def size(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.3g} {unit}" if count < 1000 or unit != "B" else f"{count} B"
        count /= 1024
    return ""


def compile_ratio(row):
    if "ours_compile_s" not in row:
        return None
    if "ours_compile_cpu_s" in row:
        return row["ours_compile_cpu_s"] / max(row["xla_compile_cpu_s"], 1e-9)
    return row["ours_compile_s"] / row["xla_compile_s"]


def own_bytes(row):
    """Planned bytes without the text's constants, which XLA does not count."""
    return row["peak_arena_bytes"] + row["xla_bytes"] - row["xla_temporaries"]


def bytes_ratio(row):
    return own_bytes(row) / max(row["xla_bytes"], 1) if "planned_bytes" in row else None


def line(row):
    cells = [row["name"], row["package"], row["state"]]
    worst = row.get("worst")
    cells.append(
        f"{worst['ours_max']:.1e}, {worst['xla_max']:.1e}"
        if worst
        else f"{row['ours_to_xla']:.0e} apart"
        if "ours_to_xla" in row
        else row.get("error", "")[:60].replace("|", "/")
    )
    key = "cpu_s" if "ours_compile_cpu_s" in row else "s"
    cells.append(
        f"{row[f'ours_compile_{key}']:.2f}, {row[f'xla_compile_{key}']:.2f}" if "ours_compile_s" in row else ""
    )
    cells.append(f"{size(own_bytes(row))}, {size(row['xla_bytes'])}" if "planned_bytes" in row else "")
    cells.append(number(bytes_ratio(row), 2) if "planned_bytes" in row else "")
    cells.append(number(row.get("ours_first_s"), 2))
    if "ratio" in row:
        cells += [number(1e3 * row["ours_s"]), number(1e3 * row["xla_s"]), f"{row['ratio']:.2f} ± {row['spread']:.2f}"]
    else:
        cells += ["", "", ""]
    return "| " + " | ".join(cells) + " |"


def outliers(rows, title, value, beyond, shown):
    found = sorted(((value(r), r) for r in rows if value(r) is not None and beyond(value(r))), key=lambda p: p[0])
    text = ", ".join(f"{r['name']} {v:.2f}" for v, r in found)
    return f"* {title} ({len(found)} of {shown}): {text or 'none'}."


def target_report(target, rows, options):
    ran = [r for r in rows if "planned_bytes" in r]
    timed = [r for r in rows if "ratio" in r]
    states = {}
    for r in rows:
        states[r["state"]] = states.get(r["state"], 0) + 1
    lines = [
        f"## Target {target}",
        "",
        f"{len(rows)} programs: " + ", ".join(f"{n} {s}" for s, n in sorted(states.items())) + ".",
    ]
    if ran:
        lines.append(
            f"Medians: compile time {statistics.median(compile_ratio(r) for r in ran):.2f} of XLA's, planned bytes "
            f"{statistics.median(bytes_ratio(r) for r in ran):.2f} of XLA's"
            + (f", speed {statistics.median(r['ratio'] for r in timed):.2f} of XLA's." if timed else ".")
        )
    lines += [
        "",
        outliers(
            timed, f"slower than {options.below} x XLA", lambda r: r["ratio"], lambda v: v < options.below, len(timed)
        ),
        outliers(
            ran, f"compile time above {options.compile} x XLA's", compile_ratio, lambda v: v > options.compile, len(ran)
        ),
        outliers(ran, f"bytes above {options.bytes} x XLA's", bytes_ratio, lambda v: v > options.bytes, len(ran)),
        "",
    ]
    for family in sorted({r["family"] for r in rows}):
        lines += [f"### {family[0].upper()}{family[1:]}", "", HEAD]
        lines += [line(r) for r in sorted(rows, key=lambda r: r["name"]) if r["family"] == family]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="A table of what run.py measured")
    parser.add_argument("json", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--head", default="", help="sentences about machine and versions for the top")
    parser.add_argument("--below", type=float, default=1.0)
    parser.add_argument("--compile", type=float, default=1.5)
    parser.add_argument("--bytes", type=float, default=1.1)
    options = parser.parse_args()
    rows = json.loads(options.json.read_text())
    parts = [
        "# The zoo: programs of public packages beside XLA",
        "",
        "Made by `benchmarks/zoo/report.py` of what `run.py` there measured ([how](../benchmarks/zoo/README.md)).",
    ]
    parts += [options.head] if options.head else []
    for target in sorted({r["target"] for r in rows}):
        parts += ["", target_report(target, [r for r in rows if r["target"] == target], options)]
    text = "\n".join(parts).rstrip() + "\n"
    if options.output is None:
        sys.stdout.write(text)
    else:
        options.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
