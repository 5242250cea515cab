"""Changes that users can see, one file each in changes/unreleased: `TOPIC.KIND.md`, where KIND is one of KINDS and the file
holds one item of the changelog as Markdown. Nobody edits CHANGELOG.md between releases, so that changes do not conflict.

`python3 tools/changelog.py` prints what is unreleased; `python3 tools/changelog.py release 0.3.0 [2027-01-31]` moves it into
CHANGELOG.md and sets the version in the manifests."""

import datetime
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "changes/unreleased"
KINDS = ["added", "changed", "deprecated", "removed", "fixed", "security"]
VERSION = re.compile(r"\d+\.\d+\.\d+")
# Manifests with the version, and the text before it.
MANIFESTS = [
    ("Cargo.toml", r'(\[workspace\.package\]\nversion = ")'),
    ("web/package.json", r'(\A\{\n  "name": "reeve-dashboard",\n(?:  .*\n)*?  "version": ")'),
    ("web/package-lock.json", r'(\A\{\n  "name": "reeve-dashboard",\n  "version": ")'),
    ("web/package-lock.json", r'(\n    "": \{\n      "name": "reeve-dashboard",\n      "version": ")'),
]


def fragments():
    """(file name, text) of every fragment, by name."""
    return [(path.name, path.read_text(encoding="utf-8")) for path in sorted((ROOT / FOLDER).glob("*")) if path.name != "README.md"]


def kind(name):
    """The kind that a file name gives, or nothing."""
    found = re.fullmatch(r"[a-z0-9-]+\.([a-z]+)\.md", name)
    return found[1] if found and found[1] in KINDS else None


def fragment_problems(found):
    for name, text in found:
        if not kind(name):
            yield f"{FOLDER}/{name}: name it topic.kind.md, where kind is one of {', '.join(KINDS)}"
        elif not text.strip():
            yield f"{FOLDER}/{name}: it is empty"
        elif text.lstrip().startswith(("-", "*", "#")) or "\n\n" in text.strip():
            yield f"{FOLDER}/{name}: it holds one item, one paragraph without a bullet or heading"


def changelog_problems(text):
    if "[Unreleased]" in text:
        yield f"CHANGELOG.md: unreleased changes are files in {FOLDER}"


def item(text):
    """A fragment as an item of a list, wrapped at 130 columns."""
    words = " ".join(text.split())
    return textwrap.fill(words, 130, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def section(found):
    """The fragments as the headings and lists of a release."""
    parts = []
    for wanted in KINDS:
        items = [item(text) for name, text in found if kind(name) == wanted]
        if items:
            parts.append(f"### {wanted.capitalize()}\n\n" + "\n".join(items) + "\n")
    return "\n".join(parts)


def released(changelog, version, day, found):
    """The changelog with a release above the newest one."""
    heading = changelog.index("\n## [") + 1
    return f"{changelog[:heading]}## [{version}] - {day}\n\n{section(found)}\n{changelog[heading:]}"


def with_version(text, before, version):
    """A manifest with another version."""
    changed, count = re.subn(before + VERSION.pattern, lambda found: found[1] + version, text, count=1)
    if not count:
        raise ValueError("no version found")
    return changed


def release(version, day):
    if not VERSION.fullmatch(version):
        raise ValueError(f"{version} is no version")
    found = fragments()
    if wrong := list(fragment_problems(found)):
        raise ValueError("\n".join(wrong))
    changelog = ROOT / "CHANGELOG.md"
    changelog.write_text(released(changelog.read_text(encoding="utf-8"), version, day, found), encoding="utf-8")
    for name, before in MANIFESTS:
        path = ROOT / name
        path.write_text(with_version(path.read_text(encoding="utf-8"), before, version), encoding="utf-8")
    for name, _ in found:
        (ROOT / FOLDER / name).unlink()
    print(f"changelog: {len(found)} changes released as {version}. Next: cargo update --workspace, make openapi, commit, tag v{version}")


def problems():
    return [*fragment_problems(fragments()), *changelog_problems((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))]


if __name__ == "__main__":
    if sys.argv[1:2] == ["release"] and len(sys.argv) in (3, 4):
        release(sys.argv[2], sys.argv[3] if len(sys.argv) == 4 else datetime.date.today().isoformat())
    elif len(sys.argv) == 1:
        wrong = problems()
        print("\n".join(wrong) or section(fragments()) or "changelog: nothing is unreleased")
        sys.exit(bool(wrong))
    else:
        sys.exit(__doc__)
