"""Which mutants does the fuzzer notice, and which would somebody else have noticed?

A program that does not come by a mutant's choice behaves as ever; so every program and every test is
run once with nothing broken, which choices it comes by is written down, and a mutant meets only the
programs that come by it, in their order.  What is found in program N of these is found in program N.
"""
import collections
import concurrent.futures
import json
import pathlib
import re
import resource
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
UNITS = ["unit_sim-broken", "unit_lower-broken", "unit_tile-broken", "unit_backend_cuda-broken"]
FIRST = 150  # programs
CORPUS = ["tests/golden", "tests/fuzz/found", "examples"]
# These take ten seconds and more each, as much as a hundred others.
LARGE = {"22_simt_block_scaled_gemm.tx", "25_fp8_block_scaled_gemm.tx", "26_order_of_operations.tx"}
TOGETHER = 25  # scripts of the corpus in one process
CPU_SECONDS = 30  # per process: the programs of one take less than one


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def corpus(paths=CORPUS):
    """The scripts in the order in which `tirx fuzz --corpus` takes them."""
    files = [path for folder in paths for path in ([ROOT / folder] if folder.endswith(".tx") else
                                                   sorted((ROOT / folder).rglob("*.tx"), key=str))]
    return [str(path.relative_to(ROOT)) for path in files if path.name not in LARGE]


