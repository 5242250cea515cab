/** A C2SP checkpoint: origin, size, root hash (base64), then the signatures. */
export interface Checkpoint {
  origin: string;
  size: number;
  root: string;
  signatures: string[];
}

export function checkpointOf(note: string): Checkpoint | undefined {
  const [origin, size, root, ...rest] = note.split('\n');
  const entries = Number(size);
  if (!origin || !root || !Number.isSafeInteger(entries)) return undefined;
  return { origin, size: entries, root, signatures: rest.filter((line) => line.startsWith('— ')) };
}
