// What the room asks the service for, and what it changes.
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export const MOST = 1000;

export interface ResourceFilter {
  text?: string;
  provider?: string;
  type?: string;
  connection?: string;
  account?: string;
  service?: string;
}

export function resourcesQuery(filter: ResourceFilter) {
  return queryOptions({
    queryKey: ['estate', 'resources', filter],
    queryFn: () => body(client.GET('/api/v1/resources', { params: { query: { limit: MOST, ...filter } } })),
    placeholderData: keepPreviousData,
  });
}

export function resourceQuery(id: string) {
  return queryOptions({
    queryKey: ['estate', 'resource', id],
    queryFn: () => body(client.GET('/api/v1/resources/{id}', { params: { path: { id } } })),
  });
}

/** Samples of the last `days`; the start is rounded to the hour so that opening a page twice asks once. */
export function samplesQuery(id: string, days: number, metrics?: string) {
  return queryOptions({
    queryKey: ['estate', 'samples', id, days, metrics],
    queryFn: () => {
      const start = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - days * 86_400_000).toISOString();
      return body(client.GET('/api/v1/resources/{id}/samples', {
        params: { path: { id }, query: { start_time: start, metrics, max_points: 720 } },
      }));
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}

export const connectionsQuery = queryOptions({
  queryKey: ['estate', 'connections'],
  queryFn: () => body(client.GET('/api/v1/connections')),
  refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => status === 'syncing') ? 1500 : 15_000),
});

/** A change of a connection: everything of the estate is asked for again. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => void queries.invalidateQueries({ queryKey: ['estate'] }) });
}

export const addConnection = (given: Schemas['ConnectionCreate']) => body(client.POST('/api/v1/connections', { body: given }));

export const changeConnection = ({ id, ...given }: { id: string } & Schemas['ConnectionPatch']) =>
  body(client.PATCH('/api/v1/connections/{id}', { params: { path: { id } }, body: given }));

export const removeConnection = (id: string) => body(client.DELETE('/api/v1/connections/{id}', { params: { path: { id } } }));

export const testConnection = (id: string) => body(client.POST('/api/v1/connections/{id}/test', { params: { path: { id } } }));

export const syncConnection = (id: string) => body(client.POST('/api/v1/connections/{id}/sync', { params: { path: { id } } }));
