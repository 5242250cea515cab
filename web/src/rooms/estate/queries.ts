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
  query?: string;
  limit?: number;
}

export function resourcesQuery(filter: ResourceFilter) {
  return queryOptions({
    queryKey: ['estate', 'resources', filter],
    queryFn: () =>
      body(client.GET('/api/v1/resources', { params: { query: { limit: MOST, ...filter } } })),
    placeholderData: keepPreviousData,
  });
}

export function resourceQuery(id: string) {
  return queryOptions({
    queryKey: ['estate', 'resource', id],
    queryFn: () => body(client.GET('/api/v1/resources/{id}', { params: { path: { id } } })),
  });
}

export type ResourceFlow = Schemas['ResourceFlowBody'];

/** Flows of the network interfaces of a resource over days. */
export function flowsQuery(id: string, days: number) {
  return queryOptions({
    queryKey: ['estate', 'flows', id, days],
    queryFn: () =>
      body(
        client.GET('/api/v1/resources/{id}/flows', { params: { path: { id }, query: { days } } }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function workloadQuery(id: string) {
  return queryOptions({
    queryKey: ['estate', 'workload', id],
    queryFn: () =>
      body(client.GET('/api/v1/resources/{id}/workload', { params: { path: { id } } })),
  });
}

export const kindsQuery = queryOptions({
  queryKey: ['estate', 'kinds'],
  queryFn: () => body(client.GET('/api/v1/resource-kinds', { params: { query: { limit: MOST } } })),
  staleTime: Infinity,
});

/** The address of everything that a filter finds, as CSV. */
export function resourcesCsv(filter: ResourceFilter) {
  const given = Object.entries(filter).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return `/api/v1/resources.csv?${new URLSearchParams(given)}`;
}

export function configurationQuery(id: string, at: string | undefined) {
  return queryOptions({
    queryKey: ['estate', 'configuration', id, at],
    queryFn: () =>
      body(
        client.GET('/api/v1/resources/{id}/configuration', {
          params: { path: { id }, query: { at } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function versionsQuery(id: string) {
  return queryOptions({
    queryKey: ['estate', 'versions', id],
    queryFn: () =>
      body(
        client.GET('/api/v1/resources/{id}/versions', {
          params: { path: { id }, query: { limit: 200 } },
        }),
      ),
  });
}

export function differenceQuery(id: string, from: string | undefined, to: string | undefined) {
  return queryOptions({
    queryKey: ['estate', 'difference', id, from, to],
    queryFn: () =>
      body(
        client.GET('/api/v1/resources/{id}/difference', {
          params: { path: { id }, query: { from, to } },
        }),
      ),
  });
}

export function relationsQuery(id: string) {
  return queryOptions({
    queryKey: ['estate', 'relations', id],
    queryFn: () =>
      body(
        client.GET('/api/v1/resources/{id}/relations', {
          params: { path: { id }, query: { limit: 200 } },
        }),
      ),
  });
}

/** Results of the last sync of a connection, by kind and region. */
export function readingsQuery(connection: string) {
  return queryOptions({
    queryKey: ['estate', 'readings', connection],
    queryFn: () =>
      body(
        client.GET('/api/v1/connections/{id}/readings', {
          params: { path: { id: connection }, query: { limit: MOST } },
        }),
      ),
  });
}

/** Entries about changes of a resource: those that syncs saw, and those of the provider and of Reeve. */
export function historyQuery(id: string) {
  const query = `resource.id:"${id.replace(/["\\]/g, '\\$&')}" AND event_type:(resource.create OR resource.modify OR resource.delete OR resource.tag OR resource.state OR resource.state_change)`;
  return queryOptions({
    queryKey: ['estate', 'history', id],
    queryFn: () =>
      body(client.GET('/api/v1/audit-logs', { params: { query: { query, limit: 20 } } })),
  });
}

/** Samples of the last `days`; the start is rounded to the hour so that opening a page twice asks once. */
export function samplesQuery(id: string, days: number, metrics?: string) {
  return queryOptions({
    queryKey: ['estate', 'samples', id, days, metrics],
    queryFn: () => {
      const start = new Date(
        Math.floor(Date.now() / 3_600_000) * 3_600_000 - days * 86_400_000,
      ).toISOString();
      return body(
        client.GET('/api/v1/resources/{id}/samples', {
          params: { path: { id }, query: { start_time: start, metrics, max_points: 720 } },
        }),
      );
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}

export const connectionsQuery = queryOptions({
  queryKey: ['estate', 'connections'],
  queryFn: () => body(client.GET('/api/v1/connections')),
  refetchInterval: ({ state }) =>
    state.data?.items.some(({ status }) => status === 'syncing') ? 1500 : 15_000,
});

/** A change of a connection: everything of the estate is asked for again. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['estate'] }),
  });
}

export const correctWorkload = ({
  id,
  ...given
}: { id: string } & Schemas['WorkloadCorrectionBody']) =>
  body(client.PUT('/api/v1/resources/{id}/workload', { params: { path: { id } }, body: given }));

export const withdrawCorrection = (id: string) =>
  body(client.DELETE('/api/v1/resources/{id}/workload', { params: { path: { id } } }));

export const addConnection = (given: Schemas['ConnectionCreate']) =>
  body(client.POST('/api/v1/connections', { body: given }));

export const changeConnection = ({ id, ...given }: { id: string } & Schemas['ConnectionPatch']) =>
  body(client.PATCH('/api/v1/connections/{id}', { params: { path: { id } }, body: given }));

export const removeConnection = (id: string) =>
  body(client.DELETE('/api/v1/connections/{id}', { params: { path: { id } } }));

export const testConnection = (id: string) =>
  body(client.POST('/api/v1/connections/{id}/test', { params: { path: { id } } }));

/** Queue of notices about spot capacity of a connection, and what arrived in it. */
export function spotNoticesQuery(connection: string) {
  return queryOptions({
    queryKey: ['estate', 'spot-notices', connection],
    queryFn: () =>
      body(
        client.GET('/api/v1/connections/{id}/spot-notices', {
          params: { path: { id: connection } },
        }),
      ),
  });
}

export const setSpotQueue = ({ id, ...given }: { id: string } & Schemas['SpotQueueInput']) =>
  body(
    client.PUT('/api/v1/connections/{id}/spot-notices', { params: { path: { id } }, body: given }),
  );

export const removeSpotQueue = (id: string) =>
  body(client.DELETE('/api/v1/connections/{id}/spot-notices', { params: { path: { id } } }));

export const syncConnection = (id: string) =>
  body(client.POST('/api/v1/connections/{id}/sync', { params: { path: { id } } }));
