"""Doc comments open with a noun phrase or a verb ("Returns ..."), not with What, Whether, Who or How.

Sections about errors and panics are read as comments of their own: they say what happened ("The store failed."), not when.
One in a hundred comments of a crate may open otherwise. `python3 tools/openings.py CRATE` lists the comments of a crate.

Public functions, types and traits have a doc comment. Fields and variants need none where it would repeat their name.
"""

import re
import sys
from functools import cache

from shape import ROOT, tracked

OPENING = re.compile(r"\W*(?:What|Whether|Who|Whose|How|That|Where|When|Which|Why)\b")
SECTION = re.compile(r"\W*(?:What|Whether|Who|Whose|How|That|Where|When|Which|Why|If)\b")
HEADING = re.compile(r"# (?:Errors|Panics)\s*$")
# Some sentences are best written that way.
SHARE = 0.01


def doc_comments(text):
    """Line number, first line and pattern of each doc comment, and of each of its sections about errors and panics.

    A run of `///` or `//!` lines is one comment.
    """
    previous, section = None, False
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*(//[/!])(?!/)(.*)", line)
        marker = found[1] if found else None
        if found and marker != previous:
            yield number, found[2].strip(), OPENING
        elif found and section:
            yield number, found[2].strip(), SECTION
        section = bool(found) and bool(HEADING.match(found[2].strip()))
        previous = marker


def openings(text):
    """The doc comments of a file that open with one of the words."""
    return [(number, first) for number, first, pattern in doc_comments(text) if pattern.match(first)]


@cache
def crate_of(folder):
    """The folder of the manifest that a file belongs to, without the leading `crates/`."""
    while not (folder / "Cargo.toml").exists() and folder != ROOT:
        folder = folder.parent
    return str(folder.relative_to(ROOT)).removeprefix("crates/")


def survey(files=None):
    """Per crate: how many doc comments it has, and the places of those with such an opening."""
    crates = {}
    for path in files or tracked("*.rs"):
        text = path.read_text(encoding="utf-8")
        crate = crates.setdefault(crate_of(path.parent), {"comments": 0, "places": []})
        crate["comments"] += sum(1 for _ in doc_comments(text))
        crate["places"] += [f"{path.relative_to(ROOT)}:{number}: {first}" for number, first in openings(text)]
    return crates


def compare(crates):
    """The crates that have more than one in a hundred."""
    for name, crate in sorted(crates.items()):
        count, allowed = len(crate["places"]), int(crate["comments"] * SHARE)
        if count > allowed:
            yield f"{name}: {count} doc comments open with What, Whether, Who or How; {allowed} are allowed. `python3 tools/openings.py {name}` lists them"


ITEM = re.compile(r" *pub (?:async |const |unsafe )*(?:fn|struct|enum|trait) (\w+)")


def undocumented(text):
    """Line number and name of each public function, type and trait without a doc comment."""
    documented = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("#[cfg(test)]"):
            return
        item = ITEM.match(line)
        if item and not documented:
            yield number, item[1]
        # Attributes stand between a comment and its item, over several lines where they are long.
        if stripped.startswith(("///", "/**", "#[doc")):
            documented = True
        elif item or not stripped or stripped.endswith(("{", "}", ";")):
            documented = False


def undocumented_items():
    for path in tracked("crates/*.rs"):
        if "tests" in path.parts or path.stem == "tests" or "examples" in path.parts:
            continue
        for number, name in undocumented(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(ROOT)}:{number}: `{name}` is public and has no doc comment"


def problems():
    return list(compare(survey())) + list(undocumented_items())


def main(arguments):
    crates = survey()
    for name, crate in sorted(crates.items()):
        if name in arguments:
            print("\n".join(crate["places"]))
        elif not arguments:
            print(f"{len(crate['places']):5} of {crate['comments']:5}  {name}")
    found = list(compare(crates))
    print("\n".join(found) or "openings: no crate has more than one in a hundred")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
