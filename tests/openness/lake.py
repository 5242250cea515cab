"""A data directory read with DuckDB and the standard library, from docs/formats alone: `python lake.py DIR` checks one.

Not one line here comes from Reeve's code. Where a page did not say enough to write this, the page was mended.
"""

import base64
import datetime
import hashlib
import json
import pathlib
import re
import struct
import sys

import duckdb
import zstandard

import erasure
import expiry
import tlog
from crc32c import crc32c
from tlog import Broken

# docs/formats/segment.md, "Columns": the column and the member of the entry that it repeats.
COLUMNS = {
    "event_id": ("event_id",),
    "event_type": ("event_type",),
    "severity": ("severity",),
    "actor_type": ("actor", "type"),
    "actor_id": ("actor", "id"),
    "actor_email": ("actor", "email"),
    "actor_ip_address": ("actor", "ip_address"),
    "actor_user_agent": ("actor", "user_agent"),
    "actor_session_id": ("actor", "session_id"),
    "resource_type": ("resource", "type"),
    "resource_id": ("resource", "id"),
    "resource_cloud_provider": ("resource", "cloud_provider"),
    "resource_account_id": ("resource", "account_id"),
    "resource_region": ("resource", "region"),
    "action_operation": ("action", "operation"),
    "action_status": ("action", "status"),
    "action_method": ("action", "method"),
    "request_id": ("metadata", "request_id"),
}
# docs/formats/entry.md, "Retention classes".
CLASSES = {"resource.delete": "change", "policy.modify": "change", "resource.view": "view"}


def retention_class(event_type):
    if event_type.startswith("authentication."):
        return "authentication"
    return CLASSES.get(event_type, "default")


def manifest(home, keyring=None):
    """docs/formats/data-directory.md, "manifest.journal": the newest record that is attested, with the segments of all before it."""
    keys = [key for key, _, _ in (keyring or keyring_of(home)).spans]
    segments, newest, before = [], None, bytes(32)
    for line in (home / "ledger" / "manifest.journal").read_bytes().split(b"\n")[:-1]:
        body, found, _ = line.rpartition(b',"attestation":')
        if not found:
            raise Broken("a record of the manifest has no attestation")
        record = json.loads(line)
        if record["version"] not in (2, 3, 4, 5) or record["kind"] not in (("seal", "expire", "erase") if newest else ("snapshot",)):
            raise Broken(f"the manifest has a {record['kind']} of version {record['version']}")
        attested(record, hashlib.sha256(before + body).digest(), keys)
        before = hashlib.sha256(before + line).digest()
        if record["kind"] == "expire":
            expiry.mark(segments, record["segments"])
        elif record["kind"] == "erase":
            erasure.replace(segments, record["segments"])
        else:
            segments += record["segments"]
        newest = record
    if newest is None:
        raise Broken("the manifest has no record")
    return newest | {"segments": segments}


def attested(record, digest, keys):
    """docs/formats/tlog.md, "Attestations"."""
    lines = tlog.open_note(record["attestation"].encode(), keys)[0].split("\n")
    expected = ["reeve/attestation/v1", record["origin"], "ledger/manifest.journal", str(record["sealed_size"])]
    if lines[:4] != expected or base64.b64decode(lines[4]) != digest:
        raise Broken("a record of the manifest is not what its attestation says")


