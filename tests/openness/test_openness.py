"""A lake that the real `reeve` wrote, opened with DuckDB and recomputed in Python from docs/formats alone.

`python -m unittest discover tests/openness`; REEVE_BIN is the program (default target/debug/reeve).
"""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

import duckdb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import lake
import tlog

ROOT = pathlib.Path(__file__).resolve().parents[2]
REEVE = os.environ.get("REEVE_BIN", str(ROOT / "target" / "debug" / "reeve"))
TOKEN = "the-first-administrator-of-the-tests"
TYPES = ["authentication.login", "resource.delete", "resource.view", "resource.modify", "policy.modify", "data.read"]
SEAL_AFTER = 600


def entry(number):
    made = {
        "event_id": f"open-{number:05}",
        "event_type": TYPES[number % len(TYPES)],
        "actor": {"type": "user", "id": f"u{number % 7}", "email": f"user{number % 7}@example.com", "ip_address": "2001:DB8::7"},
        "resource": {"type": "bucket", "id": f"b-{number % 31}", "tags": {"team": "Z\u00fcrich"}},
        "action": {"operation": "PutObject", "status": "success", "method": "api"},
        "metadata": {"request_id": f"r-{number}", "ratio": 1e-7, "trace": "a/b"},
    }
    if number % 3:
        made["timestamp"] = f"2026-11-{1 + number % 19:02}T10:00:00.{number % 1000:03}+01:00"
    if number % 5 == 0:
        del made["actor"], made["resource"]
    return made


