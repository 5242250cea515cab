// What the pages about drift ask the service for.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

export type Baseline = Schemas['BaselineBody'];
export type Drift = Schemas['DriftBody'];
export type DriftDetail = Schemas['DriftDetailBody'];
export type DriftState = Schemas['DriftState'];

export const baselinesQuery = queryOptions({
  queryKey: ['intelligence', 'baselines'],
  queryFn: () =>
    body(client.GET('/api/v1/intelligence/baselines', { params: { query: { limit: MOST } } })),
  refetchInterval: 60_000,
});

export const driftsQuery = (state: string | undefined, baseline: string | undefined) =>
  queryOptions({
    queryKey: ['intelligence', 'drifts', state, baseline],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/drift', {
          params: { query: { state, baseline, limit: MOST } },
        }),
      ),
    refetchInterval: 60_000,
  });

export const driftQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'drift', id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/drift/{id}', { params: { path: { id } } })),
  });

export const pinBaseline = (given: Schemas['BaselineCreateBody']) =>
  body(client.POST('/api/v1/intelligence/baselines', { body: given }));

/** Pins resources of a baseline as they are now; without any, its whole scope. */
export const pinAgain = ({ id, resources }: { id: string; resources?: string[] }) =>
  body(
    client.POST('/api/v1/intelligence/baselines/{id}/pin', {
      params: { path: { id } },
      body: { resources },
    }),
  );

export const removeBaseline = (id: string) =>
  body(client.DELETE('/api/v1/intelligence/baselines/{id}', { params: { path: { id } } }));

export const acceptDrift = ({ id, ...given }: { id: string } & Schemas['DriftAcceptBody']) =>
  body(
    client.POST('/api/v1/intelligence/drift/{id}/accept', {
      params: { path: { id } },
      body: given,
    }),
  );

export const reopenDrift = ({ id }: { id: string }) =>
  body(
    client.POST('/api/v1/intelligence/drift/{id}/reopen', { params: { path: { id } }, body: {} }),
  );
