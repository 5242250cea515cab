// What the pages about rollouts ask the service for, and what they change.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

const ROLLOUT = '/api/v1/intelligence/rollouts/{id}' as const;

export function rolloutsQuery(filter: { status?: string }) {
  return queryOptions({
    queryKey: ['intelligence', 'rollouts', filter],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/rollouts', {
          params: { query: { limit: MOST, ...filter } },
        }),
      ),
    refetchInterval: 10_000,
  });
}

/** One rollout; asked for again often while it goes on by itself. */
export function rolloutQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'rollout', id],
    queryFn: () => body(client.GET(ROLLOUT, { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 3000 : 15_000),
  });
}

export const beginRollout = (given: Schemas['RolloutCreateBody']) =>
  body(client.POST('/api/v1/intelligence/rollouts', { body: given }));

interface Reasoned {
  id: string;
  reason: string;
}

export const stopRollout = ({ id, ...given }: Reasoned) =>
  body(client.POST(`${ROLLOUT}/stop`, { params: { path: { id } }, body: given }));

export const resumeRollout = ({ id, ...given }: Reasoned) =>
  body(client.POST(`${ROLLOUT}/resume`, { params: { path: { id } }, body: given }));

export const abortRollout = ({ id, ...given }: Reasoned) =>
  body(client.POST(`${ROLLOUT}/abort`, { params: { path: { id } }, body: given }));