class Service:
    """A `reeve serve` of the test's own."""

    def __init__(self, home):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("REEVE_")}
        environment |= {"REEVE_ADMIN_TOKEN": TOKEN, "REEVE_SEAL_AFTER_ENTRIES": str(SEAL_AFTER)}
        self.process = subprocess.Popen(
            [REEVE, "serve", "--data-dir", str(home), "--listen", "127.0.0.1:0"],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            if line.startswith("Dashboard: "):
                self.url = line.removeprefix("Dashboard: ").strip()
                return
        raise RuntimeError("reeve ended before it served")

    def ask(self, path, body=None):
        request = urllib.request.Request(
            self.url + "/api/v1/audit-logs" + path, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def append(self, numbers):
        return json.loads(self.ask("", [entry(number) for number in numbers]))["items"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()


class Openness(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="reeve-open-")
        cls.home = pathlib.Path(cls.temporary.name) / "data"
        service = Service(cls.home)
        try:
            cls.receipts = []
            for first in range(0, SEAL_AFTER, 100):
                cls.receipts += service.append(range(first, first + 100))
            until = time.monotonic() + 60
            while lake.manifest(cls.home)["sealed_size"] < SEAL_AFTER:
                if time.monotonic() > until:
                    raise AssertionError("nothing was sealed within a minute")
                time.sleep(0.02)
            cls.first_key = (cls.home / "ledger" / "log.vkey").read_text()
            cls.retired = (cls.home / "keys" / "log.key").read_text()
            service.ask("/keys/rotate", {})
            for number in range(SEAL_AFTER, SEAL_AFTER + 57):
                cls.receipts += service.append([number])
            cls.proof = service.ask("/open-00003/proof")
            cls.served = service.ask("/checkpoint")
        finally:
            service.stop()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def copy(self):
        """A copy of the lake to be changed."""
        target = pathlib.Path(tempfile.mkdtemp(dir=self.temporary.name)) / "data"
        shutil.copytree(self.home, target)
        return target

    def refused(self, home, *words):
        with self.assertRaises((lake.Broken, FileNotFoundError)) as caught:
            lake.check(home)
        for word in words:
            self.assertIn(word, str(caught.exception))

    def test_everything_is_recomputed(self):
        found = lake.check(self.home)
        self.assertGreaterEqual(found["sealed"], SEAL_AFTER)
        self.assertGreaterEqual(found["unsealed"], 57)
        self.assertEqual(found["classes"], ["authentication", "change", "default", "view"])
        size, root = found["keyring"].open_checkpoint((self.home / "ledger" / "checkpoint").read_bytes())
        self.assertEqual((size, root.hex()), (found["sealed"] + found["unsealed"], found["root"]))

    def test_receipts_are_the_hashes_of_the_entries(self):
        found = lake.check(self.home)
        chain, wanted = bytes(32), {receipt["sequence"]: receipt for receipt in self.receipts}
        self.assertEqual(len(wanted), SEAL_AFTER + 57)
        for sequence, commitment in enumerate(found["commitments"]):
            leaf = tlog.leaf_hash(commitment)
            before, chain = chain, tlog.chain([leaf], chain)
            if receipt := wanted.get(sequence):
                told = (receipt["leaf_hash"], receipt["previous_hash"], receipt["hash"])
                self.assertEqual(told, (leaf.hex(), before.hex(), chain.hex()))
                self.assertEqual(json.loads(found["entries"][sequence][1])["event_id"], receipt["event_id"])

    def test_stored_hashes_are_the_recomputed_ones(self):
        found = lake.check(self.home)
        stored = (self.home / "ledger" / "commitments").read_bytes()
        self.assertEqual(stored[: 32 * found["sealed"]], b"".join(found["commitments"][: found["sealed"]]))
        level = (self.home / "ledger" / "tree" / "1").read_bytes()
        for index in range(found["sealed"] // 256):
            tree = tlog.Tree()
            for commitment in found["commitments"][256 * index : 256 * index + 256]:
                tree.append(tlog.leaf_hash(commitment))
            self.assertEqual(level[32 * index : 32 * index + 32], tree.root())

    def test_a_proof_proves_and_a_changed_one_does_not(self):
        keyring = lake.keyring_of(self.home)
        canonical, sequence = tlog.verify_proof(self.proof, keyring)
        self.assertEqual(json.loads(canonical)["event_id"], "open-00003")
        self.assertEqual(canonical, lake.check(self.home)["entries"][sequence][1])
        lines = self.proof.decode().split("\n")
        lines[2] = f"index {sequence + 1}"
        with self.assertRaises(tlog.Broken):
            tlog.verify_proof("\n".join(lines).encode(), keyring)

    def test_duckdb_answers_questions_about_the_lake(self):
        counted = duckdb.execute(
            "SELECT event_type, count(*) FROM read_parquet(?) WHERE event_id LIKE 'open-%' GROUP BY 1",
            [str(self.home / "lake/entries/*/*.parquet")]).fetchall()
        self.assertEqual(dict(counted), {kind: SEAL_AFTER // len(TYPES) for kind in TYPES})

    def test_the_queries_of_the_howto_run(self):
        text = (ROOT / "docs" / "howto" / "open-the-lake.md").read_text()
        queries = re.findall(r'duckdb -c "(.*?)"\n', text, re.S) + re.findall(r"```sql\n(.*?)```", text, re.S)
        self.assertEqual(len(queries), 3)
        answers = [duckdb.execute(query.replace("reeve-data", str(self.home))).fetchall() for query in queries]
        self.assertEqual(answers[-1], [(lake.manifest(self.home)["sealed_size"],)])

    def alter(self, change, keep="true", attest=True):
        """A copy in which a segment is written anew by DuckDB, with the manifest made to fit it, and attested with the log's key."""
        home = self.copy()
        path = home / "ledger" / "manifest.journal"
        records = [json.loads(line) for line in path.read_text().splitlines()]
        segments = [segment for record in records for segment in record["segments"]]
        segment = next(segment for segment in segments if segment["class"] == "change")
        file = home / segment["path"]
        duckdb.execute(f"COPY (SELECT * REPLACE ({change}) FROM read_parquet('{file}') WHERE {keep} ORDER BY sequence) TO '{file}.new' (FORMAT parquet)")
        os.replace(f"{file}.new", file)
        data = file.read_bytes()
        segment |= {"bytes": len(data), "sha256": lake.hashlib.sha256(data).hexdigest()}
        before, lines = bytes(32), []
        for record in records:
            note = record.pop("attestation")
            body = json.dumps(record, separators=(",", ":"))[:-1].encode()
            if attest:
                note = self.attestation(home, record, lake.hashlib.sha256(before + body).digest())
            lines.append(body + b',"attestation":' + json.dumps(note, ensure_ascii=False).encode() + b"}")
            before = lake.hashlib.sha256(before + lines[-1]).digest()
        path.write_bytes(b"\n".join(lines) + b"\n")
        return home

    def attestation(self, home, record, digest):
        """What whoever holds the log's private key can sign."""
        _, _, name, key_id, seed = (home / "keys" / "log.key").read_text().splitlines()[0].split("+", 4)
        key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(seed)[1:])
        told = base64.b64encode(digest).decode()
        text = f"reeve/attestation/v1\n{name}\nledger/manifest.journal\n{record['sealed_size']}\n{told}\n"
        signature = base64.b64encode(bytes.fromhex(key_id) + key.sign(text.encode())).decode()
        return f"{text}\n\u2014 {name} {signature}\n"

    def test_a_manifest_that_the_key_did_not_attest_is_refused(self):
        self.refused(self.alter("sequence AS sequence", attest=False), "not what its attestation says")

    def test_a_row_written_anew_without_a_change_still_holds(self):
        lake.check(self.alter("sequence AS sequence"))

    def test_an_altered_row_is_noticed(self):
        one = "CASE WHEN event_id = 'open-00001' THEN"
        self.refused(
            self.alter(f"{one} encode(replace(decode(canonical), 'PutObject', 'GetObject')) ELSE canonical END AS canonical,"
                       f"{one} 'GetObject' ELSE action_operation END AS action_operation"),
            "the manifest has another root")
        self.refused(self.alter(f"{one} '\\x00'::BLOB || salt[2:] ELSE salt END AS salt".replace("salt[2:]", "unhex(substr(hex(salt), 3))")),
                     "the manifest has another root")
        self.refused(self.alter(f"{one} 'failed' ELSE action_status END AS action_status"), "column action_status")
        self.refused(self.alter("sequence AS sequence", "event_id <> 'open-00001'"), "not what the manifest says")

    def test_a_changed_byte_of_a_segment_or_of_the_tail_is_noticed(self):
        for pattern, words in (("lake/entries/view/*.parquet", "manifest lists"), ("ledger/wal/*.wal", "does not hold")):
            home = self.copy()
            path = sorted(home.glob(pattern))[-1]
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(data)
            self.refused(home, words)

    def test_a_shorter_log_and_a_foreign_key_are_noticed(self):
        home = self.copy()
        for path in (home / "ledger" / "wal").glob("*.wal"):
            path.write_bytes(path.read_bytes()[:64])
        self.refused(home, "entries")
        home = self.copy()
        note = (home / "ledger" / "checkpoint").read_text()
        size = note.split("\n")[1]
        (home / "ledger" / "checkpoint").write_text(note.replace(f"\n{size}\n", f"\n{int(size) + 1}\n"))
        self.refused(home, "signature")

    def test_keys_follow_each_other_from_whichever_is_held(self):
        newest = (self.home / "ledger" / "log.vkey").read_text()
        self.assertNotEqual(self.first_key, newest)
        for key in (self.first_key, newest):
            self.assertEqual(len(lake.check(self.home, key)["keyring"].spans), 2)
        foreign = self.first_key.replace("reeve.local/", "reeve.example/")
        with self.assertRaises(tlog.Broken):
            lake.check(self.home, foreign)

    def test_a_retired_key_cannot_speak_for_what_came_after_it(self):
        home = self.copy()
        seed = tlog.un64(self.retired.split()[0].split("+", 4)[4])[1:]
        _, _, name, key_id, _ = self.retired.strip().split("+", 4)
        path = home / "ledger" / "checkpoint"
        text = path.read_text().split("\n\n")[0] + "\n"
        signature = Ed25519PrivateKey.from_private_bytes(seed).sign(text.encode())
        line = base64.b64encode(bytes.fromhex(key_id) + signature).decode()
        path.write_text(f"{text}\n\u2014 {name} {line}\n")
        self.refused(home, "not in charge")
        record = next((home / "ledger" / "epochs").iterdir())
        lines = record.read_text().split("\n")
        lines[3] = str(int(lines[3]) + 1)
        record.write_text("\n".join(lines))
        self.refused(home, "record 1")


if __name__ == "__main__":
    unittest.main()
