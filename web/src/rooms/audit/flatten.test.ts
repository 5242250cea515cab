import { describe, expect, it } from 'vitest';
import { flat, lines, shown } from './flatten';

describe('flat', () => {
  it('gives dotted paths to leaves', () => {
    expect([...flat({ a: { b: 1, c: [1, 2] }, d: [{ e: 'x' }], f: {}, g: null })]).toEqual([
      ['a.b', 1],
      ['a.c', [1, 2]],
      ['d.0.e', 'x'],
      ['f', {}],
      ['g', null],
    ]);
    expect(shown([1, 'a'])).toBe('1, a');
  });

  it('tells what differs', () => {
    const found = lines(
      { size: 'large', gone: 1, same: [1] },
      { size: 'small', same: [1], fresh: true },
    );
    expect(found.map(({ path, kind }) => [path, kind])).toEqual([
      ['fresh', 'added'],
      ['gone', 'removed'],
      ['same', 'same'],
      ['size', 'changed'],
    ]);
    expect(lines(null, undefined)).toEqual([]);
  });
});
