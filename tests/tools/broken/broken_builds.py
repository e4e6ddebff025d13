#!/usr/bin/env python3
"""Does tirx fuzz notice a broken tirx?  One program holds some hundred broken variants of simulator,
lowering and emitter; a choice at run time takes one of them, and the fuzzer runs on it.

  broken_builds.py draw BUILD WORK [--seed 5] [--draw sim=80 lower=50 backend_cuda=50]
  broken_builds.py carry BUILD WORK --table mutants.json
  broken_builds.py link  BUILD WORK
  broken_builds.py judge BUILD WORK [--programs 2000] [--negative 1000] [--only 3 7 12]
  broken_builds.py report BUILD WORK

BUILD is a finished build (with -DTIRX_UNITY=OFF); nothing in it and none of the sources changes.  WORK gets the objects, the
programs, mutants.json (what was drawn), verdicts.json and report.md.  The same seed and the same
sources draw the same mutants.  docs/testing.md, "Broken builds", says what counts as broken.
"""
import argparse
import json
import pathlib
import random

import building
import judging
import schemata

ROOT = building.ROOT
# What these decide is how a report or a listing reads, or counts that no verdict depends on.
ONLY_TEXT = {"report.cpp", "race_report.cpp", "faults.cpp", "faults.hpp", "print.cpp", "stats.cpp", "stats.hpp"}
# Compiles, caches and launches what was emitted; and the host launcher, which only nvcc's users run.
NOT_EMITTING = {"captured_output.cpp", "compile_apart.cpp", "cubin_cache.cpp", "device.cpp", "driver.cpp", "driver.hpp",
                "launch.cpp", "launcher.cpp", "library.cpp", "nvrtc.cpp"}


def sources(part):
    # The emitter's headers declare; those of simulator and lowering hold code that runs.
    patterns = ["*.cpp"] if part == "backend_cuda" else ["*.cpp", "*.hpp"]
    for path in sorted(p for pattern in patterns for p in (ROOT / part).rglob(pattern)):
        if path.name not in ONLY_TEXT | NOT_EMITTING:
            yield str(path.relative_to(ROOT)), path.read_text()


def draw(options):
    dice, mutants, pools = random.Random(options.seed), [], {}
    for part, count in (word.split("=") for word in options.draw):
        drawn, pools[part] = schemata.draw(dice, list(sources(part)), int(count), part == "backend_cuda",
                                           len(mutants) + 1)
        mutants += [dict(mutant, part=part) for mutant in drawn]
    make(options, {"seed": options.seed, "statements": pools, "mutants": mutants})


def carry(options):
    """The mutants of an earlier table in the sources of today."""
    table, mutants = json.loads(options.table.read_text()), []
    for mutant in table["mutants"]:
        found = None
        if not mutant.get("refused") and (ROOT / mutant["file"]).exists():
            found = schemata.again((ROOT / mutant["file"]).read_text(), mutant, mutant["part"] == "backend_cuda")
        if found is None and not mutant.get("refused"):
            print(f"gone: {mutant['number']} {mutant['file']}:{mutant['line']}")
        mutants.append(found or dict(mutant, refused=True))
    make(options, dict(table, mutants=mutants))


def make(options, table):
    builder = building.Building(options.build, options.work, options.jobs, options.nice)
    mutants = table["mutants"]
    builder.link(builder.compile(schemata.schema, mutants))
    for folder in (options.work, options.work / "gpu"):
        (folder / "mutants.json").write_text(json.dumps(table, indent=1))
    refused = sum(1 for m in mutants if m.get("refused"))
    print(f"{len(mutants)} drawn of {sum(table['statements'].values())} statements, {refused} do not compile")


def link(options):
    """After the build has changed where no mutant is: in the fuzzer."""
    mutants = json.loads((options.work / "mutants.json").read_text())["mutants"]
    builder = building.Building(options.build, options.work, options.jobs, options.nice)
    builder.link(builder.touched({m["file"] for m in mutants}))
    for reached in options.work.glob("reach_*.json"):
        reached.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["draw", "carry", "link", "judge", "report"])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--draw", nargs="+", default=["sim=80", "lower=50", "backend_cuda=50"])
    parser.add_argument("--table", type=pathlib.Path, help="carry: mutants.json of an earlier run")
    parser.add_argument("--first", type=int, default=1, help="seed of the first random program")
    parser.add_argument("--programs", type=int, default=2000, help="with the scripts of the corpus, which come first")
    parser.add_argument("--negative", type=int, default=1000, help="programs of fuzz --negative")
    parser.add_argument("--parts", nargs="+", default=["emitter", "simulator"], help="simulator: with the lowering")
    parser.add_argument("--steps", nargs="+", default=["begin", "corpus", "negative", "suite", "fuzz"],
                        help="what a mutant meets, in this order, until it is found")
    parser.add_argument("--only", type=int, nargs="+", default=[], help="these mutants")
    parser.add_argument("--reduce", type=int, default=0, help="seconds for shortening each finding; 0: do not")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--nice", type=int, default=10)
    options = parser.parse_args()
    options.build, options.work = options.build.resolve(), options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    {"draw": draw, "carry": carry, "link": link, "judge": judging.judge, "report": judging.report}[options.step](options)


if __name__ == "__main__":
    main()
