#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The partita authors
"""What OpenCL kernels become on GPUs, without a GPU: registers, spills, local memory, occupancy, instruction mix.

usage: kernel_lab.py KERNELS.cl|ARTIFACT.pta [--arch sm_90 gfx90a ...] [--groups NAME=SIZE ...] [--json FILE] [--keep DIR]

NVIDIA (sm_*): clang-16 (nvptx64) + libclc -> PTX -> ptxas -> SASS -> nvdisasm. AMD (gfx*): clang-16 (amdgcn) + libclc -> assembly.
Needs Debian's clang-16 llvm-16 libclc-16, and for NVIDIA PyPI's nvidia-cuda-nvcc and nvidia-cuda-nvdisasm (ptxas and nvdisasm on the
PATH, or in the virtual environment that KERNEL_LAB_VENV names; `./dev lab` installs all of it). A driver's own OpenCL compiler may differ in detail; the last stage,
which assigns registers and schedules, is NVIDIA's own.

Columns: regs, spill bytes (stores + loads), local memory of a group, items a group has by reqd_work_group_size or --groups (default
256), warps (or waves) that fit a multiprocessor at once as a share of the most, and for the loop with most multiply-adds
(else the longest loop, else the whole kernel): instructions, share of them that are multiply-adds (FFMA, HFMA2, DFMA, HMMA, IMMA; on AMD
v_*fma*, v_*mac*, v_mfma*, v_pk_fma*), matrix-unit instructions, loads and stores by width in bits, global (LDG, STG) and local (LDS, STS).
Each .cl of an artifact is compiled alone. Whether accesses coalesce cannot be seen in instructions.
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile, zipfile
from pathlib import Path

LLVM = Path(os.environ.get("KERNEL_LAB_LLVM", "/usr/lib/llvm-16/bin"))
CLC = {"sm": "/usr/lib/clc/nvptx64--nvidiacl.bc", "gfx": "/usr/lib/clc/amdgcn--amdhsa.bc"}
# per multiprocessor / compute unit: registers, local memory, warps (waves), width, registers are given out in steps of
DEVICE = {"sm_70": (65536, 98304, 64, 32, 8), "sm_80": (65536, 167936, 64, 32, 8), "sm_86": (65536, 102400, 48, 32, 8),
          "sm_90": (65536, 233472, 64, 32, 8), "gfx90a": (4 * 512 * 64, 65536, 32, 64, 8), "gfx1100": (4 * 1536 * 32, 131072, 64, 32, 24)}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{Path(str(command[0])).name} failed:\n{(done.stderr or done.stdout)[:3000]}")
    return done.stdout + done.stderr


def program(name):
    venv = os.environ.get("KERNEL_LAB_VENV")
    found = shutil.which(name) or next((str(p) for p in Path(venv).rglob(name) if p.is_file()), None) if venv else shutil.which(name)
    return found or sys.exit(f"{name}: not found; install PyPI's nvidia-cuda-nvcc and nvidia-cuda-nvdisasm, see --help")


def bitcode(source, arch, work):
    kind = "sm" if arch.startswith("sm") else "gfx"
    target = ["-target", "nvptx64-nvidia-nvcl"] if kind == "sm" else ["-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib"]
    extensions = "-cl-ext=+cl_khr_fp64,+cl_khr_fp16"
    if kind == "sm":
        target += ["-DPARTITA_MATRIX_UNITS=1"]
    run("clang-16", *target, "-Xclang", "-finclude-default-header", "-cl-std=CL1.2", extensions, "-O2", "-x", "cl", "-emit-llvm", "-c",
        source, "-o", work / "a.bc")
    library = os.environ.get("KERNEL_LAB_CLC", CLC[kind])
    run(LLVM / "llvm-link", work / "a.bc", "--only-needed", library, "-o", work / "b.bc")
    run(LLVM / "opt", "-O3", work / "b.bc", "-o", work / "c.bc")
    return work / "c.bc"


def body_facts(instructions, labels, is_fma, access):
    """Of the loop (a branch back to a label) with most multiply-adds, else the longest, else the whole: length, share, accesses."""
    loops = [[t for t, _ in instructions[labels[goal]:at + 1]] for at, (_, goal) in enumerate(instructions) if labels.get(goal, at) < at - 1]
    body = max(loops or [[t for t, _ in instructions]], key=lambda loop: (sum(map(is_fma, loop)), len(loop)))
    accesses = {}
    for t in body:
        if kind := access(t):
            accesses[kind] = accesses.get(kind, 0) + 1
    matrix = sum(re.match(r"(HMMA|IMMA|v_mfma|v_wmma)", t) is not None for t in body)
    return {"loop": len(body) if loops else 0, "fma_share": round(sum(map(is_fma, body)) / max(len(body), 1), 3), "matrix": matrix, "loads": accesses}


def nvidia(source, arch, work):
    (work / "a.ptx").unlink(missing_ok=True)
    run(LLVM / "llc", "-O3", "-mcpu=" + ("sm_80" if int(arch[3:]) > 80 else arch), "-mattr=+ptx75", bitcode(source, arch, work), "-o", work / "a.ptx")
    log = run(program("ptxas"), f"-arch={arch}", "-v", work / "a.ptx", "-o", work / "a.cubin")
    facts, name = {}, None
    for line in log.splitlines():
        if m := re.search(r"Function properties for (\S+)", line):
            name = m[1]
        elif m := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            facts[name] = {"spill": int(m[1]) + int(m[2])}
        elif m := re.search(r"Used (\d+) registers", line):
            local = re.search(r"(\d+) bytes smem", line)
            facts[name] |= {"regs": int(m[1]), "local": int(local[1]) if local else 0}
    current, listing = None, {}
    for line in run(program("nvdisasm"), "-c", work / "a.cubin").splitlines():
        if m := re.match(r"\.text\.(\S+):", line):
            current = listing.setdefault(m[1], ([], {}))
        elif current and (m := re.match(r"(\.L_x_\d+):", line)):
            current[1][m[1]] = len(current[0])
        elif current and (m := re.match(r"\s+/\*[0-9a-f]+\*/\s+(?:\{\s*)?(?:@!?U?P\w+\s+)?(\S+)(.*)", line)):
            goal = re.search(r"\.L_x_\d+", m[2]) if m[1].startswith("BRA") else None
            current[0].append((m[1].rstrip(";"), goal[0] if goal else None))
    for name, (instructions, labels) in listing.items():
        def load(t):
            m = re.match(r"(LDG|LDS|LDSM|LDGSTS|STG|STS|ATOMG|ATOMS)\b", t)
            width = re.search(r"\.(64|128)\b", t)
            return f"{m[1]}{width[1] if width else 32}" if m else None
        facts[name] |= body_facts(instructions, labels, lambda t: re.match(r"(FFMA|DFMA|HFMA2(?!\.MMA)|HMMA|IMMA)\b", t) is not None, load)
    return facts


def amd(source, arch, work):
    run(LLVM / "llc", "-O3", f"-mcpu={arch}", bitcode(source, arch, work), "-o", work / "a.s")
    facts, current, labels, name = {}, [], {}, None
    for line in (work / "a.s").read_text().splitlines():
        if m := re.match(r"([A-Za-z_]\w*):", line):
            name, current, labels = m[1], [], {}
        elif m := re.match(r"(\.L\w+):", line):
            labels[m[1]] = len(current)
        elif m := re.match(r"\t([a-z]\w+)(.*)", line):
            goal = re.search(r"\.L\w+", m[2]) if "branch" in m[1] else None
            current.append((m[1], goal[0] if goal else None))
        elif m := re.match(r"; (NumVgprs|ScratchSize|LDSByteSize): (\d+)", line):
            entry = facts.setdefault(name, {"spill": 0, "regs": 0, "local": 0})
            entry[{"NumVgprs": "regs", "ScratchSize": "spill", "LDSByteSize": "local"}[m[1]]] = int(m[2])
            def load(t):
                return t if re.match(r"(global|flat|ds|buffer)_(load|read|store|write)", t) else None
            if m[1] == "NumVgprs":
                entry |= body_facts(current, labels, lambda t: re.match(r"v_(pk_|dual_)?(fma|mac|fmac|mfma|wmma)", t) is not None, load)
    return facts


def occupancy(arch, regs, local, group):
    registers, memory, warps, width, step = DEVICE[arch]
    per_group = -(-group // width)
    each = -(-max(regs, 1) // step) * step * width
    fits = min(registers // each // per_group, warps // per_group, memory // local if local else 1 << 30, 32)
    return round(fits * per_group / warps, 2)


def facts_of(source, arch, work, groups=None):
    """What the kernels of an artifact or a .cl file become: {kernel: {regs, spill, local, items, occupancy, loop, fma_share, matrix, loads}}."""
    groups = dict(groups or {})
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            texts = {n: archive.read(n).decode() for n in archive.namelist() if n.endswith(".cl")}
    else:
        texts = {source.name: source.read_text()}
    for m in re.finditer(r"reqd_work_group_size\s*\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)\s*\)\s*\)\s*(?:__kernel\s+)?(?:void\s+)?(\w+)",
                         "\n".join(texts.values())):
        groups.setdefault(m[4], int(m[1]) * int(m[2]) * int(m[3]))
    facts = {}
    for name, module in texts.items():
        (work / "module.cl").write_text(module)
        found = (nvidia if arch.startswith("sm") else amd)(work / "module.cl", arch, work)
        facts |= found if len(texts) == 1 else {f"{Path(name).stem}:{kernel}": f for kernel, f in found.items()}
    for name, f in facts.items():
        group = groups.get(name.split(":")[-1], 256)
        f |= {"items": group, "occupancy": occupancy(arch, f["regs"], f["local"], group)}
    return facts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--arch", nargs="+", default=["sm_90"], choices=sorted(DEVICE))
    parser.add_argument("--groups", nargs="*", default=[], metavar="NAME=SIZE")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    work = args.keep or Path(tempfile.mkdtemp())
    work.mkdir(parents=True, exist_ok=True)
    groups = {k: int(v) for k, v in (g.split("=") for g in args.groups)}
    out = {}
    for arch in args.arch:
        facts = facts_of(args.file, arch, work, groups)
        print(f"{arch:<8}{'kernel':<44}{'regs':>5}{'spill':>7}{'local':>7}{'items':>6}{'occ.':>6}{'loop':>6}{'fma':>6}{'mat.':>5}  accesses in it")
        for name, f in sorted(facts.items()):
            loads = " ".join(f"{k}:{v}" for k, v in sorted(f.get("loads", {}).items()))
            print(f"{'':8}{name[:43]:<44}{f['regs']:>5}{f['spill']:>7}{f['local']:>7}{f['items']:>6}{f['occupancy']:>6}{f.get('loop', 0):>6}{f.get('fma_share', 0):>6}{f.get('matrix', 0):>5}  {loads}")
        out[arch] = facts
    if args.json:
        args.json.write_text(json.dumps(out, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
