// What the page of a database asks the service for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type DatabaseLoad = Schemas['DatabaseLoadBody'];
export type DatabaseQuery = Schemas['DatabaseQueryBody'];
export type PlanNode = Schemas['PlanNodeBody'];
export type Advice = Schemas['DatabaseAdviceItemBody'];
export type DatabaseChange = Schemas['DatabaseChangeBody'];
export type Effect = Schemas['EffectBody'];

/** Loads are read once a minute. */
const EVERY_MS = 30_000;

export function loadQuery(id: string, hours: number) {
  return queryOptions({
    queryKey: ['estate', 'database', id, 'load', hours],
    queryFn: () =>
      body(client.GET('/api/v1/databases/{id}', { params: { path: { id }, query: { hours } } })),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

export function databaseQueriesQuery(id: string, hours: number) {
  return queryOptions({
    queryKey: ['estate', 'database', id, 'queries', hours],
    queryFn: () =>
      body(
        client.GET('/api/v1/databases/{id}/queries', {
          params: { path: { id }, query: { hours } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
}

export function planQuery(id: string, statement: string) {
  return queryOptions({
    queryKey: ['estate', 'database', id, 'plan', statement],
    queryFn: () =>
      body(
        client.GET('/api/v1/databases/{id}/queries/{statement}/plan', {
          params: { path: { id, statement } },
        }),
      ),
  });
}

export function adviceQuery(id: string) {
  return queryOptions({
    queryKey: ['estate', 'database', id, 'advice'],
    queryFn: () => body(client.GET('/api/v1/databases/{id}/advice', { params: { path: { id } } })),
    refetchInterval: EVERY_MS,
  });
}
