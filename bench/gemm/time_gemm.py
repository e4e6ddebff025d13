# How fast are the emitted GEMMs, beside cuBLAS (through torch.matmul) and a register-only mma.sync loop?
#
#   python3 time_gemm.py OUT
#
# Reads kernels.json and the cubins beside it (bench/gemm/build makes them); writes OUT/gemm.txt and OUT/gemm.json.
# Needs PyTorch and a GPU, nothing of tirx.  Each figure is the median of groups of launches; the contestants take
# turns, so that they meet the same clocks.
import ctypes, json, os, statistics, subprocess, sys
import torch

here = os.path.dirname(os.path.abspath(__file__))
out = sys.argv[1]
cuda = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{what}: {code} {text.value}")


class Kernel:
    def __init__(self, path, name, shared):
        self.module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        with open(path, "rb") as f:
            image = f.read()
        check(cuda.cuModuleLoadData(ctypes.byref(self.module), image), path)
        check(cuda.cuModuleGetFunction(ctypes.byref(self.function), self.module, name.encode()), name)
        self.shared = shared
        if shared > 48 * 1024:
            check(cuda.cuFuncSetAttribute(self.function, 8, shared), "dynamic shared memory")

    def attribute(self, which):
        value = ctypes.c_int()
        check(cuda.cuFuncGetAttribute(ctypes.byref(value), which, self.function), "attribute")
        return value.value

    def resident(self, threads):
        n = ctypes.c_int()
        check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(ctypes.byref(n), self.function, threads,
                                                                ctypes.c_size_t(self.shared)), "occupancy")
        return n.value

    def launch(self, grid, block, args):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        pointers = (ctypes.c_void_p * len(args))(*[ctypes.cast(ctypes.pointer(a), ctypes.c_void_p) for a in args])
        check(cuda.cuLaunchKernel(self.function, *grid, *block, self.shared, stream, pointers, None), "launch")


def pointer(tensor):
    return ctypes.c_uint64(tensor.data_ptr())


def milliseconds(run, launches):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(launches):
        run()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / launches


torch.cuda.init()
torch.zeros(1, device="cuda")
lines, records = [], []


def say(text):
    print(text, flush=True)
    lines.append(text)


say(torch.cuda.get_device_name(0) + ", torch " + torch.__version__)
say(subprocess.run(["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.max.sm,power.draw", "--format=csv,noheader"],
                   capture_output=True, text=True).stdout.strip())
with open(os.path.join(here, "kernels.json")) as f:
    plan = json.load(f)

peak = Kernel(os.path.join(here, "mma_peak.cubin"), "mma_peak", 0)
sink = torch.zeros(1024, device="cuda")
sms = torch.cuda.get_device_properties(0).multi_processor_count
ROUNDS = 4000


def run_peak(per_sm):
    peak.launch((sms * per_sm, 1, 1), (128, 1, 1), [pointer(sink), ctypes.c_int(ROUNDS)])


