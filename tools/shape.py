"""Names and sizes that keep the tree readable: see CONTRIBUTING.md, "Code"."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMELESS = {"utils", "util", "common", "helpers", "helper", "types", "misc"}
LONGEST = 500
LONG = 300
LIB_LONGEST = 80
MAIN_LONGEST = 50
FUNCTION_LONGEST = 70


def tracked(*patterns):
    """Files git knows or would add, so that build output never counts."""
    out = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    return sorted({ROOT / line for line in out.stdout.splitlines() if (ROOT / line).is_file()})


def rust_problems(path):
    name = path.relative_to(ROOT)
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.name == "mod.rs":
        yield f"{name}: call it {path.parent.name}.rs, beside the folder"
    if path.stem in NAMELESS or path.parent.name in NAMELESS:
        yield f"{name}: `{path.stem}` says nothing; name the thing it holds"
    if not lines or not lines[0].startswith("//!"):
        yield f"{name}: open it with `//!`: what it holds, what it refuses, which spec or paper"
    if path.name == "lib.rs" and len(lines) > LIB_LONGEST:
        yield f"{name}: {len(lines)} lines; a lib.rs holds docs, modules and re-exports, {LIB_LONGEST} at most"
    if path.name == "main.rs" and path.parent.name == "src" and len(lines) > MAIN_LONGEST:
        yield f"{name}: {len(lines)} lines; a main.rs has {MAIN_LONGEST} at most"
    if len(lines) > LONGEST:
        yield f"{name}: {len(lines)} lines; split it (under {LONG} is the aim, {LONGEST} the limit)"
    yield from long_functions(name, code_of(path, lines))


def code_of(path, lines):
    """The lines outside tests: a test that is one long table is a good test."""
    if path.stem == "tests" or "tests" in path.relative_to(ROOT).parts:
        return []
    return lines[: lines.index("#[cfg(test)]")] if "#[cfg(test)]" in lines else lines


def long_functions(name, lines):
    """Functions by rustfmt's own indentation: from the `fn` line to the closing brace in the same column."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None:
            match = re.match(r"^( *)(?:pub(?:\([a-z]+\))? )?(?:const )?(?:async )?(?:unsafe )?fn (\w+)", line)
            if match and not line.rstrip().endswith(("}", ";")):
                start = (number, match[1], match[2])
        elif line == start[1] + "}":
            length = number - start[0] + 1
            if length > FUNCTION_LONGEST:
                yield f"{name}:{start[0]}: `{start[2]}` has {length} lines; {FUNCTION_LONGEST} is the limit, 40 the aim"
            start = None
        elif line.startswith(start[1]) and re.match(r"^ *[^ ].*;$", line) and len(line) - len(line.lstrip()) == len(start[1]):
            start = None  # a declaration without a body, over several lines


def problems():
    found = []
    for path in tracked("*.rs"):
        found += rust_problems(path)
    for path in tracked("web/src/*.ts", "web/src/*.tsx"):
        if path.stem in NAMELESS:
            found.append(f"{path.relative_to(ROOT)}: `{path.stem}` says nothing; name the thing it holds")
    return found


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "shape: every file has its size and its name")
    sys.exit(bool(found))
