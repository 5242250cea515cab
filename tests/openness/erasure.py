"""Erased entries, from docs/formats/expiry.md alone."""
import json

import tlog
from tlog import Broken


def replace(segments, changed):
    """Takes the segments of a record `erase`."""
    for after in changed:
        at = [n for n, segment in enumerate(segments) if all(segment[name] == after[name] for name in ("first_sequence", "last_sequence", "class"))]
        if not at or after["erased"][:-1] != segments[at[0]].get("erased", []) or total(after) != total(segments[at[0]]):
            raise Broken(f"the erasure of {after['path']} does not follow from the records before")
        segments[at[0]] = after


def runs(mark):
    """Sequences of a mark, in order."""
    return [sequence for first, last in mark["sequences"] for sequence in range(first, last + 1)]


def total(segment):
    return segment["count"] + sum(len(runs(mark)) for mark in segment.get("erased", ()))


def sequences(segments):
    """All erased sequences."""
    return {sequence for segment in segments for mark in segment.get("erased", ()) for sequence in runs(mark)}


def path_after(segment, erasures):
    name = f"{segment['first_sequence']:020}-{segment['last_sequence']:020}" + (f".{erasures}" if erasures else "")
    return f"lake/entries/{segment['class']}/{name}.parquet"


def recorded(entries):
    """Tombstones by sequence, people by request and kind, holds and restores by sequence."""
    tombstones, people, holds, released, restores = {}, {}, {}, {}, {}
    for sequence in sorted(entries):
        entry = json.loads(entries[sequence][1])
        if entry.get("action", {}).get("status") != "success" or entry.get("submitted_by", {}).get("type") != "reeve":
            continue
        kind, about = entry["event_type"], entry.get("resource", {}).get("id")
        if kind == "ledger.erase":
            tombstones[sequence] = entry["metadata"]
        elif kind in ("audit.erasure.create", "audit.erasure.approve"):
            people.setdefault((about, kind), []).append((sequence, entry["actor"]["id"]))
        elif kind == "audit.hold.create":
            holds[about] = sequence
        elif kind == "audit.hold.release":
            released[about] = sequence
        elif kind == "system.restore":
            restores[sequence] = entry["metadata"]["size"]
    return tombstones, people, {hold: (placed, released.get(hold)) for hold, placed in holds.items()}, restores


def check(segments, entries, stored):
    """[(path, entries, request)] of the erasures; raises Broken for one that the log does not allow."""
    tombstones, people, holds, restores = recorded(entries)
    found = []
    for segment in segments:
        marks = segment.get("erased", [])
        for nth, mark in enumerate(marks):
            path, at, erased = path_after(segment, nth), mark["entry"], runs(mark)
            said = tombstones.get(at)
            if said is None or at <= segment["last_sequence"]:
                raise Broken(f"entries of {path} were erased without a tombstone")
            described = {name: segment[name] for name in ("first_sequence", "last_sequence", "class")}
            described |= {"request": mark["request"], "sequences": mark["sequences"], "entries": len(erased), "path_after": path_after(segment, nth + 1)}
            if any(said[name] != value for name, value in described.items()):
                raise Broken(f"the tombstone of entries of {path} describes others")
            after = tombstones[marks[nth + 1]["entry"]]["sha256"] if nth + 1 < len(marks) else segment["sha256"]
            if said["sha256_after"] != after:
                raise Broken(f"the tombstone of entries of {path} names another file")
            tree = tlog.Tree()
            for sequence in erased:
                tree.append(tlog.leaf_hash(stored[32 * sequence : 32 * sequence + 32]))
            if tree.root().hex() != said["commitments_root"]:
                raise Broken(f"{path}: the log has another root of the erased commitments")
            if "reapplied" in said:
                allowed = any(s < at and erased[-1] < size <= said["reapplied"]["sequence"] for s, size in restores.items())
            else:
                created = [person for s, person in people.get((mark["request"], "audit.erasure.create"), []) if s < at]
                approved = {person for s, person in people.get((mark["request"], "audit.erasure.approve"), []) if s < at} - set(created)
                ignored = [hold for hold, (placed, released) in holds.items() if placed < at and (released is None or released > at) and hold not in said["holds"]]
                allowed = created and len(approved) >= 2 and not ignored
            if not allowed:
                raise Broken(f"entries of {path} were erased, and the log does not allow it")
            found.append((path, len(erased), mark["request"]))
    return found