class Judge:
    def __init__(self, options, name):
        self.options, self.work = options, options.work
        self.table = json.loads((self.work / "mutants.json").read_text())
        self.mutants = [m for m in self.table["mutants"] if not m.get("refused")]
        self.verdicts_file = self.work / f"verdicts_{name}.json"
        self.verdicts = json.loads(self.verdicts_file.read_text()) if self.verdicts_file.exists() else {}
        self.lock = threading.Lock()
        self.scripts = corpus() if "corpus" in options.steps else []
        self.met = {}  # mutant -> scripts of the corpus that come by it
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)

    def save(self, number, **said):
        with self.lock:
            self.verdicts.setdefault(str(number), {}).update(said)
            self.verdicts_file.write_text(json.dumps(self.verdicts, indent=1))

    def run(self, program, *words, mutant=0, reached=None, seconds=600):
        """(exit code or None where it does not end, output)"""
        env = {"PATH": "/usr/bin:/bin:/usr/local/cuda/bin", "TIRX_BROKEN": str(mutant), "HOME": "/nonexistent",
               "TIRX_NVRTC": "/nonexistent"}
        if reached is not None:
            env["TIRX_BROKEN_REACHED"] = str(reached)
        with tempfile.TemporaryDirectory(prefix="tirx-broken") as folder:
            try:
                done = subprocess.run(["nice", "-n", str(self.options.nice), str(self.work / program),
                                       *(w.replace("{tmp}", folder) for w in words)],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                      env=env, cwd=folder, preexec_fn=limits, timeout=seconds)
                return done.returncode, done.stdout
            except subprocess.TimeoutExpired:
                return None, ""

    def came_by(self, program, *words):
        """The choices that a run with nothing broken comes by, whether it passed, and its output."""
        with tempfile.NamedTemporaryFile() as file:
            code, text = self.run(program, *words, reached=file.name)
            return {i for i, byte in enumerate(file.read()) if byte}, code == 0, text

    def reach(self, name, keys, words):
        """mutant -> keys of what comes by it; kept in a file, as it takes minutes."""
        path = self.work / f"reach_{name}_{self.options.first}_{len(keys)}.json"
        larger = [other for other in self.work.glob(f"reach_{name}_{self.options.first}_*.json")
                  if name != "tests" and int(other.stem.split("_")[-1]) >= len(keys)]
        if larger:
            known, wanted = json.loads(larger[0].read_text())["reach"], set(keys)
            return {int(k): [key for key in v if key in wanted] for k, v in known.items()}
        if not path.exists():
            by_mutant, bad = collections.defaultdict(list), []
            for key, (found, passed, _) in zip(keys, self.pool.map(lambda k: self.came_by(*words(k)), keys)):
                if not passed:
                    bad.append(key)
                for mutant in found if passed else ():
                    by_mutant[mutant].append(key)
            path.write_text(json.dumps({"bad": bad, "reach": by_mutant}))
            print(f"{name}: {len(keys)} runs with nothing broken, {len(bad)} of them fail: {bad[:5]}", flush=True)
        return {int(k): v for k, v in json.loads(path.read_text())["reach"].items()}

    def groups(self, seeds, most=100):
        """Runs of neighbouring seeds; small gaps are cheaper than another process."""
        group = []
        for seed in seeds:
            if group and (seed - group[-1] > 4 or seed - group[0] >= most):
                yield group[0], group[-1] - group[0] + 1
                group = []
            group.append(seed)
        if group:
            yield group[0], group[-1] - group[0] + 1

    def first_find(self, mutant, seeds, words, pattern):
        """The first of the seeds with which the mutant is found, and what was said; only a program counts
        that comes by the mutant and passes with nothing broken."""
        wanted, at = set(seeds), 0
        while at < len(seeds):
            first, count = next(self.groups(seeds[at:]))
            code, text = self.run("tirx-broken", "fuzz", *words(mutant, first, count), mutant=mutant)
            behind = first + count
            if code is None:
                return {"kind": "undecided", "at": first, "text": "the run did not end"}
            for match in re.finditer(pattern, text, re.M) if code != 0 else ():
                seed = int(match.group(1))
                behind = seed + 1
                if seed in wanted and self.run("tirx-broken", "fuzz", *words(0, seed, 1))[0] == 0:
                    return {"at": len(self.scripts) + seed - self.options.first + 1, "kind": match.group(2), "text": match.group(3)[:300]}
                break
            at = sum(1 for seed in seeds if seed < behind)
        return None

    def fuzz(self, mutant, seeds):
        def words(number, first, count):
            return ("--count", str(count), "--seed", str(first), "--batch", "25", "--max-findings", "1", "--keep",
                    "--found", str(self.work / "found" / str(number)))
        found = self.first_find(mutant, seeds, words, r"^seed (\d+): ([^:\n]*(?:: signal \d+)?)((?:: .*)?)$")
        if found and found["kind"] == "crash: signal 24":
            found["kind"] = "timeout"
        return found

    def corpus(self, mutant, scripts):
        """The first of the scripts that notices the mutant; each passes with nothing broken."""
        def words(names):
            return ("fuzz", "--corpus", *(str(ROOT / name) for name in names), "--count", str(len(names)), "--batch",
                    str(TOGETHER), "--max-findings", "1", "--keep", "--found", str(self.work / "found" / str(mutant)))
        at = 0
        while at < len(scripts):
            group = scripts[at:at + TOGETHER]
            code, text = self.run("tirx-broken", *words(group), mutant=mutant)
            if code is None:
                return {"kind": "undecided", "text": "the run did not end"}
            at += len(group)
            found = re.search(r"^(/\S+\.tx): ([^:\n]*(?:: signal \d+)?)((?:: .*)?)$", text, re.M) if code != 0 else None
            if not found:
                continue
            name = str(pathlib.Path(found.group(1)).relative_to(ROOT))
            at = scripts.index(name) + 1
            if self.run("tirx-broken", *words([name]))[0] == 0:
                kind = "timeout" if found.group(2) == "crash: signal 24" else found.group(2)
                return {"at": self.scripts.index(name) + 1, "kind": kind, "script": name, "text": found.group(3)[:300]}
        return None

    def negative(self, mutant, seeds):
        def words(_, first, count):
            return ("--negative", "--count", str(count), "--seed", str(first), "--batch", "25")
        found = self.first_find(mutant, seeds, words,
                                r"^seed (\d+): (missed|false alarm|planted fault|crash: signal \d+|\w+)(.*)$")
        if found and found["kind"] != "undecided":
            found["kind"] = "--negative: " + found["kind"]
        return found

    def suite(self, mutant):
        """The project's own tests that fail."""
        failing = []
        golden = [name for name in self.tests.get(mutant, []) if name.endswith(".tx")]
        for name in golden:
            code, _ = self.run("golden_runner-broken", str(ROOT / name), mutant=mutant, seconds=120)
            if code != 0:
                failing.append(name)
            if len(failing) >= 4:
                return failing
        for name in self.tests.get(mutant, []):
            if failing or name.endswith(".tx"):
                continue
            code, text = self.run(name, "--abort-after=1", mutant=mutant, seconds=300)
            if code != 0:
                case = re.search(r"^TEST CASE: +(.*)$", text, re.M)
                failing.append(f"{name}: {case.group(1) if case else code}")
        return failing

    def decide(self, mutant, step):
        number = mutant["number"]
        verdict = self.verdicts.get(str(number), {})
        if step in verdict or (verdict.get("found") or {"kind": "undecided"})["kind"] != "undecided":
            return
        seeds = self.fuzzed.get(number, []) if step in ("begin", "fuzz") else []
        if step == "begin":
            self.save(number, begin=True, programs=len(seeds), found=self.fuzz(number, seeds[:FIRST]))
        elif step == "fuzz":
            self.save(number, fuzz=True, found=self.fuzz(number, seeds[FIRST:]))
        elif step == "corpus":
            self.save(number, corpus=True, scripts=len(self.met.get(number, [])),
                      found=self.corpus(number, self.met.get(number, [])))
        elif step == "negative":
            self.save(number, negative=True, found=self.negative(number, self.removed.get(number, [])))
        else:
            self.save(number, suite=True, tests=len(self.tests.get(number, [])), failing=self.suite(number))
        verdict = self.verdicts[str(number)]
        if verdict.get("found"):
            self.save(number, by={"begin": "random", "fuzz": "random", "negative": "--negative"}.get(step, step))
        told = verdict.get("found") or verdict.get("failing") or "nothing"
        print(f"{number:4} {step:8} {mutant['file']}:{mutant['line']} {mutant['operator']}: {told}", flush=True)

    def reach_tests(self):
        names = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "tests/golden").rglob("*.tx"))
        self.tests = self.reach("tests", names + UNITS, lambda n: (
            ("golden_runner-broken", str(ROOT / n)) if n.endswith(".tx") else (n,)))

    def seeds(self):
        # The scripts of the corpus are programs, too.
        first = self.options.first
        return list(range(first, first + self.options.programs - len(self.scripts)))

    def reach_random(self):
        self.fuzzed = self.reach("fuzz", self.seeds(), lambda s: (
            "tirx-broken", "fuzz", "--count", "1", "--seed", str(s), "--found", "{tmp}"))

    def reach_corpus(self):
        """In the order of the files: the examples, which take longest, are last."""
        self.met = self.reach("corpus", self.scripts, lambda name: (
            "tirx-broken", "fuzz", "--count", "1", "--found", "{tmp}", "--corpus", str(ROOT / name)))

    def simulator_and_lowering(self):
        options = self.options
        chosen = [m for m in self.mutants if m["part"] != "backend_cuda"]
        if options.only:
            chosen = [m for m in chosen if m["number"] in options.only]
        self.reach_random()
        self.removed = self.reach("negative", self.seeds()[:options.negative], lambda s: (
            "tirx-broken", "fuzz", "--negative", "--count", "1", "--seed", str(s)))
        if self.scripts:
            self.reach_corpus()
        if "suite" in options.steps:
            self.reach_tests()
        # Most are found at once; the others meet everything else before they meet all programs.
        for step in options.steps:
            order = sorted(chosen, key=lambda m: len(self.fuzzed.get(m["number"], [])))
            list(self.pool.map(lambda m: self.decide(m, step), order))

    def emitter(self):
        """What needs no GPU: the lines of random programs that claim what their CUDA holds, the corpus and the tests.
        The rest is for tests/device/broken."""
        chosen = [m for m in self.mutants if m["part"] == "backend_cuda"]
        if self.options.only:
            chosen = [m for m in chosen if m["number"] in self.options.only]
        reach = {"begin": self.reach_random, "fuzz": self.reach_random, "corpus": self.reach_corpus,
                 "suite": self.reach_tests}
        for step in self.options.steps:
            if step in reach:
                reach[step]()
                list(self.pool.map(lambda m: self.decide(m, step), chosen))


