#!/usr/bin/env python3
"""Does tirx fuzz notice a broken tirx?  Breaks one line of the simulator, of the lowering or of the
emitter at a time, compiles that file, links, and runs the fuzzer on the result.

  broken_builds.py BUILD WORK [--count 30] [--seed 1] [--programs 2000] [--seconds 300] [--part sim lower]

BUILD is a finished build; nothing in it changes.  WORK gets the objects, the binaries and report.md.
The line and the change are drawn from the seed.  A change that does not compile, or that leaves the
same machine code, is drawn again and counted.  The emitter is not run without a GPU: for
--part backend_cuda a broken build is judged by whether NVRTC refuses what it emits for random
programs and, failing that, by whether the text differs at all (then only a GPU can tell).
"""
import argparse
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Each: (name, pattern, replacement), applied to one match in one line.
OPERATORS = [
    ("< to <=", r"(?<=[\w)\]] )<(?= [\w(])", "<="),
    ("<= to <", r"(?<= )<=(?= )", "<"),
    ("> to >=", r"(?<=[\w)\]] )>(?= [\w(])", ">="),
    (">= to >", r"(?<= )>=(?= )", ">"),
    ("== to !=", r"(?<= )==(?= )", "!="),
    ("!= to ==", r"(?<= )!=(?= )", "=="),
    ("+ to -", r"(?<= )\+(?= )", "-"),
    ("- to +", r"(?<= )-(?= )", "+"),
    ("* to +", r"(?<=[\w)\]] )\*(?= [\w(])", "+"),
    ("/ to *", r"(?<= )/(?= )", "*"),
    ("% to /", r"(?<= )%(?= )", "/"),
    ("&& to ||", r"&&(?= )", "||"),
    ("|| to &&", r"(?<= )\|\|(?= )", "&&"),
    ("! dropped", r"(?<=[ (])!(?=[\w(])", ""),
    ("true to false", r"\btrue\b", "false"),
    ("false to true", r"\bfalse\b", "true"),
    ("constant + 1", r"(?<![\w.'\"])(\d{1,4})(?![\w.'\"])", lambda m: str(int(m.group(1)) + 1)),
    ("arguments swapped", r"(?<=\w\()([\w.\->\[\]]+), ([\w.\->\[\]]+)(?=[,)])",
     lambda m: f"{m.group(2)}, {m.group(1)}"),
    ("statement dropped", r"^(\s+)(?!return|break|continue|case|default|using|const |auto |static|"
                          r"(?:std|ir|num|sim|lower)::[\w:<>]+ \w+ =)[\w.\->\[\]*:]+(?:\(.*\)| [+|&-]?= .*);$", r"\1;"),
]
# Lines whose change says nothing about results: texts, checks of our own, declarations.
SKIPPED = re.compile(r'^\s*(//|#|\*|using |namespace |template|struct |class |enum |friend |case |default|'
                     r'static_assert|TIRX_CHECK|\[\[nodiscard\]\]|}|public:|private:)|"|fmt::|TIRX_CHECK|'
                     r'\bfor \(const auto|operator')

# What these files decide is how a report reads.
ONLY_TEXT = {"report.cpp", "race_report.cpp", "faults.cpp", "print.cpp"}


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)


