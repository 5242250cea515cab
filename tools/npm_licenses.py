"""Licences of the JavaScript packages that end up in the dashboard, against the list of deny.toml. `cargo deny` reads the
same list for crates and knows nothing of npm."""

import json
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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


def package_problems(lock, allow):
    """Shipped packages of a lock file (everything that is not a development dependency) whose licence is not allowed."""
    for path, package in lock["packages"].items():
        if not path or package.get("dev") or package.get("devOptional") or package.get("link"):
            continue
        licence = package.get("license", "")
        if not allowed(licence, allow):
            yield f"web: {path.removeprefix('node_modules/')}: licence {licence or 'not stated'!r} is not in deny.toml"


def problems():
    allow = set(tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))["licenses"]["allow"])
    lock = json.loads((ROOT / "web/package-lock.json").read_text(encoding="utf-8"))
    return list(package_problems(lock, allow))


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "npm licences: every shipped package is allowed")
    sys.exit(bool(found))