for problem in plan["problems"]:
    kind, M, N, K = problem["kind"], problem["M"], problem["N"], problem["K"]
    torch.manual_seed(1)
    if kind == "f16":
        dtype = torch.float16
        a = torch.randn(M, K, device="cuda", dtype=torch.float32).to(dtype)
        b = torch.randn(N, K, device="cuda", dtype=torch.float32).to(dtype)
        ai = torch.randint(-1, 2, (M, K), device="cuda").to(dtype)
        bi = torch.randint(-1, 2, (N, K), device="cuda").to(dtype)
        c = torch.empty(M, N, device="cuda", dtype=dtype)
        reference = torch.empty(M, N, device="cuda", dtype=dtype)
        contestants = {"cuBLAS": lambda: torch.matmul(a, b.t(), out=reference)}
        exact = torch.matmul(ai, bi.t())
    elif kind == "fp8":
        a = (torch.randn(M, K, device="cuda") * 4).to(torch.float8_e4m3fn)
        b = (torch.randn(N, K, device="cuda") * 4).to(torch.float8_e4m3fn)
        ai, bi = a, b
        half_a, half_b = a.to(torch.float16), b.to(torch.float16)
        c = torch.empty(M, N, device="cuda", dtype=torch.bfloat16)
        reference = torch.empty(M, N, device="cuda", dtype=torch.float16)
        contestants = {"cuBLAS": lambda: torch.matmul(half_a, half_b.t(), out=reference)}
        exact = None
    else:
        a = torch.randint(-128, 128, (M, K), device="cuda", dtype=torch.int8)
        b = torch.randint(-128, 128, (N, K), device="cuda", dtype=torch.int8)
        ai, bi = a, b
        c = torch.empty(M, N, device="cuda", dtype=torch.int32)
        contestants = {"cuBLAS": lambda: torch._int_mm(a, b.t())}
        exact = torch._int_mm(ai, bi.t())
    say(f"{kind} {M} x {N} x {K}" + (", beside cuBLAS in f16" if kind == "fp8" else ""))

    def arguments(entry, first, second):
        """Pointers in the kernel's order, and what the result should be."""
        if entry.get("operands") == "f16":
            out = torch.empty(M, N, device="cuda", dtype=torch.float16)
            return [half_a, half_b, out], out, torch.matmul(half_a, half_b.t())
        if kind != "fp8":
            return [first, second, c], c, exact
        gm, gn = entry["granularity"]
        sfa = torch.rand((M + gm - 1) // gm, K // 128, device="cuda") + 0.5
        sfb = torch.rand((N + gn - 1) // gn, K // 128, device="cuda") + 0.5
        scaled_a = a.float() * sfa.repeat_interleave(gm, 0)[:M].repeat_interleave(128, 1)
        scaled_b = b.float() * sfb.repeat_interleave(gn, 0)[:N].repeat_interleave(128, 1)
        return [first, second, sfa, sfb, c], c, scaled_a @ scaled_b.t()
    for entry in problem["kernels"]:
        try:
            kernel = Kernel(os.path.join(here, entry["cubin"]), entry["name"], entry["shared"])
            grid, block = entry["grid"], entry["block"]
            tensors, result, wanted = arguments(entry, ai, bi)
            kernel.launch(grid, block, [pointer(t) for t in tensors])
            torch.cuda.synchronize()
            if kind == "fp8":
                error = (result.float() - wanted.float()).abs().max().item() / wanted.float().abs().max().item()
                right, verdict = error < 0.01, f"largest error {error:.1e} of the largest element"
            else:
                right = bool(torch.equal(result, wanted))
                verdict = f"integers {'equal' if right else 'DIFFER'}"
            say(f"  {entry['label']}: {kernel.attribute(4)} registers, {kernel.attribute(3)} bytes local, "
                f"{kernel.resident(block[0])} CTAs an SM, {verdict}")
            if right:
                timed = arguments(entry, a, b)[0]
                contestants[entry["label"]] = (lambda k=kernel, g=grid, t=block, p=timed:
                                               k.launch(g, t, [pointer(x) for x in p]))
        except Exception as error:
            say(f"  {entry['label']}: {error}")
    times = {label: [] for label in contestants}
    for run in contestants.values():
        for _ in range(5):
            run()
    torch.cuda.synchronize()
    for _ in range(7):
        for label, run in contestants.items():
            times[label].append(milliseconds(run, 20))
    flops = 2.0 * M * N * K
    base = statistics.median(times["cuBLAS"])
    for label, values in sorted(times.items(), key=lambda item: statistics.median(item[1])):
        median = statistics.median(values)
        rate = flops / median / 1e9
        say(f"  {label:40} {median * 1000:9.1f} us  {rate:7.1f} T/s  {base / median:5.3f} of cuBLAS "
            f"({min(values) * 1000:.1f} .. {max(values) * 1000:.1f})")
        records.append({"kind": kind, "M": M, "N": N, "K": K, "label": label, "us": median * 1000, "tflops": rate,
                        "of_cublas": base / median})

for per_sm in (1, 2, 4):
    run_peak(per_sm)
    torch.cuda.synchronize()
    values = [milliseconds(lambda: run_peak(per_sm), 3) for _ in range(5)]
    work = sms * per_sm * 4 * ROUNDS * 32 * 2.0 * 16 * 8 * 16
    rate = work / statistics.median(values) / 1e9
    say(f"register-only mma.sync m16n8k16 f16, {per_sm} CTAs of 4 warps an SM: {rate:.1f} TFLOP/s")
    records.append({"kind": "register loop", "label": f"{per_sm} CTAs an SM", "tflops": rate})
say(subprocess.run(["nvidia-smi", "--query-gpu=clocks.sm,power.draw,temperature.gpu", "--format=csv,noheader"],
                   capture_output=True, text=True).stdout.strip())
with open(os.path.join(out, "gemm.txt"), "w") as f:
    f.write("\n".join(lines) + "\n")
with open(os.path.join(out, "gemm.json"), "w") as f:
    json.dump(records, f, indent=1)
