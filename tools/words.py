"""What must not be in the tree: unfinished markers, paths of somebody's machine, private registries, secrets by mistake."""

import re
import sys
from pathlib import Path

from shape import ROOT, tracked

# A pattern, the files it looks at, and what to do instead. Split literals keep this file from finding itself.
RULES = [
    (r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b", ("*.rs", "*.ts", "*.tsx", "*.py", "*.md", "*.toml", "*.sh", "Makefile", "tools/*"),
     "finish it, or open an issue and say in the code why it is as it is"),
    (r"\b(to" r"do!|unimpl" r"emented!)", ("*.rs",), "finish it"),
    (r"#\[ig" r"nore", ("*.rs",), "a test that does not run tests nothing"),
    (r"(?<![\w./:$}-])/(?:ho" r"me|ro" r"ot|Us" r"ers|wo" r"rk)/\w", ("*.rs", "*.ts", "*.tsx", "*.py", "*.md", "*.toml", "*.json", "tools/*", "Makefile"),
     "a path of one machine; take it from the environment or make it relative"),
    # Names that only this project used; each had an established term.
    (r"\b(?:struct|enum|trait|type|fn|mod) (?:Desk(?:Ports)?|Deeds?|Went|RuleBook|desk|deeds|went|graver?|meet|weigh|opinion|foretell|foresee)\b(?= *[<({;:])", ("*.rs",),
     "take the field's term: service, event, outcome, log entry, severity, feedback, forecast"),
    (r"-----BEGIN [A-Z ]*PRIV" r"ATE KEY-----", ("*",), "no private key belongs here; generate it in the test"),
]
EXEMPT = ("LICENSE", "fuzz/corpus/", "/fixtures/", "Cargo.lock", "package-lock.json")


def registry_problems():
    """Lock files name the public registries and nothing else."""
    lock = ROOT / "Cargo.lock"
    for source in sorted(set(re.findall(r'^source = "(.*)"$', lock.read_text(encoding="utf-8"), re.M))):
        if source != "registry+https://github.com/rust-lang/crates.io-index":
            yield f"Cargo.lock: a package comes from {source}; only crates.io is expected"
    for path in tracked("package-lock.json", "**/package-lock.json"):
        for url in sorted(set(re.findall(r'"resolved": "(https?://[^/"]+)', path.read_text(encoding="utf-8")))):
            if url != "https://registry.npmjs.org":
                yield f"{path.relative_to(ROOT)}: packages come from {url}; write the lock without a private registry"
    for path in tracked("*requirements*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#") and not re.match(r"^[A-Za-z0-9._\[\]-]+==[A-Za-z0-9.+!]+$", line):
                yield f"{path.relative_to(ROOT)}: {line!r} is not pinned as name==version"


def problems():
    found = []
    for pattern, files, advice in RULES:
        search = re.compile(pattern)
        for path in tracked(*files):
            name = str(path.relative_to(ROOT))
            if any(part in name for part in EXEMPT):
                continue
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
            for match in search.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: {match[0]!r}: {advice}")
    return found + list(registry_problems())


if __name__ == "__main__":
    found = problems()
    print("\n".join(found) or "words: nothing unfinished, nothing private")
    sys.exit(bool(found))