def sealed(home, listed):
    """{sequence: (salt, canonical)} of the segments that the manifest lists."""
    entries = {}
    for segment in listed["segments"]:
        if segment.get("expired"):
            continue
        path = home / segment["path"]
        data = path.read_bytes()
        if len(data) != segment["bytes"] or hashlib.sha256(data).hexdigest() != segment["sha256"]:
            raise Broken(f"{segment['path']} is not the file that the manifest lists")
        rows = rows_of(path, segment)
        if [row["sequence"] for row in rows] != sorted({row["sequence"] for row in rows}):
            raise Broken(f"{segment['path']}: sequences do not ascend")
        span = (rows[0]["sequence"], rows[-1]["sequence"], len(rows)) if rows else (0, 0, 0)
        whole = (segment["first_sequence"], segment["last_sequence"], segment["count"])
        # An erasure may have taken the first or the last one.
        within = segment.get("erased") and len(rows) == segment["count"] and (not rows or (whole[0] <= span[0] and span[1] <= whole[1]))
        if span != whole and not within:
            raise Broken(f"{segment['path']} has {span} and not what the manifest says")
        for row in rows:
            held = entries.setdefault(row["sequence"], (row["salt"], row["canonical"]))
            if held != (row["salt"], row["canonical"]):
                raise Broken(f"entry {row['sequence']} is in two segments")
    erased = erasure.sequences(listed["segments"])
    if erased & set(entries):
        raise Broken("an erased entry is in its segment")
    gaps = sorted(set(range(listed["sealed_size"])) - set(entries) - erased)
    if any(sequence >= listed["sealed_size"] for sequence in entries):
        raise Broken("the segments do not hold each sealed entry once")
    return entries, expiry.assign(listed["segments"], gaps)


def rows_of(path, segment):
    """The rows of a segment, each held against its canonical bytes."""
    sql = "SELECT * REPLACE (epoch_ms(timestamp) AS timestamp, epoch_ms(recorded_at) AS recorded_at) FROM read_parquet(?)"
    found = duckdb.execute(sql, [str(path)])
    names = [column[0] for column in found.description]
    rows = [dict(zip(names, row)) for row in found.fetchall()]
    for row in rows:
        row["canonical"] = whole(row)
        entry = json.loads(row["canonical"])
        for column, members in COLUMNS.items():
            value = entry
            for member in members:
                value = value.get(member) if isinstance(value, dict) else None
            if row[column] != value:
                raise Broken(f"entry {row['sequence']}: the column {column} says {row[column]!r}, the entry {value!r}")
        if row["category"] != entry["event_type"].split(".")[0]:
            raise Broken(f"entry {row['sequence']}: the category is {row['category']}")
        for column in ("timestamp", "recorded_at"):
            if row[column] != millis(entry[column]):
                raise Broken(f"entry {row['sequence']}: the column {column} says {row[column]}, the entry {entry[column]}")
        if retention_class(entry["event_type"]) != segment["class"]:
            segment.setdefault("types", set()).add(entry["event_type"])
    return rows


# docs/formats/segment.md, "cut": the columns whose values may be cut out.
PLACES = {
    1: "event_id",
    2: "timestamp",
    3: "recorded_at",
    10: "actor_ip_address",
    11: "actor_user_agent",
    12: "actor_session_id",
    16: "resource_account_id",
    18: "action_operation",
    21: "request_id",
}


def whole(row):
    """The canonical bytes of a row: docs/formats/segment.md, "cut"."""
    canonical, cut = row["canonical"], row.get("cut") or 0
    if cut == 4:
        return re.sub(rb'([\x00-\x1f]{3})""', lambda found: b'"%s"' % placed(row, found[1]), canonical)
    if cut > 3:
        raise Broken(f"entry {row['sequence']}: the column cut says {cut}")
    for bit, member in ((2, "request_id"), (1, "event_id")):
        if cut & bit:
            empty = b'"%s":"' % member.encode()
            if empty + b'"' not in canonical:
                raise Broken(f"entry {row['sequence']}: {member} was cut out and cannot be put back")
            canonical = canonical.replace(empty + b'"', empty + row[member].encode() + b'"', 1)
    return canonical


