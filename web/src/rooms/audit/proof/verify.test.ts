// The worked example of docs/formats/tlog.md, and the same with one byte altered, by WebCrypto and by the library.
import { webcrypto } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../api/bodies';
import { primitives } from './crypto';
import { verifyEntry } from './verify';

const KEY = 'reeve.local/example+48069964+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4';
const OTHER_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const PROOF = `c2sp.org/tlog-proof@v1
extra cmVldmUvZW50cnkvdjEAAQEBAQEBAQEBAQEBAQEBAXsiZXZlbnRfdHlwZSI6InJlc291cmNlLnZpZXcifQ==
index 1
5pvuFc/C84m1aRfx41vFLDd8k3pLyQXvpKwk7PN55Qg=
1rI0wpcamNJL2dRn7vbTFTjm3/nS4cWGRaOUgGhw4GA=

reeve.local/example
3
yRMj/hEBvmjdQvq0CMoJ6KQ2zBSv1w3mEQreSeY2D/4=

— reeve.local/example SAaZZDEcbf0srkWXWYip2z9QUTDsX/7kNbSRHOHX4bZ0+AcjAXANykQJ1hYoocEUICiNUTYyVJ3UANlLjzDPo79Vsgo=
`;
const ENTRY = {
  event_type: 'resource.view',
  category: 'resource',
  integrity: {
    sequence: 1,
    commitment: '5130c60fb0911e5bb614ba5e4f85a7eb67059ff227324bdea20c9f11d09306d5',
    leaf_hash: '764b5676599e0fd1fdc0c5347cf0e5d9d4e31485450a3b3e04cfcef8ed2a7dd4',
    previous_hash: '',
    hash: '',
  },
} as unknown as Entry;
const KEYS = [{ public_key: KEY, from_size: 0 }];

const SUBTLE = webcrypto.subtle as unknown as SubtleCrypto;

describe.each([
  ['WebCrypto', primitives(SUBTLE)],
  ['the library', primitives(null)],
])('with %s', (_, by) => {
  const failures = async (entry: Entry, proof: string, keys = KEYS) =>
    (await verifyEntry(entry, proof, keys, by)).steps
      .filter(({ ok }) => ok === false)
      .map(({ name }) => name);

  it("accepts the entry of the format's worked example", async () => {
    const { ok, steps } = await verifyEntry(ENTRY, PROOF, KEYS, by);
    expect(steps.map(({ name, ok: held }) => [name, held])).toEqual([
      ['Entry', true],
      ['Commitment', true],
      ['Inclusion', true],
      ['Signature', true],
    ]);
    expect(ok).toBe(true);
  });

  it.each([
    [
      'the page shows another entry',
      { ...ENTRY, event_type: 'resource.vieW' } as Entry,
      PROOF,
      ['Entry'],
    ],
    ['the page shows a member more', { ...ENTRY, severity: 'high' } as Entry, PROOF, ['Entry']],
    [
      'a byte of the entry',
      ENTRY,
      PROOF.replace('ZpZXcifQ', 'ZpZWcifQ'),
      ['Entry', 'Commitment', 'Inclusion'],
    ],
    [
      'a byte of the salt',
      ENTRY,
      PROOF.replace('AQEBAQEB', 'AQEBAQEC'),
      ['Commitment', 'Inclusion'],
    ],
    ['a hash of the path', ENTRY, PROOF.replace('5pvuFc', '5pvuFd'), ['Inclusion']],
    ['a hash too few', ENTRY, PROOF.replace(/^1rI0.*\n/m, ''), ['Inclusion']],
    ['a hash too many', ENTRY, PROOF.replace(/^(1rI0.*\n)/m, '$1$1'), ['Inclusion']],
    ['the number of the entry', ENTRY, PROOF.replace('index 1', 'index 0'), ['Inclusion']],
    ['the root', ENTRY, PROOF.replace('yRMj/h', 'yRMj/i'), ['Inclusion', 'Signature']],
    ['the size', ENTRY, PROOF.replace('\n3\n', '\n4\n'), ['Signature']],
    ['the signature', ENTRY, PROOF.replace('o79Vsgo=', 'o79Vsgw='), ['Signature']],
    ["the file's first line", ENTRY, PROOF.replace('@v1', '@v2'), ['Read the proof']],
  ])('names the step that fails when %s is altered', async (_what, entry, proof, expected) => {
    expect(proof === PROOF && entry === ENTRY).toBe(false);
    expect(await failures(entry, proof)).toEqual(expected);
  });

  it('refuses another key, a key with a wrong id, and a key that was not in charge', async () => {
    expect(await failures(ENTRY, PROOF, [{ public_key: OTHER_KEY, from_size: 0 }])).toEqual([
      'Signature',
    ]);
    expect(
      await failures(ENTRY, PROOF, [
        { public_key: KEY.replace('48069964', '48069965'), from_size: 0 },
      ]),
    ).toEqual(['Signature']);
    expect(await failures(ENTRY, PROOF, [{ public_key: KEY, from_size: 4 }])).toEqual([
      'Signature',
    ]);
  });

  it('says so where the payload is gone, and still proves the place', async () => {
    const { ok, steps } = await verifyEntry(ENTRY, PROOF.replace(/^extra .*\n/m, ''), KEYS, by);
    expect(steps.map(({ ok: held }) => held)).toEqual([undefined, undefined, true, true]);
    expect(ok).toBe(true);
  });
});

describe('primitives', () => {
  it('turn to the library where the browser has SHA-256 and no Ed25519', async () => {
    const older = {
      digest: SUBTLE.digest.bind(SUBTLE),
      importKey: () => Promise.reject(new Error('no Ed25519')),
    } as unknown as SubtleCrypto;
    const by = primitives(older);
    expect((await verifyEntry(ENTRY, PROOF, KEYS, by)).ok).toBe(true);
    expect(by.by()).toBe('the library noble');
  });
});
