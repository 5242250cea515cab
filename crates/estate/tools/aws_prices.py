"""Writes the price tables of AWS machines and databases in `data/` from the published price lists as ec2instances.info collects them.

    python3 crates/estate/tools/aws_prices.py FOLDER [--files DATE]

With `--files` it writes price files of that date (docs/formats/prices.md) into the present folder instead, for `reeve prices import`.

FOLDER holds `instances.json` and `rds-instances.json` (`data/` of github.com/cristim/ec2-instances-info). The tables are CSV, sorted by
region and name, compressed by the program `zstd`. The same input gives the same tables. A price that cannot be right (a licence cheaper than no
licence, a reservation dearer than on demand) is left out, and counted on the standard output.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"
# Platforms by the names that an inventory gives them, and by those of the source.
PLATFORMS = {
    "linux": "linux",
    "windows": "mswin",
    "rhel": "rhel",
    "suse": "sles",
    "ubuntu_pro": "ubuntu",
    "linux_with_sql_server_web": "linuxSQLWeb",
    "linux_with_sql_server_standard": "linuxSQL",
    "linux_with_sql_server_enterprise": "linuxSQLEnterprise",
    "windows_with_sql_server_web": "mswinSQLWeb",
    "windows_with_sql_server_standard": "mswinSQL",
    "windows_with_sql_server_enterprise": "mswinSQLEnterprise",
    "red_hat_enterprise_linux_with_sql_server_web": "rhelSQLWeb",
    "red_hat_enterprise_linux_with_sql_server_standard": "rhelSQL",
    "red_hat_enterprise_linux_with_sql_server_enterprise": "rhelSQLEnterprise",
}
# Engines by the names that RDS gives them, and by the codes of its billing operations (`CreateDBInstance:0002`). The names of the source join
# several editions under one price and are not read. `oracle-ee` has no licence included; `aurora-iopt1` is the I/O-Optimized storage.
ENGINES = {
    "mysql": ["2"],
    "postgres": ["14"],
    "mariadb": ["18"],
    "aurora-mysql": ["16"],
    "aurora-postgresql": ["21"],
    "aurora-iopt1": ["211"],
    "oracle-ee": ["5"],
    "sqlserver-ex": ["10"],
    "sqlserver-web": ["11"],
    "sqlserver-se": ["12"],
    "sqlserver-ee": ["15"],
}
TERMS = {
    "standard_1y": "yrTerm1Standard.noUpfront",
    "convertible_1y": "yrTerm1Convertible.noUpfront",
    "standard_3y": "yrTerm3Standard.noUpfront",
}
refused = Counter()


def number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def cell(value):
    return "" if value is None else f"{value:.5f}".rstrip("0").rstrip(".")


def is_region(name):
    """Local zones and Wavelength zones have prices of their own, and their machines are not told apart by their region."""
    return name.count("-") == (3 if name.startswith("us-gov") else 2)


def prices(found, terms, least=0.0):
    """The price on demand and those of the terms; nothing below `least`, and no reservation that saves nothing."""
    found = found if isinstance(found, dict) else {}
    usual = number(found.get("ondemand"))
    if usual is None or usual <= 0.0 or usual < least:
        refused["on demand below the plain machine" if usual else "no price"] += 1
        return None, [None for _ in terms]
    reserved = found.get("reserved") or {}
    values = []
    for term in terms:
        value = number(reserved.get(term))
        if value is not None and not 0.0 < value < usual:
            refused["reservation without a saving"] += 1
            value = None
        values.append(value)
    return usual, values


def machines(folder):
    header = ["region", "name", *[f"{name}/{term}" for name in PLATFORMS for term in ["on_demand", *TERMS]]]
    header += ["linux/spot", "windows/spot"]
    rows = []
    for machine in json.loads((folder / "instances.json").read_text()):
        for region, by_platform in machine["pricing"].items():
            if not is_region(region):
                continue
            plain, _ = prices(by_platform.get("linux"), [])
            cells, spots = [], {}
            for name, source in PLATFORMS.items():
                usual, terms = prices(by_platform.get(source), TERMS.values(), plain or 0.0)
                cells += [cell(value) for value in [usual, *terms]]
                spot = by_platform.get(source)
                spot = number(spot.get("spot_avg")) if isinstance(spot, dict) else None
                spots[name] = cell(spot) if spot and usual and 0.0 < spot < usual else ""
            if any(cells):
                rows.append([region, machine["instance_type"], *cells, spots["linux"], spots["windows"]])
    return header, sorted(rows)


def databases(folder):
    terms = {name: term for name, term in TERMS.items() if name != "convertible_1y"}
    header = ["region", "name", *[f"{name}/{term}" for name in ENGINES for term in ["on_demand", *terms]]]
    rows = []
    for database in json.loads((folder / "rds-instances.json").read_text()):
        for region, by_engine in database["pricing"].items():
            if not is_region(region):
                continue
            cells = []
            for codes in ENGINES.values():
                found = next((by_engine[code] for code in codes if code in by_engine), None)
                usual, values = prices(found, terms.values())
                cells += [cell(value) for value in [usual, *values]]
            if any(cells):
                rows.append([region, database["instance_type"], *cells])
    return header, sorted(rows)


def write(path, header, rows, head=""):
    text = head + "".join(",".join(row) + "\n" for row in [header, *rows])
    packed = subprocess.run(["zstd", "-q", "--ultra", "-22", "-c"], input=text.encode(), stdout=subprocess.PIPE, check=True)
    path.write_bytes(packed.stdout)
    regions = len({row[0] for row in rows})
    print(f"{path.name}: {len(rows)} rows, {regions} regions, {len(text)} bytes, {len(packed.stdout)} compressed; {dict(refused)}")
    refused.clear()


def head(kind, date):
    return f"# provider: aws\n# kind: {kind}\n# source: AWS price list\n# date: {date}\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", metavar="DATE")
    given = parser.parse_args()
    for kind, table in [("machines", machines), ("databases", databases)]:
        if given.files:
            write(Path(f"aws-{kind}.csv.zst"), *table(given.folder), head(kind, given.files))
        else:
            write(DATA / f"aws_{kind.removesuffix('s')}_prices.csv.zst", *table(given.folder))
