"""Writes the price table of Azure machines with Windows in `data/` from the price list that Apache Libcloud collects.

    python3 crates/estate/tools/azure_windows.py PRICING.json

PRICING.json is `libcloud/data/pricing.json` of Apache Libcloud. The table has the names and regions of `data/azure_on_demand.csv`. That table
is newer than the source: a price is taken where the source's price of Linux is still the one of that table, since then the licence that
both differ by is too; all others are left out and counted on the standard output. The same input gives the same table.
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
# Prices of Linux that differ by less are the same, rounded otherwise.
SAME = 0.0011
# Bounds of the licence as a share of the price of Linux: from the B series (0.1) to the F series (1.2). The source has the price of
# `E32d_v4` with a licence at `E2d_v4`, and prices of Linux at some sizes with one.
LICENCE = (0.03, 1.4)


def key(name):
    return name.lower().replace("_", "").replace("-", "")


def main():
    compute = json.loads(Path(sys.argv[1]).read_text())["compute"]
    linux, windows = compute["azure_linux"], compute["azure_windows"]
    counted = Counter()
    with (DATA / "azure_on_demand.csv").open() as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]

    def price(name, region, now):
        old, licensed = linux.get(key(name), {}).get(region), windows.get(key(name), {}).get(region)
        if not now or not old or not licensed:
            counted["not in the source"] += 1
            return ""
        if abs(old - float(now)) > SAME:
            counted["the price of Linux has changed since"] += 1
            return ""
        if not LICENCE[0] <= (licensed - old) / old <= LICENCE[1]:
            counted["no plausible licence"] += 1
            return ""
        counted["taken"] += 1
        return f"{licensed:g}"

    with (DATA / "azure_windows.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for name, *prices in rows:
            found = [price(name, region, now) for region, now in zip(header[1:], prices)]
            if any(found):
                writer.writerow([name, *found])

    for what, number in counted.most_common():
        print(f"{number:6} {what}")


if __name__ == "__main__":
    main()
