import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MOST_COLUMNS, USUAL_COLUMNS, chosenColumns, keepColumns, valueAt } from './column-choice';

describe('columns of a search', () => {
  beforeEach(() => {
    const held = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => held.get(key) ?? null,
      setItem: (key: string, value: string) => held.set(key, value),
      removeItem: (key: string) => held.delete(key),
    });
  });

  it('come from the address, then the browser, then are the usual ones', () => {
    expect(chosenColumns(undefined)).toEqual(USUAL_COLUMNS);
    keepColumns(['timestamp', 'metadata.team']);
    expect(chosenColumns(undefined)).toEqual(['timestamp', 'metadata.team']);
    expect(chosenColumns('user, user,severity')).toEqual(['user', 'severity']);
    expect(
      chosenColumns(Array.from({ length: 40 }, (_, n) => `metadata.m${n}`).join()),
    ).toHaveLength(MOST_COLUMNS);
    keepColumns(USUAL_COLUMNS);
    expect(chosenColumns(undefined)).toEqual(USUAL_COLUMNS);
  });

  it('are read by their names', () => {
    const entry = {
      severity: 'high',
      actor: { id: 'a' },
      resource: { tags: { 'k8s.io/name': 'web' } },
      metadata: { tags: ['x', 'y'], deep: { n: 5 } },
      changes: { after: null },
    };
    for (const [name, expected] of [
      ['severity', 'high'],
      ['actor.id', 'a'],
      ['resource.tags.k8s.io/name', 'web'],
      ['metadata.tags', 'x, y'],
      ['metadata.deep', '{"n":5}'],
      ['metadata.deep.n', '5'],
      ['changes.after.size', undefined],
      ['nothing', undefined],
    ] as const) {
      expect(valueAt(entry, name), name).toBe(expected);
    }
  });
});
