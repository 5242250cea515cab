"""Expired ranges, from docs/formats/expiry.md alone."""
import datetime
import json

import tlog
from tlog import Broken

PRESETS = {"version": 0, "policies": [
    {"name": "authentication", "event_types": ["authentication.*"], "hot_days": 90, "warm_days": 365, "cold_years": 7},
    {"name": "change", "event_types": ["resource.delete", "policy.modify"], "hot_days": 180, "warm_days": 730, "cold_years": 10},
    {"name": "view", "event_types": ["resource.view"], "hot_days": 30, "warm_days": 90, "cold_years": 0},
    {"name": "default", "event_types": ["*"], "hot_days": 90, "warm_days": 365, "cold_years": 7},
]}
PROOFS = ("ledger.", "audit.retention.", "audit.hold.", "audit.erasure.")
DESCRIBED = {"first_sequence": "first_sequence", "last_sequence": "last_sequence", "entries": "count", "sha256": "sha256", "class": "class"}


def mark(segments, marked):
    """Takes the marks of a record `expire`."""
    listed = {segment["path"]: segment for segment in segments}
    for change in marked:
        segment = listed.get(change["path"], {})
        if segment | {"expired": None} != change | {"expired": None}:
            raise Broken(f"{change['path']} is marked and not listed so")
        before, after = segment.get("expired"), change["expired"]
        if before and ("freed" in before or (before["entry"], before["policy_version"]) != (after["entry"], after["policy_version"])):
            raise Broken(f"the mark of {change['path']} was changed")
        segment["expired"] = after


def assign(segments, gaps):
    """{sequence: (path, certain)} of sequences that no live segment has: the expired segment that ends first takes each."""
    left = {segment["path"]: segment["count"] for segment in segments if segment.get("expired")}
    taken = {}
    for sequence in gaps:
        able = [s for s in segments if left.get(s["path"]) and s["first_sequence"] <= sequence <= s["last_sequence"]]
        if not able:
            raise Broken(f"entry {sequence} is missing")
        chosen = min(able, key=lambda segment: segment["last_sequence"])
        left[chosen["path"]] -= 1
        taken[sequence] = (chosen["path"], {segment["path"] for segment in able})
    if any(left.values()):
        raise Broken("entries of an expired segment are elsewhere")
    return taken


def policy_of(policies, event_type):
    """The policy with the most specific pattern."""
    if event_type.startswith(PROOFS):
        return None
    best = (-1, None)
    for policy in policies["policies"]:
        for pattern in policy["event_types"]:
            if pattern == event_type:
                best = (10**6, policy)
            elif pattern.endswith("*") and event_type.startswith(pattern[:-1]) and len(pattern) > best[0]:
                best = (len(pattern), policy)
    return best[1]


def delete_at(policy, clock):
    end = clock + datetime.timedelta(hours=24 * (policy["hot_days"] + policy["warm_days"]))
    year = end.year + policy["cold_years"]
    try:
        return end.replace(year=year)
    except ValueError:
        return end.replace(year=year, day=28)


def time(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def recorded(entries):
    """Tombstones and policies by sequence, holds by identifier."""
    tombstones, policies, holds, released = {}, {}, {}, {}
    for sequence in sorted(entries):
        entry = json.loads(entries[sequence][1])
        kind = entry["event_type"]
        if not kind.startswith(PROOFS) or entry["action"]["status"] != "success" or entry["submitted_by"]["type"] != "reeve":
            continue
        if kind == "ledger.expire":
            tombstones[sequence] = entry
        elif kind == "audit.retention.modify":
            policies[sequence] = entry["changes"]["after"]
        elif kind == "audit.hold.create":
            holds[entry["resource"]["id"]] = sequence
        elif kind == "audit.hold.release":
            released[entry["resource"]["id"]] = sequence
    return tombstones, policies, {hold: (placed, released.get(hold)) for hold, placed in holds.items()}


def classes_hold(segments, policies):
    """Holds the types of entries, which segments have under `types`, against the classes that policies give."""
    for segment in segments:
        for event_type in segment.get("types", ()):
            given = {(policy_of(version, event_type) or {"name": "permanent"})["name"] for version in policies}
            if segment["class"] not in given | {"permanent"} and not (segment["class"] == "default" and event_type.startswith(PROOFS)):
                raise Broken(f"an entry of type {event_type} is not of the class {segment['class']}")


def check(segments, entries, taken, stored):
    """[(path, entries, policy version)] of the expired segments; raises Broken for a deletion that no policy allowed."""
    tombstones, policies, holds = recorded(entries)
    classes_hold(segments, [PRESETS, *policies.values()])
    ranges = []
    for segment in filter(lambda segment: segment.get("expired"), segments):
        path, at = segment["path"], segment["expired"]["entry"]
        if at not in tombstones or at <= segment["last_sequence"]:
            raise Broken(f"{path} has no tombstone")
        said = tombstones[at]["metadata"]
        if any(said[name] != segment[member] for name, member in DESCRIBED.items()) or sum(said["event_types"].values()) != segment["count"]:
            raise Broken(f"the tombstone of {path} describes another segment")
        policy = ([PRESETS] + [version for sequence, version in sorted(policies.items()) if sequence < at])[-1]
        if {policy["version"]} != {said["policy_version"], segment["expired"]["policy_version"]}:
            raise Broken(f"{path}: the policies of its tombstone were not in force")
        listed = max(segment["max_timestamp_ms"], segment.get("max_recorded_at_ms", segment["max_timestamp_ms"]))
        clock = max(datetime.datetime.fromtimestamp(listed / 1000, datetime.timezone.utc), time(said["newest_timestamp"]), time(said["newest_recorded_at"]))
        for event_type in said["event_types"]:
            found = policy_of(policy, event_type)
            if found is None or delete_at(found, clock) > time(tombstones[at]["recorded_at"]):
                raise Broken(f"{path} was deleted before its period had passed")
        for hold, (placed, released) in holds.items():
            if placed < at and (released is None or released > at) and hold not in said["holds"]:
                raise Broken(f"{path} was deleted, and the hold {hold} was not looked at")
        if all(path not in able or len(able) == 1 for _, able in taken.values()):
            tree = tlog.Tree()
            for sequence in sorted(sequence for sequence, (owner, _) in taken.items() if owner == path):
                tree.append(tlog.leaf_hash(stored[32 * sequence : 32 * sequence + 32]))
            if tree.root().hex() != said["commitments_root"]:
                raise Broken(f"{path}: the log has another root of its commitments")
        ranges.append((path, segment["count"], policy["version"]))
    return ranges
