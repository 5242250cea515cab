"""A light reading of deny.toml, with nothing to install: licences and bans of everything linked into the programs, and of
the JavaScript packages that end up in the dashboard. `cargo deny check` is stricter (it reads licence texts and advisories)."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def crates():
    """(name, version, licence) of every outside crate in the build, as the enabled features have it."""
    out = subprocess.run(
        ["cargo", "tree", "--workspace", "-e", "normal,build", "--prefix", "none", "-f", "{p}|{l}"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    found = set()
    for line in out.stdout.splitlines():
        head, _, licence = line.removesuffix(" (*)").partition("|")
        words = head.split()
        if len(words) < 2 or "(/" in head:  # ours carry their path
            continue
        found.add((words[0], words[1].removeprefix("v"), licence.strip()))
    return sorted(found)


def allowed(expression, allow):
    """Whether an SPDX expression can be satisfied from the allow list: some side of OR, every side of AND."""
    text = expression.replace("/", " OR ")
    tokens = re.findall(r"\(|\)|[^\s()]+", text)
    position = 0

    def take():
        nonlocal position
        position += 1
        return tokens[position - 1]

    def peek():
        return tokens[position] if position < len(tokens) else None

    def term():
        token = take()
        if token == "(":
            inner = either()
            take()
            return inner
        if peek() == "WITH":
            take()
            return f"{token} WITH {take()}" in allow
        return token in allow

    def both():
        result = term()
        while peek() == "AND":
            take()
            result = term() and result
        return result

    def either():
        result = both()
        while peek() == "OR":
            take()
            result = both() or result
        return result

    return bool(tokens) and either()


def crate_problems(rules):
    allow = set(rules["licenses"]["allow"])
    everything = crates()
    for name, version, licence in everything:
        if not allowed(licence, allow):
            yield f"{name} {version}: licence {licence or 'not stated'!r} is not in deny.toml; choose another crate, or allow it and say why"
    versions = {}
    for name, version, _ in everything:
        versions.setdefault(name, []).append(version)
    for ban in rules["bans"]["deny"]:
        have = versions.get(ban["crate"], [])
        if ban.get("deny-multiple-versions"):
            if len(have) > 1:
                yield f"{ban['crate']}: versions {' and '.join(have)}; {ban['reason']}"
        elif have:
            yield f"{ban['crate']} is in the build; {ban['reason']}"


def package_problems(rules):
    """npm packages that are shipped: everything that is not a development dependency."""
    allow = set(rules["licenses"]["allow"])
    lock = ROOT / "web/package-lock.json"
    if not lock.exists():
        return
    for path, package in json.loads(lock.read_text(encoding="utf-8"))["packages"].items():
        if not path or package.get("dev") or package.get("devOptional") or package.get("link"):
            continue
        licence = package.get("license", "")
        if not allowed(licence, allow):
            yield f"web: {path.removeprefix('node_modules/')}: licence {licence or 'not stated'!r} is not in deny.toml"


def problems():
    rules = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    return [*crate_problems(rules), *package_problems(rules)]


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "licences: everything that is linked or shipped is allowed")
    sys.exit(bool(found))
