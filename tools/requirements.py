"""docs/requirements.md against the tree: every path and every test that it names exists, and so does every requirement that
another file cites."""

import functools
import re
import sys
from pathlib import Path

import shape

ROOT = Path(__file__).resolve().parent.parent
TABLE = "docs/requirements.md"
# A citation: "requirement A-113", "requirements B-132 to B-134".
CITED = re.compile(r"\b[AB]-\d{3}\b")
ROW = re.compile(r"\| *([AB]-\d{3}) *\|(.*)\|$")
CODE = re.compile(r"`([^`]+)`")
TEST = re.compile(r"#\[(?:tokio::)?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*|//[^\n]*\n\s*)*(?:async )?fn (\w+)")
STORY = re.compile(r"""\bname:\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")""")
STATES = ("done", "partial", "open")


def rows(text):
    """(line, id, requirement, state, paths, tests) of each row; a row with another number of cells has no id."""
    for number, line in enumerate(text.splitlines(), 1):
        if not (found := ROW.match(line)):
            continue
        cells = [cell.strip() for cell in found[2].split("|")]
        if len(cells) != 4:
            yield number, "", line, "", [], []
            continue
        requirement, state, where, test = cells
        yield number, found[1], requirement, state, CODE.findall(where), CODE.findall(test)


def places(path):
    """The files that a path can mean: `http/guard.rs` is short for `crates/http/src/guard.rs`."""
    first, _, rest = path.partition("/")
    second, _, deeper = rest.partition("/")
    return [path, f"crates/{first}/src/{rest}", f"crates/{first}/{rest}", f"crates/{first}/{second}/src/{deeper}"]


def row_problems(text, exists, tests):
    """Faults of the table. `exists` tells whether a path is there, `tests` has the names by crate or suite."""
    seen = set()
    for number, identifier, requirement, state, paths, named in rows(text):
        place = f"{TABLE}:{number}"
        if not identifier:
            yield f"{place}: a row has the cells id, requirement, state, where, test: {requirement[:60]}"
            continue
        if identifier in seen:
            yield f"{place}: {identifier} stands twice"
        seen.add(identifier)
        word, _, missing = state.partition(":")
        if word not in STATES or (word == "partial" and not missing.strip()):
            yield f"{place}: {identifier} is `{state}`; it is done, open, or partial with what is missing"
        if word != "open" and not (paths and named):
            yield f"{place}: {identifier} names no place or no test; without a test it is open"
        for path in paths:
            if not any(exists(candidate) for candidate in places(path)):
                yield f"{place}: {identifier}: there is no {path}"
        for test in named:
            suite, _, name = test.partition(": ")
            if name not in tests.get(suite, ()):
                yield f"{place}: {identifier}: `{suite}` has no test `{name}`"


def citation_problems(known, files):
    """Cited requirements that the table does not have; `files` are pairs of a name and a text."""
    for name, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            for cited in sorted(set(CITED.findall(line)) - known):
                yield f"{name}:{number}: {cited} is not in {TABLE}"


def suite(path):
    """The crate of a file below crates/, by the folder of its manifest."""
    folder = path.parent
    while not (folder / "Cargo.toml").exists():
        folder = folder.parent
    return folder.relative_to(ROOT / "crates").as_posix()


@functools.cache
def all_tests():
    found = {"e2e": set()}
    for path in shape.tracked("crates/*.rs"):
        if names := TEST.findall(path.read_text(encoding="utf-8")):
            found.setdefault(suite(path), set()).update(names)
    for path in shape.tracked("web/e2e/*.mjs"):
        found["e2e"].update(a or b for a, b in STORY.findall(path.read_text(encoding="utf-8")))
    return found


def problems():
    text = (ROOT / TABLE).read_text(encoding="utf-8")
    files = shape.tracked("*.rs", "*.ts", "*.tsx", "*.md", "*.py", "*.toml")
    texts = ((str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")) for path in files if path.name != "gate_test.py")
    known = {identifier for _, identifier, *_ in rows(text)}
    return [
        *row_problems(text, lambda path: bool(path) and (ROOT / path.rstrip("/")).exists(), all_tests()),
        *citation_problems(known, texts),
    ]


if __name__ == "__main__":
    found = problems()
    states = [state.partition(":")[0] for *_, state, _, _ in rows((ROOT / TABLE).read_text(encoding="utf-8"))]
    counts = ", ".join(f"{states.count(state)} {state}" for state in STATES)
    print("\n".join(found) or f"requirements: {len(states)} ({counts})")
    sys.exit(bool(found))
