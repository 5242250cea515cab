import { describe, expect, it } from 'vitest';
import { pieces } from './sentence-parts';

const MACHINE = { id: 'i-1', name: 'web' };
const shown = (text: string, resource?: { id: string; name: string }) =>
  pieces(text, resource)
    .map((piece) =>
      piece.kind === 'name'
        ? `[${piece.name}]`
        : piece.kind === 'time'
          ? `<${piece.text}>`
          : piece.text,
    )
    .join('');

describe('pieces', () => {
  it.each([
    ['Stop i-1', MACHINE, 'Stop [web]'],
    ['Snapshot volume i-12 of i-1; then i-1', MACHINE, 'Snapshot volume i-12 of [web]; then [web]'],
    ['Stop web', { id: 'web', name: 'web' }, 'Stop web'],
    ['Check //store/a.b(c)', { id: '//store/a.b(c)', name: 'files' }, 'Check [files]'],
    [
      'Leave it until 2026-11-23T14:37:16.781504745Z',
      undefined,
      'Leave it until <2026-11-23T14:37:16.781504745Z>',
    ],
    ['', MACHINE, ''],
  ])('%s', (text, resource, expected) => expect(shown(text, resource)).toBe(expected));
});
