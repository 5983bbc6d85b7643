"""Parts of docs/accuracy.md that judge hardest: each table at its hardest split, the stricter splits of the laws alone, rows that
are not asked, tables that no fit reads, and the looks before this one. accuracy-tables puts them into the page."""
import csv
import datetime
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
HISTORY = HERE / "history.csv"
KEPT = ("table", "split", "rows", "median_ape_frac", "mean_ape_frac", "p90_ape_frac", "coverage_of_90_frac",
        "half_width_factor")
OUTSIDE = "judged from outside"

# What a split means, in words for a reader. src/lab/fit_folds.c and fit_splits.c name them.
MEANING = {
    "unseen configuration": "another size of the operator, on a measured device",
    "unseen structure": "a network of a new kind, on a measured device; host not named",
    "unseen structure, host named": "a network of a new kind, on a measured device; host named",
    "unseen family, host named": "another network of a usual kind, on a measured device; host named",
    "unseen architecture": "a device whose architecture nobody measured",
    "unseen framework": "software that nobody measured",
    "unseen family": "memory of another network",
}
# Baselines on the same rows: name, column, and the file that has it.
BASELINES = (("roofline", "roofline"), ("FLOP at half of the peak", "half_peak"), ("FLOP at the peak", "flop"),
             ("analytical sum", "paleo"), ("raw boosting", "raw_boosting"))


def rows(name):
    with open(HERE / name, newline="") as f:
        return list(csv.DictReader(f))


def sources():
    """Name of each section of the mappings, and what its rows are."""
    out = {}
    for path in sorted((HERE.parent.parent / "data/mappings").glob("*.map")):
        name = path.stem
        for line in path.read_text().splitlines():
            if line.startswith("["):
                name = line.strip("[]").split(":")[0].strip()
            elif line.startswith("source ="):
                out[name] = line.split("=", 1)[1].strip()
    return out


def percent(text):
    return f"{100 * float(text):.1f} %" if text not in ("", None) else ""


def plain(split):
    """The split whose rows are left out: naming the host leaves out no others."""
    return split.removesuffix(", host named") if split.startswith("unseen structure") else split


def beside(splits, row):
    """The row of splits.csv on the same rows as one of cross_validation.csv; without it, what the same table has."""
    same = [s for s in splits if s["table"] == row["table"]]
    exact = [s for s in same if s["split"] == plain(row["split"])]
    return exact[0] if exact else {}


def baselines(splits, row):
    """Name, median and mean of each baseline that was judged on the same rows."""
    other = beside(splits, row)
    if other.get("rows") != row["rows"]:  # rows of a framework without others are judged apart
        other = {}
    out = []
    for name, column in BASELINES:
        of = row if row.get(f"{column}_median_ape_frac") else other
        if of.get(f"{column}_median_ape_frac"):
            out.append((name, float(of[f"{column}_median_ape_frac"]), float(of[f"{column}_mean_ape_frac"])))
    return out


def is_whole(row):
    return ": " not in row["table"] and "(memory)" not in row["table"]


def hardest(folds):
    """Of each table the split with the largest median."""
    tables = dict.fromkeys(r["table"] for r in folds if ": " not in r["table"])
    return [max((r for r in folds if r["table"] == t), key=lambda r: float(r["median_ape_frac"])) for t in tables]


def far(other):
    """Distances of the rows from the rest; kernels of a kind of their own have none."""
    said = [f"{word} {float(other[c]):.2f}" for c, word in (("work_distance", "work"), ("device_distance", "device"))
            if other.get(c)]
    return ", ".join(said) or ("none of its kind" if other else "")


def strict(folds, splits):
    out = ["| table | predicted for | rows | unlike | median | mean | p90 | in the 90 % interval | half-width |"
           " closest baseline, median |", "|---|---|---:|---|---:|---:|---:|---:|---:|---|"]
    for r in sorted(hardest(folds), key=lambda r: float(r["median_ape_frac"])):
        best = min(baselines(splits, r), key=lambda b: b[1], default=None)
        out.append(f"| {r['table']} | {MEANING[r['split']]} | {int(r['rows']):,} | {far(beside(splits, r))} "
                   f"| {percent(r['median_ape_frac'])} | {percent(r['mean_ape_frac'])} | {percent(r['p90_ape_frac'])} "
                   f"| {percent(r['coverage_of_90_frac'])} | x/{float(r['half_width_factor']):.2f} "
                   f"| {f'{best[0]}, {percent(best[1])}' if best else ''} |")
    return out


def closer(folds, splits):
    """A sentence for each row of the tables where something simpler is closer, in the median or in the mean."""
    out = []
    for r in folds:
        if not is_whole(r):
            continue
        for name, median, mean in baselines(splits, r):
            said = [f"{word} {percent(theirs)} against our {percent(ours)}" for word, theirs, ours in
                    (("median", median, float(r["median_ape_frac"])), ("mean", mean, float(r["mean_ape_frac"])))
                    if theirs < ours]
            if said:
                out.append(f"- {r['table']}, {r['split']}: {name} is closer, {' and '.join(said)}.")
    return ["Something simpler is closer than our prediction here:", "", *(out or ["- nowhere"])]


def against(folds, splits):
    """Of how many rows of the tables each baseline loses."""
    out = ["| baseline | compared on | ours is closer in the median | in the mean |", "|---|---:|---:|---:|"]
    for name, _ in BASELINES:
        pairs = [(r, b) for r in folds if is_whole(r) for b in baselines(splits, r) if b[0] == name]
        if pairs:
            wins = [sum(float(r[c]) < b[i] for r, b in pairs) for i, c in ((1, "median_ape_frac"), (2, "mean_ape_frac"))]
            out.append(f"| {name} | {len(pairs)} | {wins[0]} | {wins[1]} |")
    return out


