// Lists by a part of a resource's name. The service takes identifiers only, so that the names are looked up in the list without that filter.
import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';

interface Row {
  resource: { id: string; name?: string | null };
}

export interface Named {
  /** Identifier that the service filters by. */
  resource?: string;
  /** Identifiers of several resources that match: the page filters by them. */
  ids?: ReadonlySet<string>;
}

/** The filter for what was typed: one resource by its identifier, or several whose name or identifier contains the text. */
export function resourcesNamed(text: string | undefined, rows: Row[] | undefined): Named {
  if (!text) return {};
  const part = text.toLowerCase();
  const ids = new Set(
    rows
      ?.filter(({ resource: { id, name } }) => `${id}\n${name ?? ''}`.toLowerCase().includes(part))
      .map(({ resource: { id } }) => id),
  );
  if (ids.size === 0 || ids.has(text)) return { resource: text };
  return ids.size === 1 ? { resource: [...ids][0] } : { ids };
}

/** A list by a filter and by what was typed of a resource; `rows` are those that match. */
export function useNamed<List extends { items: Row[] }, Filter, Key extends QueryKey>(
  queryOf: (filter: Filter) => UseQueryOptions<List, Error, List, Key>,
  filter: Filter,
  typed: string | undefined,
) {
  const all = useQuery({ ...queryOf({ ...filter }), enabled: Boolean(typed) });
  const { resource, ids } = resourcesNamed(typed, all.data?.items);
  const list = useQuery({
    ...queryOf({ ...filter, resource }),
    // Without a name both are one query, which must not wait for itself.
    enabled: !typed || !all.isLoading,
  });
  const items: List['items'][number][] | undefined = list.data?.items;
  const rows = items?.filter((row) => !ids || ids.has(row.resource.id));
  return { data: list.data, error: list.error, refetch: list.refetch, ids, rows };
}
