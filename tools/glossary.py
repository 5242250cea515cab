"""Words that readers did not understand, or that other products do not use: none may return to what people read.

`tools/glossary.json` has the words with their replacements. `web/src/testing/glossary.test.ts` looks for them in the texts of the
pages; this file in the sentences of the program (errors, log lines, e-mails, chat messages, help of the command line, alert rules and
reports) and in the documentation. An entry with `in` is retired there alone.
"""

import json
import re
import sys

from shape import ROOT, tracked

WORDS = [
    (re.compile(entry["word"], re.I), entry["instead"], entry.get("in", ["pages", "program", "docs"]))
    for entry in json.loads((ROOT / "tools/glossary.json").read_text(encoding="utf-8"))
]
# Comments, raw strings, strings, characters: strings alone are texts, and a quote in a comment begins none.
RUST = re.compile(r'//[^\n]*|/\*.*?\*/|r(#+)"(.*?)"\1|"((?:[^"\\]|\\.)*)"|\'(?:[^\'\\\n]|\\[^\n]{1,8})\'', re.S)
TESTS = re.compile(r"#\[cfg\((?:all\()?test")
# Steps of a plan are hashed with it: their words cannot change. The simulated twin of a test is read by nobody.
UNREAD = ("crates/testkit/", "crates/recommend/src/change/", "/tests/", "/tests.rs", "/fixtures", "crates/server/src/service/made_up.rs", "fuzz/", "bench/")
# Records of decisions and measurements, and files that a program writes.
UNEDITED = ("docs/adr/", "docs/formats/", "docs/learning/", "docs/benchmarks.md")


def sentences(text):
    """Line number and text of each string of a Rust source that is a sentence, up to its tests."""
    for found in RUST.finditer(TESTS.split(text)[0]):
        string = found[2] if found[1] else found[3]
        words = re.sub(r"\{[^{}]*\}", "{}", re.sub(r"\\\n\s*", "", string or "")).replace("\\n", " ")
        if " " in words.strip() and re.search("[a-z]{3}", words):
            yield text.count("\n", 0, found.start()) + 1, words


def help_texts(text):
    """Line number and text of each doc comment: what a command line prints as its help."""
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*/// ?(.*)", line):
            yield number, found[1]


def values(text):
    """Line number and text of each line of TOML that has a text, without keys of records, queries and patterns."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#") and not re.match(r"(?:key|query|condition|id) = ", line):
            yield number, line


def prose(text):
    """Line number and text of each line of Markdown, without code and addresses of links."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`|\]\([^)]*\)", " ", line)


def retired(text, place):
    """The retired words of a text in a place, each with what to write instead."""
    return [(found[0], instead) for word, instead, places in WORDS if place in places and (found := word.search(text))]


def readings():
    """Every file with its place, and the way to read it."""
    for path in tracked("crates/**/*.rs"):
        name = str(path.relative_to(ROOT))
        if not any(part in name for part in UNREAD) and "/src/" in name:
            yield path, "program", sentences
            if name.startswith("crates/server/src/cli"):
                yield path, "program", help_texts
    for path in tracked("crates/alerts/src/*.toml", "crates/reports/templates/*.toml"):
        yield path, "program", values
    for path in tracked("README.md", "docs/**/*.md", "docs/*.md"):
        if not str(path.relative_to(ROOT)).startswith(UNEDITED):
            yield path, "docs", prose


def problems():
    found = []
    for path, place, read in readings():
        for number, text in read(path.read_text(encoding="utf-8")):
            found += [f"{path.relative_to(ROOT)}:{number}: {word!r}: write {instead}" for word, instead in retired(text, place)]
    return found


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "glossary: no retired word")
    sys.exit(bool(found))