class Builder:
    def __init__(self, build, work):
        self.build, self.work = build, work
        self.commands = {c["file"]: c for c in json.loads((build / "compile_commands.json").read_text())}
        lines = run(["ninja", "-C", str(build), "-t", "commands", "tirx"]).stdout.splitlines()
        self.link = [line for line in lines if " -o tirx " in line][-1]

    def compile(self, source, text, name):
        """The object of `text` in place of the source; None where it does not compile."""
        copy = self.work / (name + ".cpp")
        copy.write_text(text)
        command = self.commands[str(source)]
        words = [w for w in shlex.split(command["command"]) if w not in ("-Werror", "-O3", "-c", "-MD")]
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        words[words.index("-o") + 1] = str(self.work / (name + ".o"))
        words[words.index(command["file"])] = str(copy)
        done = run([*words, "-c", "-O1", "-w"], cwd=command["directory"])
        return self.work / (name + ".o") if done.returncode == 0 else None

    def machine_code(self, obj):
        return run(["objdump", "-dr", "--no-show-raw-insn", "-j", ".text", str(obj)]).stdout.split("\n", 3)[-1] + \
            run(["objdump", "-s", "-j", ".rodata", str(obj)]).stdout.split("\n", 3)[-1]

    def binary(self, source, obj):
        """tirx with the object in place of the source's own."""
        layer = source.relative_to(ROOT).parts[0]
        archive = f"libtirx_{layer}.a"
        own = re.search(r"-o (\S+)", self.commands[str(source)]["command"]).group(1)
        changed = self.work / archive
        shutil.copy(self.build / archive, changed)
        # The member keeps its name; sources of one name in two folders are told apart by their symbols.
        member = self.work / os.path.basename(own)
        shutil.copy(obj, member)
        members = run(["ar", "t", str(changed)]).stdout.split()
        if members.count(member.name) != 1:
            return None
        run(["ar", "rcs", str(changed), str(member)])
        target = self.work / "tirx"
        words = re.sub(r"(?<=\s)" + re.escape(archive), str(changed), self.link)
        words = words.replace(" -o tirx ", f" -o {target} ")
        done = run(words, shell=True, cwd=self.build)
        return target if done.returncode == 0 else None


def draw(dice, files):
    """One line of one file with one change; None where the draw hit nothing."""
    source = dice.choices(files, weights=[f.stat().st_size for f in files])[0]
    lines = source.read_text().split("\n")
    at = dice.randrange(len(lines))
    name, pattern, replacement = dice.choice(OPERATORS)
    if SKIPPED.search(lines[at]):
        return None
    matches = list(re.finditer(pattern, lines[at]))
    if not matches:
        return None
    match = dice.choice(matches)
    new = lines[at][:match.start()] + match.expand(replacement) + lines[at][match.end():] \
        if isinstance(replacement, str) else \
        lines[at][:match.start()] + replacement(match) + lines[at][match.end():]
    changed = lines[:at] + [new] + lines[at + 1:]
    return source, at + 1, name, lines[at].strip(), new.strip(), "\n".join(changed)


def fuzz(binary, options, found, first, programs, *more):
    """(what was found first, at which program, lines of the script)"""
    shutil.rmtree(found, ignore_errors=True)
    done = run(["nice", "-n", str(options.nice), str(binary), "fuzz", "--count", str(programs), "--seed", str(first),
                "--batch", "25", "--max-findings", "1", "--found", str(found), "--format", "json", *more])
    start = done.stdout.find("{\n")
    report = json.loads(done.stdout[start:done.stdout.rindex("}") + 1]) if start >= 0 else {}
    if not report.get("found"):
        return None, report.get("programs", 0), 0
    finding = report["found"][0]
    text = pathlib.Path(finding["file"]).read_text()
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return finding["kind"], finding["seed"] - options.first + 1, len(lines)


