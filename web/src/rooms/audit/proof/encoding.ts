// Bytes, text, base64 and hexadecimal, as docs/formats/tlog.md defines them. What is not spelled exactly so is refused.

const utf8 = new TextEncoder();

export type Bytes = Uint8Array<ArrayBuffer>;

export function bytesOf(text: string): Bytes {
  return utf8.encode(text);
}

export function joined(...parts: Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads base64 with padding, in its canonical form only; `undefined` for anything else. */
export function fromBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const binary = atob(text);
  if (btoa(binary) !== text) return undefined;
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
