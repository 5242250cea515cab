"""Measures the form of the Rust code at one or more revisions: `python3 tools/form.py 2b043350 HEAD`.

Prints a table in Markdown with a column a revision; without arguments, one of the last commit. It judges nothing: the
limits that the gate enforces are in `tools/shape.py`.
"""

import io
import json
import re
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path

from shape import TOKEN, functions

ROOT = Path(__file__).resolve().parent.parent
DOC = re.compile(r"^\s*///\s?(.*)$")
TYPE = re.compile(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait) (\w+)")
RELATIVE = re.compile(r"\b(?:that|which|who|whom|whose|what)\b", re.IGNORECASE)
# `name: other.name,`, `name: other.name.clone(),` and the like, and `let name = other.name;`.
COPY = re.compile(r"^\s*(\w+): (?:&?\w+)\.(\w+)(?:\.(?:clone|to_owned|to_string)\(\)|\.0\.clone\(\))?,$")
SHAPE = re.compile(r"^(?:pub(?:\([^)]*\))? )?struct \w+(?:Row|Body|Columns)(?:<[^>]*>)? \{.*?^\}", re.MULTILINE | re.DOTALL)
STRING_ERRORS = re.compile(r"-> (?:std::result::)?Result<(?:[^<>;{]|<(?:[^<>]|<[^<>]*>)*>)*, String>")
UNIT_TESTS = "#[cfg(test)]\nmod tests {"


def files_at(revision):
    """Texts of the Rust files of a revision by their paths, and its description of the interface."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", revision], cwd=ROOT, check=True, capture_output=True
    ).stdout
    texts, interface = {}, "{}"
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(".rs"):
                texts[member.name] = tar.extractfile(member).read().decode()
            elif member.name == "docs/openapi.json":
                interface = tar.extractfile(member).read().decode()
    return texts, json.loads(interface)


def spread(values):
    """Median, 95th percentile and maximum, as a text."""
    values = sorted(values) or [0]
    return f"{values[len(values) // 2]:,} / {values[len(values) * 95 // 100]:,} / {values[-1]:,}"


def share(part, whole):
    return f"{100 * part / max(whole, 1):.1f} %"


def is_test(path):
    return "/tests/" in path or path.endswith("tests.rs")


def doc_comments(text):
    """The texts of doc comments, each joined over its lines."""
    comment = []
    for line in text.splitlines():
        if found := DOC.match(line):
            comment.append(found.group(1))
        elif comment:
            yield " ".join(comment).strip()
            comment = []


def measure(revision):
    texts, interface = files_at(revision)
    lines = [line for text in texts.values() for line in text.splitlines()]
    code = [text.partition(UNIT_TESTS)[0] for path, text in texts.items() if not is_test(path)]
    code_lines = [line for text in code for line in text.splitlines() if line.strip()]
    bodies = [(size, source) for text in texts.values() for _, _, size, source in functions(text)]
    inside = [line for _, body in bodies for line in body.splitlines()[1:-1]]
    comments = [comment for text in texts.values() for comment in doc_comments(text) if comment]
    words = sum(len(comment.split()) for comment in comments)
    types = Counter(found.group(1) for line in lines if (found := TYPE.match(line)))
    total_types = sum(types.values())
    copies = sum(1 for line in code_lines if (found := COPY.match(line)) and found.group(1) == found.group(2))
    shapes = sum(len(found.group(0).splitlines()) for text in code for found in SHAPE.finditer(text))
    schemas = interface.get("components", {}).get("schemas", {})

    return {
        "files; lines": f"{len(texts):,}; {len(lines):,}",
        "lines a file: median / p95 / max": spread(len(text.splitlines()) for text in texts.values()),
        "tokens a function: median / p95 / max": spread(size for size, _ in bodies),
        "lines over 100 characters": share(sum(len(line) > 100 for line in lines), len(lines)),
        "blank lines inside functions": share(sum(not line.strip() for line in inside), len(inside)),
        "doc comments; of at most three words": f"{len(comments):,}; "
        + share(sum(len(comment.split()) <= 3 for comment in comments), len(comments)),
        "that, which, who, what in 100 words of doc comments": f"{100 * sum(len(RELATIVE.findall(comment)) for comment in comments) / max(words, 1):.1f}",
        "`//` lines of lines": share(sum(bool(re.match(r"\s*//(?![/!])", line)) for line in lines), len(lines)),
        "type names of one word; shared by three types or more": share(
            sum(count for name, count in types.items() if not re.search(r"[a-z0-9][A-Z]", name)), total_types
        )
        + "; "
        + share(sum(count for count in types.values() if count >= 3), total_types),
        "lines that copy a field to one of the same name, of code": f"{copies:,} ({share(copies, len(code_lines))})",
        "lines of structs named Row, Body or Columns, of code": f"{shapes:,} ({share(shapes, len(code_lines))})",
        "functions answering `Result<_, String>`": f"{sum(len(STRING_ERRORS.findall(text)) for text in code):,}",
        "schemas of the interface; enumerations": f"{len(schemas):,}; {sum('enum' in schema for schema in schemas.values()):,}",
    }


def main():
    revisions = sys.argv[1:] or ["HEAD"]
    columns = [measure(revision) for revision in revisions]
    print("| | " + " | ".join(revisions) + " |")
    print("|---|" + "---|" * len(revisions))
    for row in columns[0]:
        print(f"| {row} | " + " | ".join(column[row] for column in columns) + " |")


if __name__ == "__main__":
    main()
