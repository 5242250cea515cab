// What the page of lists asks the service for, and what it changes.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';

const LISTS = '/api/v1/audit-logs/lists' as const;

export const listsQuery = queryOptions({
  queryKey: ['audit', 'lists'],
  queryFn: () => body(client.GET(LISTS, { params: { query: { limit: 1000 } } })),
  staleTime: 30_000,
});

export function listQuery(name: string) {
  return queryOptions({
    queryKey: ['audit', 'list', name],
    queryFn: () => body(client.GET(`${LISTS}/{name}`, { params: { path: { name } } })),
    gcTime: 0,
  });
}

export const putList = ({
  name,
  ...given
}: {
  name: string;
  description: string;
  values: string[];
  version: number;
}) => body(client.PUT(`${LISTS}/{name}`, { params: { path: { name } }, body: given }));

export const removeList = (name: string) =>
  body(client.DELETE(`${LISTS}/{name}`, { params: { path: { name } } }));

/** The values of a text: one a line, without empty lines and comments. */
export function valuesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => (line.split('#')[0] ?? '').trim())
    .filter((line) => line !== '');
}
