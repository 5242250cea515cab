import { describe, expect, it } from 'vitest';
import type { SavedSearch } from '../../api/bodies';
import { addressOf, keptOf } from './saved';

const saved = (given: Partial<SavedSearch>): SavedSearch => ({
  id: 's',
  name: 'n',
  description: '',
  query: '',
  filters: {},
  columns: [],
  shared_with: 'private',
  owner_id: 'u',
  owner_name: 'U',
  own: true,
  version: 1,
  created_at: '2026-11-20T00:00:00.000Z',
  updated_at: '2026-11-20T00:00:00.000Z',
  ...given,
});

describe('saved searches', () => {
  it.each([
    [{}, {}],
    [
      { query: 'status:failed', start: '24h' },
      { query: 'status:failed', start_time: 'now-24h' },
    ],
    [
      { user: 'a@b.c', severity: 'high', end: '2026-11-20T00:00:00.000Z' },
      { filters: { user: 'a@b.c', severity: 'high' }, end_time: '2026-11-20T00:00:00.000Z' },
    ],
    [{ start: '2026-11-01T00:00:00.000Z' }, { start_time: '2026-11-01T00:00:00.000Z' }],
  ])('%j goes there and back', (address, kept) => {
    expect(keptOf(address)).toMatchObject(kept);
    expect(addressOf(saved(keptOf(address) as Partial<SavedSearch>))).toEqual(address);
  });

  it('keeps a keyword as part of the query', () => {
    expect(keptOf({ keyword: 'say "hi"', query: 'a OR b' }).query).toBe(
      '"say \\"hi\\"" AND (a OR b)',
    );
    expect(keptOf({ keyword: 'x' }).query).toBe('"x"');
  });

  it('keeps distances the page has no name for', () => {
    expect(addressOf(saved({ start_time: 'now-2w' }))).toEqual({ start: 'now-2w' });
  });
});
