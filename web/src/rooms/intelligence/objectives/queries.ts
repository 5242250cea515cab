// What the pages of objectives ask the service for, and what they change.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type Objective = Schemas['ObjectiveBody'];
export type ObjectiveSettings = Schemas['ObjectiveSettings'];
export type ObjectivePoint = Schemas['ObjectivePointBody'];

/** Objectives are measured every five minutes. */
const AGAIN_MS = 60_000;
const KEY = ['intelligence', 'objectives'];

export const objectivesQuery = queryOptions({
  queryKey: [...KEY, 'list'],
  queryFn: () => body(client.GET('/api/v1/intelligence/objectives')),
  refetchInterval: AGAIN_MS,
});
export const objectiveQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/objectives/{id}', { params: { path: { id } } })),
    refetchInterval: AGAIN_MS,
  });
export const courseQuery = (id: string) =>
  queryOptions({
    queryKey: [...KEY, id, 'course'],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/objectives/{id}/course', { params: { path: { id } } })),
  });
/** Load balancers, scaling groups, databases and queues, to choose from. */
export const servicesQuery = queryOptions({
  queryKey: [...KEY, 'services'],
  queryFn: async () => {
    const kinds = ['load_balancer', 'scaling_group', 'database', 'queue'];
    const lists = await Promise.all(
      kinds.map((type) =>
        body(client.GET('/api/v1/resources', { params: { query: { type, limit: 200 } } })),
      ),
    );
    return lists.flatMap(({ items }) => items);
  },
});

export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: KEY }),
  });
}

export const createObjective = (given: ObjectiveSettings) =>
  body(client.POST('/api/v1/intelligence/objectives', { body: given }));
export const changeObjective = ({ id, ...given }: { id: string } & ObjectiveSettings) =>
  body(
    client.PUT('/api/v1/intelligence/objectives/{id}', { params: { path: { id } }, body: given }),
  );
export const removeObjective = (id: string) =>
  body(client.DELETE('/api/v1/intelligence/objectives/{id}', { params: { path: { id } } }));
