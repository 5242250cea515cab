// Saved searches: between what the service keeps and what the search page's address says.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { SavedSearch } from '../../api/bodies';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';
import type { SearchFilters } from '../../addresses';
import { chosenColumns } from './column-choice';
import { PERIODS, phrase } from './compose';

type Schemas = components['schemas'];

export const savedQuery = queryOptions({
  queryKey: ['audit', 'saved'],
  queryFn: () => body(client.GET('/api/v1/audit-logs/saved-searches')),
  staleTime: 60_000,
});

const FILTERS = [
  'user',
  'resource',
  'resource_id',
  'resource_type',
  'event_type',
  'status',
  'severity',
  'ip_address',
] as const;

/** The address that shows a saved search. */
export function addressOf(saved: SavedSearch): SearchFilters {
  const given: SearchFilters = {
    query: saved.query || undefined,
    start: periodOf(saved.start_time),
    end: saved.end_time ?? undefined,
    columns: saved.columns.join() || undefined,
  };
  for (const name of FILTERS) given[name] = saved.filters[name] ?? undefined;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}

/** `now-24h` is the page's `24h`. */
function periodOf(time: string | null | undefined): string | undefined {
  const distance = time?.replace(/^now-/, '');
  return PERIODS.find(({ value }) => value === distance)?.value ?? time ?? undefined;
}

/** What is kept of an address. A keyword becomes part of the query. */
export function keptOf(
  filters: SearchFilters,
): Pick<Schemas['SavedSearchCreate'], 'query' | 'filters' | 'start_time' | 'end_time' | 'columns'> {
  const typed = filters.query?.trim() ?? '';
  const keyword = filters.keyword?.trim();
  const word = keyword && phrase(keyword);
  const period = PERIODS.some(({ value }) => value === filters.start);
  return {
    query: word && typed ? `${word} AND (${typed})` : word || typed,
    filters: Object.fromEntries(
      FILTERS.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])),
    ),
    start_time: period ? `now-${filters.start}` : filters.start,
    end_time: filters.end,
    columns: filters.columns ? chosenColumns(filters.columns) : [],
  };
}

export const createSaved = (given: Schemas['SavedSearchCreate']) =>
  body(client.POST('/api/v1/audit-logs/saved-searches', { body: given }));
export const changeSaved = ({ id, ...given }: { id: string } & Schemas['SavedSearchPatch']) =>
  body(
    client.PATCH('/api/v1/audit-logs/saved-searches/{id}', {
      params: { path: { id } },
      body: given,
    }),
  );
export const removeSaved = (id: string) =>
  body(client.DELETE('/api/v1/audit-logs/saved-searches/{id}', { params: { path: { id } } }));

export function useSavedChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: savedQuery.queryKey }),
  });
}
