import { describe, expect, it } from 'vitest';
import type { SearchFilters } from '../../addresses';
import { compose, startOf, WITHOUT_READS } from './compose';

const NOW = new Date('2026-11-20T12:00:00.000Z');

describe('compose', () => {
  it.each<[SearchFilters, string | undefined, number]>([
    [{}, WITHOUT_READS, 0],
    [{ reads: 'yes' }, undefined, 0],
    [{ query: 'status:failed' }, `${WITHOUT_READS} AND (status:failed)`, WITHOUT_READS.length + 6],
    [{ query: 'a OR b', reads: 'yes' }, 'a OR b', 0],
    [{ query: 'category:audit' }, 'category:audit', 0],
    [{ query: 'event_type:audit.search' }, 'event_type:audit.search', 0],
    [{ event_type: 'audit.*' }, undefined, 0],
    [{ keyword: 'say "hi"', reads: 'yes' }, '"say \\"hi\\""', 0],
    [{ keyword: 'terminat*', reads: 'yes' }, 'terminat*', 0],
    [{ keyword: 'a b*', reads: 'yes' }, '"a b*"', 0],
    [
      { keyword: 'web', query: 'x' },
      `${WITHOUT_READS} AND "web" AND (x)`,
      WITHOUT_READS.length + 16,
    ],
  ])('%j', (filters, query, shift) => {
    const composed = compose(filters, NOW);
    expect(composed.body.query).toBe(query);
    expect(composed.shift).toBe(shift);
    if (filters.query && query && shift) expect(query.slice(shift)).toBe(`${filters.query})`);
  });

  it('turns periods and times into times', () => {
    expect(startOf('24h', NOW)).toBe('2026-11-19T12:00:00.000Z');
    expect(startOf('2026-11-01T00:00:00Z', NOW)).toBe('2026-11-01T00:00:00.000Z');
    expect(startOf('soon', NOW)).toBeUndefined();
    expect(startOf(undefined, NOW)).toBeUndefined();
  });
});
