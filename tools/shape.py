"""Names and sizes that keep the tree readable: see CONTRIBUTING.md, "Code"."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMELESS = {"utils", "util", "common", "helpers", "helper", "types", "misc"}
# Sizes are counted in tokens (words, literals and punctuation, without comments), so that no formatter decides them.
# The aim for a file is 2,500 tokens and for a function 300; about one in ten is larger.
FILE_TOKENS = 6_500
LIB_TOKENS = 1_000
MAIN_TOKENS = 400
FUNCTION_TOKENS = 950

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |b?r(?P<hashes>\#*)".*?"(?P=hashes)
    |[bc]?"(?:\\.|[^"\\])*"
    |b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'])'
    |'\w+
    |\w+
    |::|->|=>|==|!=|<=|>=|&&|\|\||\.\.=?
    |\S""",
    re.DOTALL | re.VERBOSE,
)


def tracked(*patterns):
    """Files git knows or would add, so that build output never counts."""
    out = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )
    return sorted({ROOT / line for line in out.stdout.splitlines() if (ROOT / line).is_file()})


def rust_problems(path):
    name = path.relative_to(ROOT)
    text = path.read_text(encoding="utf-8")
    if path.name == "mod.rs":
        yield f"{name}: call it {path.parent.name}.rs, beside the folder"
    if path.stem in NAMELESS or path.parent.name in NAMELESS:
        yield f"{name}: `{path.stem}` says nothing; name the thing it holds"
    if not text.startswith("//!"):
        yield f"{name}: open it with `//!`: what it holds, what it refuses, which spec or paper"

    limit, advice = size_limit(path)
    size = len(tokens(text))
    if size > limit:
        yield f"{name}: {size:,} tokens, {limit:,} is the limit; {advice}"
    yield from long_functions(name, code_of(path, text))


def size_limit(path):
    """Largest size of a file in tokens, and what to do above it."""
    if path.name == "lib.rs":
        return LIB_TOKENS, "a lib.rs holds docs, modules and re-exports"
    if path.name == "main.rs" and path.parent.name == "src":
        return MAIN_TOKENS, "a main.rs reads its arguments and calls the library"
    return FILE_TOKENS, "split it"


def code_of(path, text):
    """The code outside tests and contract suites: a test that is one long table is a good test."""
    parts = path.relative_to(ROOT).parts
    if path.stem == "tests" or "tests" in parts or "contract" in parts or path.stem == "contract":
        return ""
    return text.split("\n#[cfg(test)]\n", 1)[0]


def tokens(text):
    """Tokens of Rust code as (text, offset), comments left out."""
    return [(found[0], found.start()) for found in TOKEN.finditer(text) if not found["comment"]]


def functions(text):
    """Functions as (name, offset, number of tokens, source). One that stands inside another counts with it."""
    found = tokens(text)
    index = 0
    while index + 1 < len(found):
        if found[index][0] == "fn" and re.match(r"[a-zA-Z_]\w*$", found[index + 1][0]):
            end = function_end(found, index)
            offset, (last, last_offset) = found[index][1], found[end]
            yield found[index + 1][0], offset, end - index + 1, text[offset:last_offset + len(last)]
            index = end
        index += 1


def long_functions(name, text):
    """Functions above the limit."""
    for function, offset, length, _ in functions(text):
        if length > FUNCTION_TOKENS:
            line = text.count("\n", 0, offset) + 1
            yield f"{name}:{line}: `{function}` has {length:,} tokens; {FUNCTION_TOKENS} is the limit, 300 the aim"


def function_end(found, start):
    """Index of the token that ends the function whose `fn` is at `start`: its closing brace, or the semicolon of a declaration."""
    parentheses = braces = 0
    for index in range(start, len(found)):
        token = found[index][0]
        parentheses += (token in ("(", "[")) - (token in (")", "]"))
        if token == ";" and braces == 0 and parentheses == 0:
            return index
        if token in ("{", "}"):
            braces += 1 if token == "{" else -1
            if braces == 0:
                return index
    return len(found) - 1


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
