"""The gate: `make check`. One line a check, then what to do about those that failed. `check.py NAME...` runs a few."""

import os
import subprocess
import sys
import time
from pathlib import Path

import changelog
import circles
import drift
import errors
import gate_test
import glossary
import imports
import npm_licenses
import openings
import requirements
import shape
import words

ROOT = Path(__file__).resolve().parent.parent


def command(*words_, env=None):
    """A check that passes when a command does; its output is shown when it does not."""

    def run():
        done = subprocess.run(
            words_, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, **(env or {})},
        )
        return [] if done.returncode == 0 else [done.stdout.strip()[-6000:] or f"{words_[0]} failed without a word"]

    return run


def web(script):
    return command("npm", "--prefix", "web", "run", "--silent", script)


# Name, what it looks at, the check (a function giving a list of problems), and the first thing to do when it fails.
# The quick ones first; everything runs even when something failed.
CHECKS = [
    ("gate", "the checks find what they are for", gate_test.problems, "python3 tools/gate_test.py"),
    ("format", "cargo fmt", command("cargo", "fmt", "--all", "--", "--check", "-l"), "make fmt"),
    ("lock", "Cargo.lock fits the manifests", command("cargo", "metadata", "--locked", "--format-version", "1", "--no-deps", "--quiet"),
     "cargo build, and commit Cargo.lock"),
    ("imports", "the table of our crates", imports.problems, "tools/imports.toml has the table"),
    ("circles", "import circles among the files of a crate", circles.problems, "python3 tools/circles.py lists them"),
    ("shape", "names and sizes", shape.problems, "CONTRIBUTING.md, \"Code\""),
    ("words", "nothing unfinished or private", words.problems, "the line says what"),
    ("openings", "doc comments of public items, and how they open", openings.problems, "python3 tools/openings.py"),
    ("glossary", "retired words in messages and documentation", glossary.problems, "tools/glossary.json has the words"),
    ("licences", "cargo deny: licences, bans and sources of crates",
     command("cargo", "deny", "--locked", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"),
     "deny.toml has the lists; tools/setup check installs cargo-deny"),
    ("npm-licences", "licences of the dashboard's packages", npm_licenses.problems, "deny.toml has the list"),
    ("requirements", "paths, tests and citations of docs/requirements.md", requirements.problems, "python3 tools/requirements.py"),
    ("changelog", "changes/unreleased and CHANGELOG.md", changelog.problems, "changes/unreleased/README.md"),
    ("errors", "a page for every error code", errors.problems, "docs/errors/ has the pages"),
    ("web-format", "prettier", web("format-check"), "make fmt"),
    ("web-lint", "npm run lint", web("lint"), "npm --prefix web run lint"),
    ("web-types", "npm run typecheck", web("typecheck"), "npm --prefix web run typecheck"),
    ("web-size", "first load of each page at most 250 kB", web("first-loads"), "npm --prefix web run first-loads; CONTRIBUTING.md, \"Size of the pages\""),
    ("openapi", "docs/openapi.json against the program", drift.document_problems, "make openapi"),
    ("web-schema", "the dashboard's types against it", drift.types_problems, "make openapi"),
    ("clippy", "cargo clippy, warnings are errors",
     command("cargo", "clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"),
     "cargo clippy --workspace --all-targets"),
    ("docs", "cargo doc, warnings are errors",
     command("cargo", "doc", "--quiet", "--workspace", "--no-deps", env={"RUSTDOCFLAGS": "-D warnings"}),
     "cargo doc --workspace --no-deps"),
]


def main(names):
    known = {name for name, *_ in CHECKS}
    if unknown := set(names) - known:
        print(f"check: no such check: {', '.join(sorted(unknown))}; there are {', '.join(name for name, *_ in CHECKS)}")
        return 2
    failed = []
    for name, what, check, remedy in CHECKS:
        if names and name not in names:
            continue
        started = time.monotonic()
        try:
            found = check()
        except (OSError, subprocess.CalledProcessError, ValueError) as problem:
            detail = getattr(problem, "stderr", None) or problem
            found = [f"could not run: {detail}"]
        verdict = "FAIL" if found else "OK"
        print(f"{verdict:<4}  {name:<10}  {what}  ({time.monotonic() - started:.1f} s)", flush=True)
        for line in found:
            print("      " + line.replace("\n", "\n      "), flush=True)
        if found:
            print(f"      -> {remedy}", flush=True)
            failed.append(name)
    print(f"check: {'failed: ' + ', '.join(failed) if failed else 'everything passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
