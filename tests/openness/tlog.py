"""Hashes, tree and signed notes, from docs/formats/tlog.md alone."""

import base64
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Broken(Exception):
    """Something does not hold; the message says what and where."""


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def commitment(salt, canonical):
    return sha(b"reeve/entry/v1\0", salt, canonical)


def leaf_hash(of):
    return sha(b"\0", of)


def chain(hashes, start=bytes(32)):
    """The chain hash of the last of the leaf hashes."""
    for leaf in hashes:
        start = sha(start, leaf)
    return start


class Tree:
    """The roots of the complete subtrees that the size is made of, largest first."""

    def __init__(self):
        self.size = 0
        self.roots = []

    def append(self, leaf):
        size = self.size
        while size & 1:
            leaf = sha(b"\1", self.roots.pop(), leaf)
            size >>= 1
        self.roots.append(leaf)
        self.size += 1

    def root(self):
        if not self.roots:
            return sha(b"")
        root = self.roots[-1]
        for left in reversed(self.roots[:-1]):
            root = sha(b"\1", left, root)
        return root


def un64(text):
    data = base64.b64decode(text, validate=True)
    if base64.b64encode(data).decode() != text:
        raise Broken(f"{text} is not base64 in its canonical form")
    return data


class Key:
    """A verifier key: `<name>+<id>+<base64 of 0x01 || public key>`."""

    def __init__(self, line):
        self.line = line.rstrip("\n")
        self.name, self.id, key = self.line.split("+", 2)
        data = un64(key)
        if data[:1] != b"\x01" or len(data) != 33:
            raise Broken("the key is not an Ed25519 key")
        if sha(self.name.encode(), b"\n", data)[:4].hex() != self.id:
            raise Broken("the key's id is not the one of its name and public key")
        self.public = Ed25519PublicKey.from_public_bytes(data[1:])

    def verifies(self, signature, text):
        try:
            self.public.verify(signature, text)
        except InvalidSignature:
            return False
        return True


def open_note(note, keys):
    """The text of a signed note and which of the keys signed it; a wrong signature of a known key is refused."""
    text, _, signatures = note.decode("utf-8").rpartition("\n\n")
    text += "\n"
    good = []
    for line in signatures.splitlines():
        dash, name, value = line.split(" ")
        if dash != "\u2014":
            raise Broken("a signature line without its dash")
        value = un64(value)
        for key in keys:
            if key.name == name and key.id == value[:4].hex():
                if not key.verifies(value[4:], text.encode()):
                    raise Broken(f"a signature of {name} is wrong")
                good.append(key)
    if not good:
        raise Broken("no signature of a known key")
    return text, good


def decimal(text):
    if str(int(text)) != text:
        raise Broken(f"{text} is not a decimal number")
    return int(text)


class Keyring:
    """The keys of a log, and the sizes that each was in charge of: "Key epochs"."""

    def __init__(self, pinned, records=()):
        chain, spans, roots = [], [], []
        for number, record in enumerate(records, 1):
            try:
                lines = record.decode("utf-8").split("\n\n")[0].split("\n")
                header, origin, told, size, root, old, new = lines
                old, new = Key(old), Key(new)
                signed = open_note(record, [old, new])[1]
                size = decimal(size)
            except (Broken, ValueError) as error:
                raise Broken(f"record {number}: {error}") from None
            follows = (
                header == "reeve/key-epoch/v1" and decimal(told) == number and origin == old.name == new.name
                and {key.line for key in signed} == {old.line, new.line} and old.line != new.line
                and (not chain or chain[-1] == old.line) and new.line not in chain and (not roots or size >= roots[-1][0]))
            if not follows:
                raise Broken(f"record {number} does not follow")
            if not chain:
                chain.append(old.line)
                spans.append([old, 0, None])
            spans[-1][2] = size
            spans.append([new, size, None])
            chain.append(new.line)
            roots.append((size, un64(root)))
        if pinned.line not in chain:
            spans, roots = [[pinned, 0, None]], []
        self.origin, self.spans, self.roots = pinned.name, spans, roots

    def open_checkpoint(self, note):
        """(size, root) of a checkpoint that a key of the log signed while it was in charge."""
        text, signed = open_note(note, [key for key, _, _ in self.spans])
        origin, size, root = text.split("\n")[:3]
        if origin != self.origin:
            raise Broken(f"the checkpoint is of {origin}")
        size = decimal(size)
        for key, first, last in self.spans:
            if key in signed and not (first <= size and (last is None or size <= last)):
                raise Broken(f"the key {key.id} was not in charge of the size {size}")
        return size, un64(root)


def verify_proof(data, keyring):
    """The entry's canonical bytes and sequence of a `.tlog-proof`."""
    head, note = data.decode("utf-8").split("\n\n", 1)
    header, extra, index, *proof = head.split("\n")
    if header != "c2sp.org/tlog-proof@v1" or not extra.startswith("extra ") or not index.startswith("index "):
        raise Broken("not a proof")
    size, root = keyring.open_checkpoint(note.encode())
    disclosure = un64(extra[6:])
    if not disclosure.startswith(b"reeve/entry/v1\0") or len(disclosure) < 31:
        raise Broken("not a disclosure")
    at, last, node = int(index[6:]), size - 1, leaf_hash(sha(disclosure))
    if at > last:
        raise Broken("the index is beyond the tree")
    for sibling in map(un64, proof):
        if last == 0:
            raise Broken("too many hashes")
        if at & 1 or at == last:
            node = sha(b"\1", sibling, node)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            node = sha(b"\1", node, sibling)
        at, last = at >> 1, last >> 1
    if last or node != root:
        raise Broken("the proof does not lead to the signed root")
    return disclosure[31:], int(index[6:])