def negative(binary, options):
    """Broken checks are silent on valid programs; with a barrier removed they must speak."""
    done = run(["nice", "-n", str(options.nice), str(binary), "fuzz", "--negative", "--count",
                str(max(options.programs // 10, 50)), "--seed", str(options.first)])
    return "--negative" if done.returncode != 0 else None


def reduced(binary, options, found, program):
    return fuzz(binary, options, found, options.first + program - 1, 1, "--reduce-seconds", str(options.reduce))[2]


def emitted(binary, work, programs):
    """What the binary emits for each random program; its error where it emits nothing."""
    texts = []
    for seed in range(1, programs + 1):
        script = work / "program.tx"
        script.write_text(run([str(binary), "fuzz", "--print", "--seed", str(seed)]).stdout)
        texts.append(run([str(binary), "emit", "--cuda", str(script)]).stdout)
    return texts


def write_report(path, rows, refused, equal):
    with path.open("w") as out:
        out.write("| line | change | found as | at program | lines |\n|---|---|---|---|---|\n")
        for where, name, _, new, kind, programs, length in rows:
            text = new.replace("|", "\\|")
            out.write(f"| `{where}` | {name}: `{text}` | {kind or '**not found**'} | {programs} | {length or ''} |\n")
        found = sum(1 for row in rows if row[4])
        out.write(f"\n{found} of {len(rows)} found; {refused} more did not compile or link, {equal} left the machine "
                  "code as it was\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="seed of the first random program")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--reduce", type=int, default=60, help="seconds for shortening each finding; 0: do not")
    parser.add_argument("--nice", type=int, default=0, help="of the fuzzing, which takes most of the time")
    parser.add_argument("--part", nargs="+", default=["sim", "lower"])
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    builder = Builder(options.build, options.work)
    files = sorted(p for part in options.part for p in (ROOT / part).rglob("*.cpp")
                   if str(p) in builder.commands and p.name not in ONLY_TEXT)
    dice = random.Random(options.seed)
    emitter = options.part == ["backend_cuda"]
    baseline, good, rows = {}, None, []
    refused = equal = 0
    report = options.work / "report.md"
    while len(rows) < options.count:
        mutation = draw(dice, files)
        if mutation is None:
            continue
        source, line, name, old, new, text = mutation
        obj = builder.compile(source, text, "mutant")
        if obj is None:
            refused += 1
            continue
        if source not in baseline:
            baseline[source] = builder.machine_code(builder.compile(source, source.read_text(), "original"))
        # The file name is part of neither; a line moves nothing, as no line is added.
        if builder.machine_code(obj) == baseline[source]:
            equal += 1
            continue
        binary = builder.binary(source, obj)
        if binary is None:
            refused += 1
            continue
        begin = time.time()
        if emitter:
            good = good or emitted(options.build / "tirx", options.work, 60)
            bad = emitted(binary, options.work, 60)
            differing = [i for i in range(len(good)) if good[i] != bad[i]]
            folder = options.work / "emitted"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            kind, programs, length = ("text differs: a GPU must tell" if differing else None), 60, 0
            for i in differing[:8]:
                (folder / "k.cu").write_text(bad[i])
                if "__global__" not in bad[i] or run(
                        ["nvcc", "-arch=sm_90a", "-cubin", "-w", "-o", str(folder / "k.cubin"),
                         str(folder / "k.cu")]).returncode != 0:
                    kind, programs = "does not compile", i + 1
                    break
        else:
            kind, programs, _ = fuzz(binary, options, options.work / "found", options.first, options.programs,
                                     "--keep", "--seconds", str(options.seconds))
            length = 0
            if not kind:
                kind = negative(binary, options)
            if kind:
                binary.rename(options.work / f"tirx_{len(rows)}")
        where = f"{source.relative_to(ROOT)}:{line}"
        rows.append([where, name, old, new, kind, programs, length])
        print(f"{len(rows):3} {where} {name}: {kind or 'SURVIVES'} after {programs} programs, "
              f"{time.time() - begin:.0f} s\n      {old}\n      {new}", flush=True)
        write_report(report, rows, refused, equal)
    for number, row in enumerate(rows):
        if row[4] and row[4] != "--negative" and not emitter and options.reduce > 0:
            row[6] = reduced(options.work / f"tirx_{number}", options, options.work / "found", row[5])
            print(f"{number + 1:3} {row[0]}: {row[6]} lines", flush=True)
            write_report(report, rows, refused, equal)
    print(f"{sum(1 for row in rows if row[4])} of {len(rows)} broken builds found")


if __name__ == "__main__":
    main()
