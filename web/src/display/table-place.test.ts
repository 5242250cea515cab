import { describe, expect, it } from 'vitest';
import { placeIn, withPlace } from './table-place';

const COLUMNS = ['name', 'cost'];

describe('place of a table in the address', () => {
  it.each([
    ['', { sort: '-cost', page: 3 }, { sorting: [{ id: 'cost', desc: true }], page: 2 }],
    ['', { sort: 'name' }, { sorting: [{ id: 'name', desc: false }], page: 0 }],
    ['', { sort: 'gone', page: 'x' }, { sorting: [], page: 0 }],
    ['', { page: -4 }, { sorting: [], page: 0 }],
    [
      'versions',
      { sort: '-cost', 'versions.sort': 'name' },
      { sorting: [{ id: 'name', desc: false }], page: 0 },
    ],
  ])('%s %j', (table, search, expected) =>
    expect(placeIn(search, table, COLUMNS)).toEqual(expected),
  );

  it('falls back to the order that the table has by default', () => {
    expect(placeIn({}, '', COLUMNS, { id: 'cost', desc: true }).sorting).toEqual([
      { id: 'cost', desc: true },
    ]);
  });

  it('leaves filters and other tables as they are, and writes no first page', () => {
    const search = { status: 'open', 'versions.sort': 'name', page: 7 };
    expect(withPlace(search, '', { sorting: [{ id: 'cost', desc: true }], page: 0 })).toEqual({
      status: 'open',
      'versions.sort': 'name',
      sort: '-cost',
      page: undefined,
    });
    expect(
      placeIn(
        withPlace(search, '', { sorting: [{ id: 'name', desc: false }], page: 4 }),
        '',
        COLUMNS,
      ),
    ).toEqual({ sorting: [{ id: 'name', desc: false }], page: 4 });
  });
});
