// SHA-256 and Ed25519 by the browser. Where it has none (pages that did not come over https have no WebCrypto, older browsers no
// Ed25519), the library noble does the same, loaded only then.
import type { Bytes } from './encoding';

/** The part of WebCrypto that proofs need; without it the library computes everything. */
export type Subtle = Pick<SubtleCrypto, 'digest' | 'importKey' | 'verify'>;

export interface Primitives {
  sha256: (bytes: Bytes) => Promise<Bytes>;
  /** Returns `true` if the signature over the message is by the key. */
  ed25519: (publicKey: Bytes, message: Bytes, signature: Bytes) => Promise<boolean>;
  /** Names who computes signatures, for the reader. */
  by: () => string;
}

export function primitives(subtle: Subtle | null = globalThis.crypto?.subtle ?? null): Primitives {
  let by = 'the browser (WebCrypto)';
  return {
    by: () => by,
    async sha256(bytes) {
      if (subtle) return new Uint8Array(await subtle.digest('SHA-256', bytes));
      const { sha256 } = await import('@noble/hashes/sha2.js');
      return new Uint8Array(sha256(bytes));
    },
    async ed25519(publicKey, message, signature) {
      try {
        if (subtle) {
          const key = await subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, [
            'verify',
          ]);
          return await subtle.verify({ name: 'Ed25519' }, key, signature, message);
        }
      } catch {
        // This browser has no Ed25519, or refuses the key: the library decides, and says which.
      }
      by = 'the library noble';
      const [{ hashes, verify }, { sha512 }] = await Promise.all([
        import('@noble/ed25519'),
        import('@noble/hashes/sha2.js'),
      ]);
      hashes.sha512 = sha512;
      try {
        return verify(signature, message, publicKey, { zip215: false });
      } catch {
        return false;
      }
    },
  };
}
