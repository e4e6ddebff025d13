"""One program that holds all mutants: the files with their choices, compiled and linked in place of
the build's own.  Nothing in the build or in the sources changes."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = ["tirx", "tests/golden_runner", "tests/unit_sim", "tests/unit_lower", "tests/unit_tile",
            "tests/unit_backend_cuda"]

# Which mutant: TIRX_BROKEN.  Which choices a run came by: bytes of the file TIRX_BROKEN_REACHED.
HEADER = """#pragma once
namespace tirx_broken {
extern int number;
extern unsigned char* reached;
// What only the compiler evaluates is not broken.
constexpr bool is(int mutant) {
  if (__builtin_is_constant_evaluated()) return false;
  reached[mutant] = 1;
  return number == mutant;
}
}
"""
CHOICE = """#include "tirx_broken.hpp"
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
namespace tirx_broken {
static unsigned char nowhere[4096];
int number = 0;
unsigned char* reached = nowhere;
// Before any other initialiser.
__attribute__((constructor(101))) static void begin() {
  const char* mutant = std::getenv("TIRX_BROKEN");
  if (mutant != nullptr) number = std::atoi(mutant);
  const char* path = std::getenv("TIRX_BROKEN_REACHED");
  if (path == nullptr) return;
  const int file = open(path, O_RDWR | O_CREAT, 0644);
  if (file < 0 || ftruncate(file, sizeof nowhere) != 0) return;
  void* shared = mmap(nullptr, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared != MAP_FAILED) reached = static_cast<unsigned char*>(shared);
}
}
"""


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)


class Building:
    def __init__(self, build, work, jobs, nice):
        self.build, self.work, self.jobs, self.nice = build, work, jobs, nice
        if "TIRX_UNITY:BOOL=ON" in (build / "CMakeCache.txt").read_text():
            sys.exit(f"{build} compiles several files at once; a mutant is one file: configure it with -DTIRX_UNITY=OFF")
        self.tree = work / "tree"
        self.commands = {c["file"]: c for c in json.loads((build / "compile_commands.json").read_text())}
        self.deps = self.read_deps()

    def read_deps(self):
        """object -> the project's files that it was made of"""
        deps, current = {}, None
        for line in run(["ninja", "-C", str(self.build), "-t", "deps"]).stdout.splitlines():
            if line and not line.startswith(" "):
                current = deps.setdefault(line.split(": #deps")[0], set())
            elif line.strip() and current is not None:
                path = os.path.normpath(self.build / line.strip())
                if path.startswith(f"{ROOT}/"):
                    current.add(os.path.relpath(path, ROOT))
        return deps

    def command(self, source, obj, extra):
        entry = self.commands[str(ROOT / source)]
        words = [w for w in shlex.split(entry["command"]) if w not in ("-Werror", "-O3", "-c")]
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        words[words.index("-o") + 1] = str(obj)
        changed = self.tree / source
        words[words.index(entry["file"])] = str(changed if changed.exists() else ROOT / source)
        # What is mutated is found before what is not.
        return ["nice", "-n", str(self.nice), words[0], f"-I{self.tree}", "-include", str(self.tree / "tirx_broken.hpp"),
                *words[1:], "-c", "-O2", "-w", *extra]

    def touched(self, files):
        """source -> object, of all that the files are part of."""
        found = {}
        for source, entry in self.commands.items():
            name = os.path.relpath(source, ROOT)
            obj = re.search(r" -o (\S+)", entry["command"]).group(1)
            if (self.deps.get(obj, set()) | {name}) & files and not name.startswith("tests/"):
                found[name] = obj
        return found

    def write(self, schema, mutants):
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in {m["file"] for m in mutants}:
            own = [m for m in mutants if m["file"] == name]
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = schema((ROOT / name).read_text(), [m for m in own if not m.get("refused")])
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
        for name, text in (("tirx_broken.hpp", HEADER), ("tirx_broken.cpp", CHOICE)):
            if not (self.tree / name).exists():
                (self.tree / name).write_text(text)

    def compile(self, schema, mutants):
        """Compiles everything touched; a mutant that the compiler refuses is marked so."""
        wanted = self.touched({m["file"] for m in mutants})
        for _ in range(6):
            self.write(schema, mutants)
            refused, before = 0, {m["number"] for m in mutants if m.get("refused")}
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                for source, lines in pool.map(lambda s: self.compile_one(s, wanted[s]), sorted(wanted)):
                    refused += self.mark_refused([m for m in mutants if m["number"] not in before], lines)
            if refused == 0:
                return wanted
        raise SystemExit("what is left does not compile")

    @staticmethod
    def mark_refused(mutants, lines):
        """The compiler's lines name the mutants; where none does, the one before the first line is it."""
        # One in a header is refused by several sources, so those that this round has refused are there too.
        blamed = [m for m in mutants if (m["file"], m["line"]) in lines]
        for path, line in sorted(lines) if not blamed else []:
            before = [m for m in mutants if m["file"] == path and m["line"] < line]
            if before:
                blamed = [max(before, key=lambda m: m["line"])]
                break
        for mutant in blamed:
            mutant["refused"] = True
        if lines and not blamed:
            raise SystemExit(f"no mutant is to blame for {sorted(lines)}")
        return len(blamed)

    def compile_one(self, source, obj):
        target = self.work / "objects" / obj
        target.parent.mkdir(parents=True, exist_ok=True)
        newest = max([(self.tree / f).stat().st_mtime for f in self.deps.get(obj, set()) | {source}
                      if (self.tree / f).exists()] or [0])
        if target.exists() and target.stat().st_mtime > newest:
            return source, set()
        done = run(self.command(source, target, []), cwd=self.build)
        if done.returncode == 0:
            print(f"compiled {source}", flush=True)
            return source, set()
        target.unlink(missing_ok=True)
        lines = {(os.path.relpath(path, self.tree), int(line))
                 for path, line in re.findall(r"^(?:In file included from |\s+from )?(\S+?):(\d+)[:,]", done.stdout, re.M)
                 if path.startswith(str(self.tree))}
        print(f"refused  {source}: {sorted(lines)}", flush=True)
        if not lines:
            raise SystemExit(done.stdout[:3000])
        return source, lines

    def link(self, wanted):
        choice = self.work / "objects" / "tirx_broken.o"
        done = run(["c++", "-std=c++20", "-O2", "-c", "-o", str(choice), str(self.tree / "tirx_broken.cpp")])
        if done.returncode != 0:
            raise SystemExit(done.stdout)
        changed = {obj: self.work / "objects" / obj for obj in wanted.values()}
        archives = {}
        for archive in sorted(self.build.glob("libtirx_*.a")):
            line = run(["ninja", "-C", str(self.build), "-t", "commands", archive.name]).stdout.splitlines()[-1]
            objects = re.search(r"ar qc \S+ +(.*?) &&", line).group(1).split()
            if not set(objects) & set(changed):
                continue
            target = self.work / archive.name
            target.unlink(missing_ok=True)
            run(["ar", "qcs", str(target), *[str(changed.get(o, o)) for o in objects]], cwd=self.build)
            archives[archive.name] = target
        for program in PROGRAMS:
            line = run(["ninja", "-C", str(self.build), "-t", "commands", program]).stdout.splitlines()[-1]
            for name, target in archives.items():
                line = re.sub(r"(?<=\s)" + re.escape(name), str(target), line)
            out = self.work / (os.path.basename(program) + "-broken")
            line = line.replace(f" -o {program} ",
                                f" -static-libstdc++ -static-libgcc -Wl,-rpath,'$ORIGIN' -o {out}.new ")
            line = re.sub(r" && :$", f" {choice} && :", line)
            done = run(line, shell=True, cwd=self.build)
            if done.returncode != 0:
                raise SystemExit(done.stdout[-3000:])
            os.replace(f"{out}.new", out)
        carried = self.work / "gpu"
        carried.mkdir(exist_ok=True)
        run(["strip", "-o", str(carried / "tirx-broken"), str(self.work / "tirx-broken")])
        for path in re.findall(r"=> (/\S*libfmt\S*)", run(["ldd", str(self.work / "tirx-broken")]).stdout):
            shutil.copy(path, carried)
