"""Doc comments open with a noun phrase or a verb ("Returns ..."), not with What, Whether, Who or How.

`allowance.toml` beside this file lists the crates that still have more of such comments than one in a hundred, with their number.
A crate fails when it has more than its number, and when it has fewer and the number was not lowered.
`python3 tools/openings.py` lists the comments, `--lower` lowers the numbers.
"""

import re
import sys
import tomllib
from functools import cache
from pathlib import Path

from shape import ROOT, tracked

ALLOWANCE = Path(__file__).resolve().parent / "allowance.toml"
OPENING = re.compile(r"\W*(?:What|Whether|Who|Whose|How|That|Where|When|Which)\b")
# A crate that is not listed may have this share of such comments: some sentences are best written that way.
SHARE = 0.01
HEAD = """# Crates with more doc comments that open with What, Whether, Who or How than one in a hundred, and their number.
# The numbers only go down (`python3 tools/openings.py --lower`), and a crate leaves the list when it is below its hundredth.
"""


def doc_comments(text):
    """Line number and first line of each doc comment: a run of `///` or `//!` lines is one comment."""
    previous = None
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*(//[/!])(?!/)(.*)", line)
        marker = found[1] if found else None
        if found and marker != previous:
            yield number, found[2].strip()
        previous = marker


def openings(text):
    """The doc comments of a file that open with one of the words."""
    return [(number, first) for number, first in doc_comments(text) if OPENING.match(first)]


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


def compare(crates, allowance):
    """The crates that have more than they may, and the numbers that are out of date."""
    for name, crate in sorted(crates.items()):
        count, hundredth = len(crate["places"]), int(crate["comments"] * SHARE)
        allowed = max(allowance.get(name, 0), hundredth)
        if count > allowed:
            yield f"{name}: {count} doc comments open with What, Whether, Who or How; {allowed} are allowed. `python3 tools/openings.py {name}` lists them"
        elif name in allowance and count < allowance[name]:
            yield f"{name}: {count} such doc comments, the allowance still says {allowance[name]}: python3 tools/openings.py --lower"
        elif name in allowance and count <= hundredth:
            yield f"{name}: below one in a hundred; it leaves the list: python3 tools/openings.py --lower"
    for name in sorted(allowance.keys() - crates.keys()):
        yield f"{name}: no such crate: python3 tools/openings.py --lower"


def lowered(crates, allowance):
    """The allowance with each number lowered to the count of today, and without the crates that no longer need one."""
    kept = {}
    for name, allowed in allowance.items():
        crate = crates.get(name, {"comments": 0, "places": []})
        if len(crate["places"]) > int(crate["comments"] * SHARE):
            kept[name] = min(allowed, len(crate["places"]))
    return kept


def read_allowance():
    return tomllib.loads(ALLOWANCE.read_text(encoding="utf-8"))


def write_allowance(allowance):
    lines = [f'"{name}" = {number}\n' if "/" in name else f"{name} = {number}\n" for name, number in sorted(allowance.items())]
    ALLOWANCE.write_text(HEAD + "".join(lines), encoding="utf-8")


def problems():
    return list(compare(survey(), read_allowance()))


def main(arguments):
    crates = survey()
    if arguments == ["--lower"]:
        write_allowance(lowered(crates, read_allowance()))
        arguments = []
    for name, crate in sorted(crates.items()):
        if name in arguments:
            print("\n".join(crate["places"]))
    if not arguments:
        for name, crate in sorted(crates.items()):
            print(f"{len(crate['places']):5} of {crate['comments']:5}  {name}")
    found = list(compare(crates, read_allowance()))
    print("\n".join(found) or "openings: no crate has more than it may")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