def placed(row, digits):
    """The value whose column three bytes of white space number."""
    number = int(digits.translate(bytes.maketrans(b"\t\n\r", b"012")), 3)
    value = row.get(PLACES.get(number))
    if value is None:
        raise Broken(f"entry {row['sequence']}: the value of column {number} was cut out and cannot be put back")
    if isinstance(value, str):
        return value.encode()
    at = datetime.datetime.fromtimestamp(value // 1000, datetime.UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{value % 1000:03}Z".encode()


def millis(text):
    return duckdb.execute("SELECT epoch_ms(CAST(? AS TIMESTAMPTZ))", [text]).fetchone()[0]


def unsealed(home, sealed_size, keyring):
    """{sequence: (salt, canonical)} and {size: root} of the write-ahead log's checkpoints: docs/formats/wal.md."""
    entries, signed, expected = {}, {}, sealed_size
    files = [path for path in sorted((home / "ledger" / "wal").glob("*.wal")) if int(path.stem) >= sealed_size]
    headers = [wal_header(path) for path in files]
    for path, (first, epoch), later in zip(files, headers, [*headers[1:], (0, 0)], strict=True):
        data = path.read_bytes()
        # A server with a greater number took over there: what follows in this file does not count.
        taken_over = later[0] if later[1] > epoch else None
        if len(data) == 64 and first < expected:
            continue
        if first != expected or first != int(path.stem):
            raise Broken(f"{path.name} does not follow the file before")
        at = 64
        while at < len(data):
            length, crc = struct.unpack_from("<II", data, at)
            body = data[at + 8 : at + 8 + length]
            if len(body) != length or crc32c(body) != crc:
                raise Broken(f"{path.name}: the frame at {at} does not hold")
            at += 8 + length
            kind, codec, first, count, _, plain, note = struct.unpack_from("<BBQIqII", body)
            if taken_over is not None and first >= taken_over:
                break
            if kind != 1 or first != expected:
                raise Broken(f"{path.name}: the frame before {at} does not follow the one before")
            checkpoint, part = body[30 : 30 + note], body[30 + note :]
            size, root = keyring.open_checkpoint(checkpoint)
            part = zstandard.decompress(part, max_output_size=plain) if codec == 1 else part
            if len(part) != plain:
                raise Broken(f"{path.name}: the frame before {at} has another length")
            expected = entries_of(part, expected, count, entries)
            if size != expected:
                raise Broken(f"{path.name}: the checkpoint before {at} has {size} entries, the log {expected}")
            signed[size] = root
    return entries, signed


def wal_header(path):
    """(first sequence, number of the writer) of a file of the write-ahead log."""
    data = path.read_bytes()
    magic, version, first = struct.unpack_from("<8sIQ", data)
    checked = {1: 52, 2: 60}.get(version)
    if magic != b"reevewal" or checked is None or struct.unpack_from("<I", data, checked)[0] != crc32c(data[:checked]):
        raise Broken(f"{path.name} has no header that holds")
    return first, struct.unpack_from("<Q", data, 52)[0] if version == 2 else 0


def entries_of(part, sequence, count, entries):
    at = 0
    for sequence in range(sequence, sequence + count):
        (length,) = struct.unpack_from("<I", part, at + 16)
        entries[sequence] = (part[at : at + 16], part[at + 20 : at + 20 + length])
        at += 20 + length
    if at != len(part):
        raise Broken(f"bytes after entry {sequence}")
    return sequence + 1


def anchor(home, keyring):
    """(size, root, chain hash) of the anchor, its signature verified: docs/formats/data-directory.md, "Anchor"."""
    data = (home / "anchor" / "head").read_bytes()
    slots = []
    for at in (0, 512):
        slot = data[at : at + 164]
        magic, version, turn, size = struct.unpack_from("<8sIQQ", slot)
        if magic == b"reeveanc" and version == 2 and struct.unpack_from("<I", slot, 160)[0] == crc32c(slot[:160]):
            slots.append((turn, size, slot[28:60], slot[60:92], slot[92:160]))
    if not slots:
        raise Broken("no slot of the anchor holds")
    _, size, root, head, signature = max(slots)
    line = f"\u2014 {keyring.origin} {base64.b64encode(signature).decode()}"
    keyring.open_checkpoint(f"{keyring.origin}\n{size}\n{base64.b64encode(root).decode()}\n\n{line}\n".encode())
    return size, root, head


def keyring_of(home, key=None):
    """The log's keys, beginning with `key`, a verifier key kept elsewhere, or with the directory's own."""
    records = (home / "ledger" / "epochs").glob("*")
    ordered = sorted((int(path.name), path) for path in records if path.name.isdigit())
    if [number for number, _ in ordered] != list(range(1, len(ordered) + 1)):
        raise Broken("the records of key epochs have gaps")
    pinned = tlog.Key(key or (home / "ledger" / "log.vkey").read_text())
    return tlog.Keyring(pinned, [path.read_bytes() for _, path in ordered])


def check(home, key=None):
    """Recomputes everything; gives a summary, or raises Broken. `key` is a verifier key kept elsewhere."""
    home = pathlib.Path(home)
    keyring = keyring_of(home, key)
    listed = manifest(home, keyring)
    entries, expired = sealed(home, listed)
    fresh, signed = unsealed(home, listed["sealed_size"], keyring)
    entries.update(fresh)
    size, root = keyring.open_checkpoint((home / "ledger" / "checkpoint").read_bytes())
    there = len(entries) + len(expired) + len(erasure.sequences(listed["segments"]))
    if size != there:
        raise Broken(f"the signed checkpoint has {size} entries, and {there} are there")
    anchored = anchor(home, keyring)
    # Every root that somebody vouches for, by size.
    roots = [("the signed checkpoint", size, root), ("the anchor", *anchored[:2])]
    roots += [("a frame's checkpoint", size, root) for size, root in signed.items()]
    roots += [("the record of a key epoch", size, root) for size, root in keyring.roots]
    roots += [("the manifest", listed["sealed_size"], bytes.fromhex(listed["root"]))]
    chains = {listed["sealed_size"]: bytes.fromhex(listed["chain_hash"]), anchored[0]: anchored[2]}
    tree, head, commitments = tlog.Tree(), bytes(32), []
    stored = (home / "ledger" / "commitments").read_bytes() if listed["sealed_size"] else b""
    ranges = expiry.check(listed["segments"], entries, expired, stored)
    erased = erasure.check(listed["segments"], entries, stored)
    for sequence in range(size + 1):
        for who, at, root in roots:
            if at == tree.size and root != tree.root():
                raise Broken(f"{who} has another root over {at} entries")
        if chains.get(tree.size, head) != head:
            raise Broken(f"the chain hash after {tree.size} entries is another")
        if sequence < size:
            # Of an expired entry the commitment is all there is; the signed roots vouch for it.
            kept = stored[32 * sequence : 32 * sequence + 32]
            commitments.append(tlog.commitment(*entries[sequence]) if sequence in entries else kept)
            leaf = tlog.leaf_hash(commitments[-1])
            tree.append(leaf)
            head = tlog.chain([leaf], head)
    for who, at, _ in roots:
        if at > tree.size:
            raise Broken(f"{who} has {at} entries, and {tree.size} are there")
    size = listed["sealed_size"]
    if stored[: 32 * size] != b"".join(commitments[:size]):
        raise Broken("the stored commitments are not those of the entries")
    return {
        "entries": entries,
        "commitments": commitments,
        "sealed": size,
        "expired": ranges,
        "erased": erased,
        "unsealed": len(fresh),
        "classes": sorted({segment["class"] for segment in listed["segments"]}),
        "root": tree.root().hex(),
        "keyring": keyring,
    }


if __name__ == "__main__":
    try:
        found = check(sys.argv[1], *sys.argv[2:])
    except Broken as broken:
        sys.exit(f"BROKEN: {broken}")
    for path, entries, version in found["expired"]:
        print(f"expired by version {version} of the policies: {entries} entries of {path}")
    for path, entries, request in found["erased"]:
        print(f"erased by request {request}: {entries} entries of {path}")
    print(f"intact: {found['sealed']} sealed and {found['unsealed']} unsealed entries, root {found['root']}")
