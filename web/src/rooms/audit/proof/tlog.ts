// Proof files, inclusion proofs, verifier keys and signed checkpoints: docs/formats/tlog.md (RFC 9162 section 2.1.3, C2SP signed-note).
import type { Primitives } from './crypto';
import { bytesOf, equal, fromBase64, hex, joined, type Bytes } from './encoding';

const HEADER = 'c2sp.org/tlog-proof@v1';
const DISCLOSURE = joined(bytesOf('reeve/entry/v1'), new Uint8Array(1));
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MOST_HASHES = 64;

/** A `.tlog-proof` file, read but not verified. */
export interface ProofFile {
  /** The bytes that were hashed; `undefined` once the payload is gone. */
  disclosure: Bytes | undefined;
  index: bigint;
  path: Bytes[];
  checkpoint: SignedCheckpoint;
}

export interface SignedCheckpoint {
  origin: string;
  size: bigint;
  root: Bytes;
  /** The signed text, its final newline included. */
  text: string;
  signatures: { name: string; keyId: string; signature: Bytes }[];
}

/** A verifier key: `<name>+<key id>+<base64>`. */
export interface VerifierKey {
  name: string;
  id: string;
  publicKey: Bytes;
}

function decimal(text: string | undefined): bigint {
  if (text === undefined || !/^(0|[1-9]\d{0,19})$/.test(text))
    throw new Error(`“${text ?? ''}” is not a number`);
  return BigInt(text);
}

function hash(text: string | undefined): Bytes {
  const bytes = fromBase64(text ?? '');
  if (bytes?.length !== HASH_BYTES) throw new Error(`“${text ?? ''}” is not a hash`);
  return bytes;
}

/** Reads a proof file strictly: its lines in their order, nothing between them. */
export function readProof(file: string): ProofFile {
  const end = file.indexOf('\n\n');
  if (end < 0) throw new Error('the proof file has no checkpoint');
  const lines = file.slice(0, end).split('\n');
  if (lines.shift() !== HEADER) throw new Error(`the file does not begin with ${HEADER}`);
  const extra = lines[0]?.startsWith('extra ') ? lines.shift()?.slice('extra '.length) : undefined;
  const disclosure = extra === undefined ? undefined : fromBase64(extra);
  if (extra !== undefined && !disclosure) throw new Error('the disclosed bytes are not base64');
  const index = /^index (.*)$/.exec(lines.shift() ?? '')?.[1];
  if (lines.length > MOST_HASHES) throw new Error(`the path has more than ${MOST_HASHES} hashes`);
  return {
    disclosure,
    index: decimal(index),
    path: lines.map(hash),
    checkpoint: readCheckpoint(file.slice(end + 2)),
  };
}

export function readCheckpoint(note: string): SignedCheckpoint {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) throw new Error('the checkpoint is not a signed note');
  const text = note.slice(0, end + 1);
  const [origin, size, root] = text.split('\n');
  if (!origin) throw new Error('the checkpoint names no log');
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map((line) => {
      const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      const bytes = fromBase64(encoded ?? '');
      if (!name || !bytes || bytes.length <= 4)
        throw new Error(`“${line}” is not a signature line`);
      return { name, keyId: hex(bytes.slice(0, 4)), signature: bytes.slice(4) };
    });
  return { origin, size: decimal(size), root: hash(root), text, signatures };
}

/** Reads a verifier key and recomputes its id. */
export async function readKey(text: string, { sha256 }: Primitives): Promise<VerifierKey> {
  const [, name, id, encoded] = /^([^+\s]+)\+([0-9a-f]{8})\+(.+)$/.exec(text.trim()) ?? [];
  const bytes = fromBase64(encoded ?? '');
  if (!name || !id || bytes?.length !== HASH_BYTES + 1 || bytes[0] !== 1)
    throw new Error('the key is not a verifier key');
  const computed = hex((await sha256(joined(bytesOf(`${name}\n`), bytes))).slice(0, 4));
  if (computed !== id) throw new Error(`the key's id is ${computed}, not ${id}`);
  return { name, id, publicKey: bytes.slice(1) };
}

/** Splits the disclosed bytes into salt and entry. */
export function readDisclosure(disclosure: Bytes): unknown {
  const start = DISCLOSURE.length + SALT_BYTES;
  if (disclosure.length < start || !equal(disclosure.slice(0, DISCLOSURE.length), DISCLOSURE))
    throw new Error('the disclosed bytes do not begin as an entry does');
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(disclosure.slice(start)));
}

export const leafHash = ({ sha256 }: Primitives, commitment: Bytes) =>
  sha256(joined(Uint8Array.of(0), commitment));

/** Computes the root that an inclusion path leads to; throws where the path does not fit the tree. */
export async function rootOf(
  { sha256 }: Primitives,
  leaf: Bytes,
  index: bigint,
  size: bigint,
  path: Bytes[],
): Promise<Bytes> {
  if (index >= size)
    throw new Error(`the checkpoint covers ${size} entries, and the entry has number ${index}`);
  let [first, second, computed] = [index, size - 1n, leaf];
  const node = (left: Bytes, right: Bytes) => sha256(joined(Uint8Array.of(1), left, right));
  for (const sibling of path) {
    if (second === 0n) throw new Error('the path has too many hashes');
    if (first % 2n === 1n || first === second) {
      computed = await node(sibling, computed);
      while (first % 2n === 0n && first > 0n) [first, second] = [first / 2n, second / 2n];
    } else {
      computed = await node(computed, sibling);
    }
    [first, second] = [first / 2n, second / 2n];
  }
  if (second !== 0n) throw new Error('the path has too few hashes');
  return computed;
}

/** Returns `true` if the checkpoint has a signature of the key and every signature of the key is right. */
export async function isSigned(
  { ed25519 }: Primitives,
  checkpoint: SignedCheckpoint,
  key: VerifierKey,
): Promise<boolean> {
  const own = checkpoint.signatures.filter(
    ({ name, keyId }) => name === key.name && keyId === key.id,
  );
  if (checkpoint.origin !== key.name || own.length === 0) return false;
  const results = await Promise.all(
    own.map(({ signature }) => ed25519(key.publicKey, bytesOf(checkpoint.text), signature)),
  );
  return results.every(Boolean);
}
