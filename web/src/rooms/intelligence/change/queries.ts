// What the pages about change control ask the service for, and what they change.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

export const exclusionsQuery = queryOptions({
  queryKey: ['intelligence', 'exclusions'],
  queryFn: () =>
    body(client.GET('/api/v1/intelligence/exclusions', { params: { query: { limit: MOST } } })),
});

export const exclude = (given: Schemas['ExclusionCreateBody']) =>
  body(client.POST('/api/v1/intelligence/exclusions', { body: given }));

export const endExclusion = (id: string) =>
  body(client.DELETE('/api/v1/intelligence/exclusions/{id}', { params: { path: { id } } }));

export function diagnosisQuery(id: string, moves: string) {
  return queryOptions({
    queryKey: ['intelligence', 'diagnosis', id, moves],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/recommendations/{id}/diagnosis', {
          params: { path: { id } },
        }),
      ),
  });
}

export function agentDiagnosisQuery(agent_id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'agent-diagnosis', agent_id],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/agents/{agent_id}/diagnosis', {
          params: { path: { agent_id } },
        }),
      ),
  });
}

export function patchQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'patch', id],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/recommendations/{id}/patch', { params: { path: { id } } }),
      ),
  });
}
