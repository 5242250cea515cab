"""Every error code the API can answer has a page under docs/errors/, and every page a code.

Codes are read from crates/http/src/error.rs (and the files of crates/http/src/error/), the one mapping from errors to RFC 9457
problems: the first string literal of each arm of the functions `code` and `describe`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs/errors"
CODE = re.compile(r'(?:=>|\()\s*"([a-z][a-z0-9_]*)"')


def sources():
    base = ROOT / "crates/http/src"
    return [path for path in [base / "error.rs", *sorted((base / "error").glob("*.rs"))] if path.exists()]


def bodies(text):
    """The bodies of the functions that name codes, by their braces."""
    for match in re.finditer(r"\bfn (?:code|describe)\s*\([^)]*\)[^{;]*\{", text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield text[match.end():end]


def codes():
    found = set()
    for path in sources():
        for body in bodies(path.read_text(encoding="utf-8")):
            found.update(CODE.findall(body))
    return found


def problems():
    if not (ROOT / "crates/http/src").exists():
        return []
    have = codes()
    if not have:
        return ["no error codes found: crates/http/src/error.rs is expected to have `fn code` or `fn describe` with a literal in each arm"]
    pages = {page.stem for page in PAGES.glob("*.md")} - {"README"}
    found = [f"docs/errors/{code}.md is missing: say what the code means, what causes it and what to do" for code in sorted(have - pages)]
    found += [f"docs/errors/{page}.md describes a code that the API no longer has: remove it" for page in sorted(pages - have)]
    for page in sorted(have & pages):
        text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
        if len(text.split()) < 15:
            found.append(f"docs/errors/{page}.md says too little: cause and remedy belong there")
    return found


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "errors: every code has its page")
    sys.exit(bool(found))
