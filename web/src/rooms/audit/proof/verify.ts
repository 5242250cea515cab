// The steps from an entry as it is shown to a signature of the log's key. Each has a result of its own; none is taken on trust.
import type { Entry } from '../../../api/bodies';
import { count, plural } from '../../../display/amounts';
import { primitives, type Primitives } from './crypto';
import { equal, hex, type Bytes } from './encoding';
import {
  isSigned,
  leafHash,
  readDisclosure,
  readKey,
  readProof,
  rootOf,
  type ProofFile,
} from './tlog';

export interface Step {
  name: string;
  /** `undefined`: the step could not be taken, because the payload is gone. */
  ok: boolean | undefined;
  detail: string;
}

/** A key and the sizes of the log that it was in charge of. */
export interface KeyInCharge {
  public_key: string;
  from_size: number;
  to_size?: number | null;
}

export interface Verification {
  steps: Step[];
  /** `true` if no step failed. */
  ok: boolean;
}

/** Verifies that an entry is in the log, from the entry as it is shown, the proof file and the log's keys. */
export async function verifyEntry(
  entry: Entry,
  file: string,
  keys: KeyInCharge[],
  by: Primitives = primitives(),
): Promise<Verification> {
  const steps: Step[] = [];
  const take = async (
    name: string,
    work: () => Promise<[ok: boolean | undefined, detail: string]>,
  ) => {
    try {
      const [ok, detail] = await work();
      steps.push({ name, ok, detail });
    } catch (error) {
      steps.push({
        name,
        ok: false,
        detail: error instanceof Error ? error.message : String(error),
      });
    }
  };
  let proof: ProofFile;
  try {
    proof = readProof(file);
  } catch (error) {
    return {
      ok: false,
      steps: [
        {
          name: 'Read the proof',
          ok: false,
          detail: error instanceof Error ? error.message : String(error),
        },
      ],
    };
  }
  const commitment = proof.disclosure
    ? await by.sha256(proof.disclosure)
    : bytesOfHex(entry.integrity.commitment);
  const leaf = await leafHash(by, commitment);
  await take('Entry', async () => sameEntry(entry, proof));
  await take('Commitment', async () => {
    if (!proof.disclosure)
      return [undefined, 'The payload was deleted, so the commitment is taken as it is shown.'];
    const ok = hex(commitment) === entry.integrity.commitment;
    return [
      ok,
      ok
        ? 'SHA-256 of the entry with its salt gives the commitment.'
        : `SHA-256 of the entry gives ${hex(commitment)}, not the commitment that is shown.`,
    ];
  });
  await take('Inclusion', async () => {
    const [{ path, index, checkpoint }, own] = [proof, BigInt(entry.integrity.sequence)];
    if (index !== own) return [false, `The proof is about entry ${index}, not ${own}.`];
    if (hex(leaf) !== entry.integrity.leaf_hash)
      return [false, `The entry's leaf hash is ${hex(leaf)}, not the one that is shown.`];
    const ok = equal(await rootOf(by, leaf, index, checkpoint.size, path), checkpoint.root);
    return [
      ok,
      ok
        ? `${plural(path.length, 'hash leads', 'hashes lead')} from the entry to the root of all ${count(Number(checkpoint.size))} entries.`
        : 'The path does not lead to the signed root: the entry, the path or the root was altered.',
    ];
  });
  await take('Signature', () => signature(by, proof, keys));
  return { steps, ok: steps.every(({ ok }) => ok !== false) };
}

function bytesOfHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/** Compares the entry on the page with the bytes that were hashed, member by member. */
function sameEntry(
  entry: Entry,
  { disclosure }: ProofFile,
): [ok: boolean | undefined, detail: string] {
  if (!disclosure)
    return [
      undefined,
      'The payload was deleted by retention or erasure. Its place in the log can still be proven.',
    ];
  const hashed = readDisclosure(disclosure) as Record<string, unknown>;
  const page = entry as unknown as Record<string, unknown>;
  const differs = Object.keys(hashed).filter(
    (name) => ordered(hashed[name]) !== ordered(page[name]),
  );
  // Members that the service derives or adds are no part of what was hashed.
  const added = Object.keys(page).filter(
    (name) => page[name] != null && !(name in hashed) && !['category', 'integrity'].includes(name),
  );
  const wrong = [...differs, ...added];
  if (wrong.length > 0)
    return [false, `This page differs from the bytes that were hashed in: ${wrong.join(', ')}.`];
  return [true, 'This page shows exactly the bytes that were hashed.'];
}

/** JSON with sorted members, to compare by. */
function ordered(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      inner && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}

async function signature(
  by: Primitives,
  { checkpoint }: ProofFile,
  keys: KeyInCharge[],
): Promise<[ok: boolean, detail: string]> {
  const size = checkpoint.size;
  const charged = keys.filter(
    ({ from_size, to_size }) =>
      size >= BigInt(from_size) && (to_size == null || size <= BigInt(to_size)),
  );
  for (const { public_key } of charged) {
    const key = await readKey(public_key, by);
    if (await isSigned(by, checkpoint, key))
      return [true, `The log's key ${key.id} signed this root. Ed25519, checked by ${by.by()}.`];
  }
  return [
    false,
    charged.length === 0
      ? `No key of the log was in charge of ${count(Number(size))} entries.`
      : "The signature is not one of the log's key: the checkpoint or the signature was altered, or another key made it.",
  ];
}
