"""Holds the edges between our crates against tools/imports.toml (and ARCHITECTURE.md's table against the same file)."""

import fnmatch
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = "tools/imports.toml"


def metadata():
    """Our packages as cargo sees them, without their dependencies' own."""
    out = subprocess.run(
        ["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return json.loads(out.stdout)["packages"]


def room(package):
    """The row of the table a package belongs to: its name without the prefix; adapters are `connect`, benchmarks `bench`."""
    name = package.removeprefix("reeve-")
    return name.split("-")[0] if name.startswith(("connect-", "bench-")) else name


def edge_problems(packages, rules):
    may, in_tests = rules["may_import"], rules.get("may_import_in_tests", {})
    for package in packages:
        here = room(package["name"])
        if here not in may:
            yield f"{package['name']}: no row in {RULES}; add one, with the edges it needs and why"
            continue
        for dependency in package["dependencies"]:
            name, is_test = dependency["name"], dependency["kind"] == "dev"
            if not name.startswith("reeve-"):
                yield from outside_problems(package["name"], here, name, is_test, rules)
                continue
            there = room(name)
            allowed = set(may[here])
            if is_test:
                allowed |= {"testkit"} | set(in_tests.get(here, []))
            if there == "testkit" and not is_test:
                yield f"{package['name']} imports testkit outside tests; make it a dev-dependency"
            elif there not in allowed and "*" not in allowed:
                yield f"{package['name']} imports {name}: not in {RULES}; move the code, or argue for the edge there"


def outside_problems(package, here, name, is_test, rules):
    if is_test:
        return
    for pattern, rooms in rules["only_in"].items():
        if fnmatch.fnmatch(name, pattern) and here not in rooms:
            yield f"{package} uses {name}, which stays in {' and '.join(rooms)} ({RULES}, only_in)"
    if here in rules["never_in"].get(name, []):
        yield f"{package} uses {name}: {here} does without it ({RULES}, never_in)"


def table_problems(rules):
    """ARCHITECTURE.md shows the table to people; it must say what is enforced."""
    page = ROOT / "ARCHITECTURE.md"
    if not page.exists():
        return
    rows = {}
    lines = iter(page.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if re.match(r"\|\s*crate\s*\|\s*may import\s*\|", line):
            next(lines)
            for row in lines:
                if not row.startswith("|"):
                    break
                names, imports = [cell.strip() for cell in row.strip("|").split("|")][:2]
                for name in re.findall(r"[a-z][a-z-]*", names):
                    rows[name] = imports
    if not rows:
        yield "ARCHITECTURE.md has no table `| crate | may import |`"
        return
    for name, allowed in rules["may_import"].items():
        if name not in rows:
            if name not in ("testkit", "bench"):
                yield f"ARCHITECTURE.md: the table has no row for {name}"
            continue
        said = rows[name].lower()
        if "*" in allowed:
            if "every" not in said and "any" not in said and "all" not in said:
                yield f"ARCHITECTURE.md: {name} may import everything, the table says {rows[name]!r}"
            continue
        listed = {word for word in re.findall(r"[a-z][a-z-]*", re.split(r"[;(]", said)[0]) if word in rules["may_import"]}
        if listed - {name} != set(allowed) - {name}:
            want = ", ".join(sorted(set(allowed) - {name})) or "none of ours"
            yield f"ARCHITECTURE.md: {name} may import {want}; the table says {rows[name]!r}"
    for name in rows.keys() - rules["may_import"].keys():
        yield f"ARCHITECTURE.md: the table has {name}, {RULES} has not"


def problems():
    rules = tomllib.loads((ROOT / RULES).read_text(encoding="utf-8"))
    return sorted({*edge_problems(metadata(), rules), *table_problems(rules)})


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "imports: every edge is in the table")
    sys.exit(bool(found))