def judge(options):
    if "emitter" in options.parts:
        Judge(options, "emitter").emitter()
    if "simulator" in options.parts:
        Judge(options, "simulator").simulator_and_lowering()


def report(options):
    judging, emitter = Judge(options, "simulator"), Judge(options, "emitter")
    judging.verdicts = {**emitter.verdicts, **judging.verdicts}
    with (options.work / "report.md").open("w") as out:
        out.write("| no | line | change | found as | by | at program | tests that fail |\n|---|---|---|---|---|---|---|\n")
        for mutant in judging.mutants:
            verdict = judging.verdicts.get(str(mutant["number"]), {})
            found = verdict.get("found") or {}
            new = mutant["new"].replace("|", "\\|")
            out.write(f"| {mutant['number']} | `{mutant['file']}:{mutant['line']}` | {mutant['operator']}: `{new}` | "
                      f"{found.get('kind', '**not found**')} | {verdict.get('by', '')} {found.get('script', '')} | "
                      f"{found.get('at', '')} | "
                      f"{', '.join(verdict.get('failing', [])).replace('|', '/')} |\n")
        by = collections.Counter((m["part"], judging.verdicts.get(str(m["number"]), {}).get("by", "nobody"))
                                 for m in judging.mutants)
        out.write("\n| part | found by | mutants |\n|---|---|---|\n")
        for (part, who), count in sorted(by.items()):
            out.write(f"| {part} | {who} | {count} |\n")
    print(options.work / "report.md")
