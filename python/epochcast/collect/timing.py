"""The measuring protocol: warm up until stable, sample until the median is known, look for drift."""
import math
import re
import resource
import statistics
import subprocess
import time

WINDOW = 5                # calls of a warm-up window
STABLE_FRAC = 0.05        # two neighbouring windows of warm-up agree within this
WARM_UP_SHARE = 0.25      # of the budget at most
CI_FRAC = 0.02            # width of the median's confidence interval that ends sampling
SAMPLES_MIN, SAMPLES_MAX = 10, 400
DRIFT_FRAC = 0.10         # first third against last third
CPU_SAMPLE_NS, CUDA_SAMPLE_NS = 50e3, 400e3  # a sample is made of enough calls to last that long
CALLS_MAX = 200            # so that a device's queue takes them all
AHEAD_MAX_NS, AHEAD_MARGIN = 20e6, 1.5
CLOCK_MAX_GHZ = 3.0        # where the driver does not tell
SWITCHES_PER_S = 25       # more of them against the process's will, and others share its cores
LONG_BUDGETS = 4           # of these, and a row ends with a single sample if it must


class HostClock:
    """A device that has finished when the call returns."""

    def __init__(self):
        self.sample_ns = CPU_SAMPLE_NS

    def sample(self, fn, calls):
        start = time.perf_counter_ns()
        for _ in range(calls):
            fn()
        return (time.perf_counter_ns() - start) / calls, None


class ThreadClock:
    """What the calling thread takes of a processor, for a machine that others load: with one thread only."""

    def __init__(self):
        self.sample_ns = CPU_SAMPLE_NS

    def sample(self, fn, calls):
        clock = time.CLOCK_THREAD_CPUTIME_ID
        wall, start = time.perf_counter_ns(), time.clock_gettime_ns(clock)
        for _ in range(calls):
            fn()
        own_ns = time.clock_gettime_ns(clock) - start
        return (time.perf_counter_ns() - wall) / calls, own_ns / calls


class Company:
    """Whether other processes took the cores while samples were taken: a host's times are theirs too then."""

    def __init__(self):
        self.switches, self.start = self.count(), time.monotonic()

    @staticmethod
    def count():
        return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw

    def disturbs(self):
        seconds = max(time.monotonic() - self.start, 1e-3)
        return self.count() - self.switches > max(SWITCHES_PER_S * seconds, 2)


class CudaClock:
    """Events on the device, and the host's clock until the device has finished. With `ahead` the same calls are
    made once more while the device is kept busy: all of them are queued when it comes to them, and the events tell
    the time of the kernels alone, not how fast the host issues them. Calls that take the host longer than
    AHEAD_MAX_NS to issue are timed as they are."""

    def __init__(self, torch, ahead):
        self.cuda = torch.cuda
        self.ahead = ahead and hasattr(torch.cuda, "_sleep")
        self.sample_ns = CUDA_SAMPLE_NS
        self.cycles_per_ns = max_clock_ghz() if self.ahead else 0

    def timed(self, fn, calls, busy_ns):
        """(host ns until all is issued, until all is done, device ns), of all calls."""
        begin, end = self.cuda.Event(enable_timing=True), self.cuda.Event(enable_timing=True)
        self.cuda.synchronize()
        if busy_ns:
            self.cuda._sleep(int(busy_ns * self.cycles_per_ns))
        start = time.perf_counter_ns()
        begin.record()
        for _ in range(calls):
            fn()
        end.record()
        issued_ns = time.perf_counter_ns() - start
        self.cuda.synchronize()
        return issued_ns, time.perf_counter_ns() - start, begin.elapsed_time(end) * 1e6

    def sample(self, fn, calls):
        issued_ns, host_ns, device_ns = self.timed(fn, calls, 0)
        if self.ahead and issued_ns < AHEAD_MAX_NS:
            _, _, device_ns = self.timed(fn, calls, AHEAD_MARGIN * issued_ns)
        return host_ns / calls, device_ns / calls


def smi(query):
    """What nvidia-smi answers, cell by cell; nothing where there is none."""
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader,nounits"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [cell.strip() for cell in done.stdout.decode(errors="replace").replace("\n", ",").split(",")]


def max_clock_ghz():
    clocks = [float(cell) / 1000 for cell in smi("clocks.max.sm") if re.fullmatch(r"[\d.]+", cell)]
    return max(clocks, default=CLOCK_MAX_GHZ)


class Measured:
    """What one row's calls gave."""

    def __init__(self):
        self.host_ns, self.device_ns = [], []
        self.ended_s = []  # time of day of each iteration's end
        self.n_warm_up = 0
        self.calls = 1
        self.stop = "budget"
        self.flags = []
        self.outcome = "ok"
        self.note = ""

    def add(self, host_ns, device_ns):
        self.host_ns.append(host_ns)
        if device_ns is not None:
            self.device_ns.append(device_ns)

    def times(self):
        return self.device_ns or self.host_ns