def laws_alone(splits):
    """The splits that only the laws are fitted for."""
    out = ["| left out | table | rows | unlike | median | mean | p90 | the same rows in the fit, median | roofline, median |"
           " analytical sum, median |", "|---|---|---:|---|---:|---:|---:|---:|---:|---:|"]
    for r in splits:
        if r["median_ape_frac"]:
            out.append(f"| {r['split'].removeprefix('unseen ')} | {r['table']} | {int(r['rows']):,} | {far(r)} "
                       f"| {percent(r['median_ape_frac'])} | {percent(r['mean_ape_frac'])} | {percent(r['p90_ape_frac'])} "
                       f"| {percent(r['kept_median_ape_frac'])} | {percent(r['roofline_median_ape_frac'])} "
                       f"| {percent(r['paleo_median_ape_frac'])} |")
    return out


def asked(counts):
    reasons = [c for c in counts[0] if c not in ("table", "rows", "asked")]
    out = [f"| table | rows | asked | share | {' | '.join(reasons)} |", "|---|" + "---:|" * (3 + len(reasons))]
    total = {"table": "all", **{c: sum(int(r[c]) for r in counts) for c in counts[0] if c != "table"}}
    for r in [total, *counts]:
        cells = " | ".join(f"{int(r[c]):,}" if int(r[c]) else "" for c in reasons)
        share = int(r["asked"]) / max(1, int(r["rows"]) - int(r["no training"]))
        shown = "" if int(r["no training"]) == int(r["rows"]) else percent(share)
        out.append(f"| {r['table']} | {int(r['rows']):,} | {int(r['asked']):,} | {shown} | {cells} |")
    return out


def unread(judged):
    """Tables that no fit reads, by the predictor that ships."""
    out = ["| table | rows | median | mean | p90 | in the 90 % interval | predicted over measured | roofline, median |"
           " FLOP at the peak, median |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    source = sources()
    for r in judged:
        if r["by"] == "all":
            out.append(f"| {source[r['table']]} | {int(float(r['rows'])):,} | {percent(r['median_ape_frac'])} "
                       f"| {percent(r['mean_ape_frac'])} | {percent(r['p90_ape_frac'])} | {percent(r['coverage_frac'])} "
                       f"| {float(r['bias']):.2f} | {percent(r['roofline_median_ape_frac'])} "
                       f"| {percent(r['flop_median_ape_frac'])} |")
    return out


PRENET_MOST = .2765  # the largest error that PreNeT (ICPE 2025) publishes for VGG-16 on its devices


def prenet(judged):
    """VGG-16 by device, as asked and with the host's time per image that the other devices show."""
    mine = [r for r in judged if r["table"] == "prenet-epoch"]
    plain_of = {r["group"]: r for r in mine if r["by"] == "device"}
    out = ["| device | as asked, median | with the host's time from other devices | worst | within 27.65 % |",
           "|---|---:|---:|---:|---|"]
    for r in mine:
        if r["by"] == "host added, vgg16":
            out.append(f"| {r['group']} | {percent(plain_of[r['group']]['median_ape_frac'])} "
                       f"| {percent(r['median_ape_frac'])} | {percent(r['worst_ape_frac'])} "
                       f"| {'yes' if float(r['worst_ape_frac']) <= PRENET_MOST else 'no'} |")
    bert = next(r for r in mine if r["by"] == "family" and r["group"].startswith("bert"))
    return [*out, "", f"BERT on the one device that has it: {percent(bert['median_ape_frac'])}."]


def before_after(history):
    """Each table at its hardest split of today: the first look at it, the look before this one, and this one."""
    last = max(int(r["look"]) for r in history)
    now = [r for r in history if int(r["look"]) == last and r["split"] != OUTSIDE]
    out = ["| table | split | first look | median | p90 | look before | median | p90 | now: median | p90 | inside |",
           "|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|"]
    for r in hardest(now):
        past = [h for h in history if (h["table"], h["split"]) == (r["table"], r["split"]) and int(h["look"]) < last]
        cells = [f"{h['look']} ({h['date']}) | {percent(h['median_ape_frac'])} | {percent(h['p90_ape_frac'])}"
                 for h in (past[0], past[-1])] if past else [" | | "] * 2
        out.append(f"| {r['table']} | {r['split']} | {cells[0]} | {cells[1]} | {percent(r['median_ape_frac'])} "
                   f"| {percent(r['p90_ape_frac'])} | {percent(r['coverage_of_90_frac'])} |")
    return out


def outside(history):
    """What judges found on rows that no fit had seen."""
    out = ["| question | look | median | mean | inside the 90 % interval |", "|---|---|---:|---:|---:|"]
    return out + [f"| {r['table']} | {r['look']} ({r['date']}) | {percent(r['median_ape_frac'])} "
                  f"| {percent(r['mean_ape_frac'])} | {percent(r['coverage_of_90_frac'])} |"
                  for r in history if r["split"] == OUTSIDE]


def this_look(folds):
    return [{c: r.get(c) or "" for c in KEPT} for r in folds]


def is_kept(folds):
    """Whether the last look of the history is what cross_validation.csv says."""
    history = rows("history.csv")
    last = max(int(r["look"]) for r in history)
    return this_look(folds) == [{c: r[c] for c in KEPT} for r in history
                                if int(r["look"]) == last and r["split"] != OUTSIDE]


def keep(folds):
    """Appends a look when its numbers are new."""
    if is_kept(folds):
        return
    look = max(int(r["look"]) for r in rows("history.csv")) + 1
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    with open(HISTORY, "a", newline="") as f:
        out = csv.DictWriter(f, ("look", "date", *KEPT), lineterminator="\n")
        out.writerows({"look": look, "date": today, **r} for r in this_look(folds))
