"""Gives files with unchanged content the modification time they had in the last run: `keep_times.py STORE`.

Cargo compiles again whatever is newer than its output, and in a fresh clone every file is new. STORE is a JSON
file that maps the folder of a clone to `{path: [sha256, time in nanoseconds]}` of the last run there, and of that
run alone: a file that changed since then, even back to what it was earlier, counts as new.
"""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

# What a run builds itself before cargo reads it.
BUILT = ["web/dist"]


def files(root):
    """Paths below root of everything that is checked in, and of what was built from it."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    built = (str(path.relative_to(root)) for folder in BUILT for path in sorted((root / folder).rglob("*")))
    return [path for path in [*filter(None, listed.split("\0")), *built] if (root / path).is_file()]


def keep(root, paths, seen):
    """Sets the times of files below root; `seen` is what this answered in the last run there, or empty before the first."""
    now = {}
    for path in paths:
        hashed = hashlib.sha256((root / path).read_bytes()).hexdigest()
        before, time = seen.get(path, (None, None))
        if before == hashed:
            os.utime(root / path, ns=(time, time))
        elif seen:
            os.utime(root / path)
        now[path] = [hashed, (root / path).stat().st_mtime_ns]
    return now


def main(store):
    root = pathlib.Path.cwd()
    try:
        clones = json.loads(store.read_text())
    except (FileNotFoundError, ValueError):
        clones = {}

    seen = clones.get(str(root), {})
    clones[str(root)] = keep(root, files(root), seen)
    same = sum(clones[str(root)][path] == known for path, known in seen.items() if path in clones[str(root)])
    print(f"keep_times: {same} of {len(clones[str(root)])} files are those of the last run")

    partial = store.with_suffix(".new")
    partial.write_text(json.dumps(clones))
    partial.replace(store)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
