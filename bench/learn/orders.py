"""Whether the order of stages in one half of the intrusions says something about the other half.

`python3 bench/learn/orders.py` reads the orders of `behavior/chains/campaigns.rs`, chooses a forecast of the next stage by leaving one
intrusion of the half for choosing out at a time, and measures it once on the held-out half. docs/learning/chains.md has the figures.
"""

import math
import re
from collections import defaultdict
from pathlib import Path

STAGES = ["Reconnaissance", "Access", "Persistence", "Escalation", "Evasion", "Exfiltration", "Impact"]
SOURCE = Path(__file__).parent / "src/behavior/chains/campaigns.rs"
SMOOTHING = 0.5


def orders():
    """Every intrusion's stages, in the order of the names."""
    table = SOURCE.read_text().split("const INTRUSIONS", 1)[1].split("];\n\n", 1)[0]
    found = re.findall(r'\(\s*"([^"]+)",\s*&\[([^\]]+)\]', table.replace("\n", " "))
    return [re.findall(r"\w+", stages) for _, stages in found]


def examples(half):
    """The stages up to a step, and the next one."""
    return [(order[:at], order[at]) for order in half for at in range(1, len(order))]


def fitted(half, context, borrowed, again):
    """A table by the last `context` stages, whose rows borrow from all rows; a stage that was seen keeps `again` of its share."""
    counts, pooled = defaultdict(lambda: dict.fromkeys(STAGES, 0.0)), dict.fromkeys(STAGES, SMOOTHING)
    for seen, stage in examples(half):
        counts[tuple(seen[-context:])][stage] += 1
        pooled[stage] += 1
    everything = sum(pooled.values())

    def forecast(seen):
        row = counts[tuple(seen[-context:])]
        share = {one: row[one] + borrowed * pooled[one] / everything for one in STAGES}
        share = {one: value * (again if one in seen else 1.0) for one, value in share.items()}
        return {one: value / sum(share.values()) for one, value in share.items()}

    return forecast


def measured(forecast, half):
    """Next stages right, all of them, and the sums of Brier scores and log losses."""
    right, brier, loss = 0, 0.0, 0.0
    for seen, stage in examples(half):
        said = forecast(seen)
        right += max(STAGES, key=said.get) == stage
        brier += sum((said[one] - (one == stage)) ** 2 for one in STAGES)
        loss -= math.log(said[stage])
    return right, len(examples(half)), brier, loss


def left_out(half, *model):
    """The same, each order measured by a fit to the others."""
    parts = [measured(fitted(half[:at] + half[at + 1 :], *model), [half[at]]) for at in range(len(half))]
    return tuple(map(sum, zip(*parts)))


def line(name, figures):
    right, count, brier, loss = figures
    print(f"| {name} | {right} of {count} | {brier / count:.3f} | {loss / count:.3f} |")


def main():
    everything = orders()
    choosing, held_out = everything[::2], everything[1::2]
    table = (1, 12.0, 1.0)
    models = [(context, borrowed, again) for context in (1, 2) for borrowed in (2.0, 4.0, 12.0) for again in (0.1, 0.3, 0.5, 1.0)]
    best = min(models, key=lambda model: left_out(choosing, *model)[3])
    print("| forecast | next stage right | Brier | log loss |\n|---|---|---|---|")
    for name, model in (("table", table), (f"chosen {best}", best)):
        line(f"choosing, one left out: {name}", left_out(choosing, *model))
        line(f"held out: {name}", measured(fitted(choosing, *model), held_out))
    line("held out: every stage alike", measured(lambda _: dict.fromkeys(STAGES, 1 / len(STAGES)), held_out))
    line("held out: table of the held-out half itself", measured(fitted(held_out, 1, 0.01, 1.0), held_out))


if __name__ == "__main__":
    main()
