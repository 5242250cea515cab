// Sorting and page of a table, kept in the address: Back, a reload and a copied link show the same rows.
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';

export interface TablePlace {
  sorting: { id: string; desc: boolean }[];
  /** The page, from 0. */
  page: number;
}

type Search = Record<string, unknown>;

const names = (table: string) =>
  table ? { sort: `${table}.sort`, page: `${table}.page` } : { sort: 'sort', page: 'page' };

/** Reads the place of a table from the part of an address behind `?`; what names no column of the table is ignored. */
export function placeIn(
  search: Search,
  table: string,
  columns: readonly string[],
  sortedBy?: TablePlace['sorting'][number],
): TablePlace {
  const { sort, page } = names(table);
  const [, minus, id = ''] = /^(-?)(.+)$/.exec(String(search[sort] ?? '')) ?? [];
  const number = Number(search[page] ?? 1);
  return {
    sorting: columns.includes(id) ? [{ id, desc: minus === '-' }] : sortedBy ? [sortedBy] : [],
    page: Number.isInteger(number) && number > 1 ? number - 1 : 0,
  };
}

/** The same address with the place of a table in it. */
export function withPlace(
  search: Search,
  table: string,
  { sorting: [by], page: at }: TablePlace,
): Search {
  const { sort, page } = names(table);
  return {
    ...search,
    [sort]: by ? `${by.desc ? '-' : ''}${by.id}` : undefined,
    [page]: at > 0 ? at + 1 : undefined,
  };
}

/** The place of a table, and how to change it. `table` is the name that its parts of the address begin with. */
export function useTablePlace(
  table: string,
  columns: readonly string[],
  sortedBy?: TablePlace['sorting'][number],
): [TablePlace, (next: TablePlace) => void] {
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | undefined;
  const [place, setPlace] = useState(() =>
    placeIn(router?.state.location.search ?? {}, table, columns, sortedBy),
  );
  const change = (next: TablePlace) => {
    setPlace(next);
    void router?.navigate({
      to: '.',
      search: (before: Search) => withPlace(before, table, next) as never,
      replace: true,
      resetScroll: false,
    });
  };
  return [place, change];
}