def median_ci_frac(values):
    """Width of the 95 % confidence interval of the median, by ranks, as a share of the median."""
    n = len(values)
    ordered = sorted(values)
    half = 0.98 * math.sqrt(n)
    low, high = int(math.floor(n / 2 - half)), int(math.ceil(n / 2 + half))
    if low < 0 or high >= n:
        return math.inf
    return (ordered[high] - ordered[low]) / max(statistics.median(ordered), 1e-9)


def drifted(values):
    """The last third is slower or faster than the first by more than the spread explains."""
    third = len(values) // 3
    if third < 3:
        return False
    first, last = statistics.median(values[:third]), statistics.median(values[-third:])
    quartiles = max(spread(values[:third]), spread(values[-third:]))
    return abs(last - first) > max(DRIFT_FRAC * first, 2 * quartiles)


def spread(values):
    """Between the quartiles."""
    ordered = sorted(values)
    return ordered[3 * len(values) // 4] - ordered[len(values) // 4]


def clocks_held_down():
    """The driver says that heat or power limits the clocks; False where nobody tells."""
    reasons = ("hw_slowdown", "sw_thermal_slowdown", "sw_power_cap")
    return "Active" in smi(",".join("clocks_throttle_reasons." + reason for reason in reasons))


def calls_for(clock, first_ns):
    return int(min(CALLS_MAX, max(1, math.ceil(clock.sample_ns / max(first_ns, 1)))))


def warm_up(clock, fn, budget_s, m):
    """Calls until two neighbouring windows agree; leaves calls per sample in m. The first call may compile, and
    load libraries: the budget begins after it. Returns when that was."""
    first, _ = clock.sample(fn, 1)
    start = time.monotonic()
    until = start + WARM_UP_SHARE * budget_s
    second, _ = clock.sample(fn, 1)
    m.n_warm_up = 2
    m.calls = calls_for(clock, min(first, second))
    before = None
    while time.monotonic() < until:
        window = []
        for _ in range(WINDOW):
            window.append(clock.sample(fn, m.calls)[0])
            m.n_warm_up += m.calls
            if time.monotonic() >= until:
                break
        now = statistics.median(window)
        m.calls = calls_for(clock, now)
        if before and abs(now - before) <= STABLE_FRAC * before:
            break
        before = now
    return start


def over(start, budget_s, n):
    """Three samples at least, unless they take several budgets."""
    spent = time.monotonic() - start
    return spent > budget_s and n >= 3 or spent > LONG_BUDGETS * budget_s


class Budget:
    """How long a row is measured: seconds, or with `iterations` so many calls after `warm_up` others."""

    def __init__(self, seconds, warm_up=0, iterations=0):
        self.seconds, self.warm_up, self.iterations = seconds, warm_up, iterations


def measure(clock, fn, budget):
    """Samples of fn()."""
    if budget.iterations:
        return measure_iterations(clock, fn, budget)
    m = Measured()
    start = warm_up(clock, fn, budget.seconds, m)
    company = Company()
    while True:
        host_ns, device_ns = clock.sample(fn, m.calls)
        m.add(host_ns, device_ns)
        n = len(m.host_ns)
        if n >= SAMPLES_MIN and (n % 5 == 0 or n < 20) and median_ci_frac(m.times()) <= CI_FRAC:
            m.stop = "ci"
            break
        if n >= SAMPLES_MAX:
            m.stop = "count"
            break
        if over(start, budget.seconds, n):
            break
    judge(m, company)
    return m


def measure_iterations(clock, fn, budget):
    """A number of calls that does not depend on their times, as processes that wait for each other need it."""
    m = Measured()
    m.stop = "count"
    for _ in range(budget.warm_up):
        clock.sample(fn, 1)
        m.n_warm_up += 1
    company = Company()
    for _ in range(budget.iterations):
        m.add(*clock.sample(fn, 1))
        m.ended_s.append(time.time())
    judge(m, company)
    return m


def measure_difference(clock, few, many, copies, budget):
    """Marginal time: (time of `many` - time of `few`) / copies, pair by pair. A pair whose difference
    noise has made negative counts as zero."""
    m = Measured()
    start = warm_up(clock, many, budget.seconds, m)
    clock.sample(few, m.calls)
    company = Company()
    most = budget.iterations or SAMPLES_MAX
    while len(m.host_ns) < most:
        a, b = clock.sample(few, m.calls), clock.sample(many, m.calls)
        m.add(max(b[0] - a[0], 0) / copies, None if b[1] is None else max(b[1] - a[1], 0) / copies)
        n = len(m.host_ns)
        if budget.iterations:
            continue
        if n >= SAMPLES_MIN and median_ci_frac(m.times()) <= 2 * CI_FRAC:
            m.stop = "ci"
            break
        if over(start, budget.seconds, n):
            break
    judge(m, company)
    return m


def judge(m, company):
    if not m.device_ns and company.disturbs():
        m.flags.append("preempted")
    if drifted(m.times()):
        m.outcome = "unstable"
        held = bool(m.device_ns) and clocks_held_down()
        m.flags.append("throttled" if held else "drift")
        m.note = "the last third of the samples differs from the first"
