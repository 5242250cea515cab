// What the page about exposure asks the service for.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

export type Exposure = Schemas['ExposureBody'];
export type ExposureStep = Schemas['ExposureStepBody'];
export type Privilege = Schemas['PrivilegeBody'];
export type AttackChain = Schemas['AttackChainBody'];
export type ExposureResult = Schemas['CheckAnswer'];

export const exposuresQuery = (result: ExposureResult) =>
  queryOptions({
    queryKey: ['intelligence', 'exposures', result],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/exposures', {
          params: { query: { result, limit: MOST } },
        }),
      ),
    refetchInterval: 60_000,
  });

/** Number of resources with a result, without the resources. */
export const exposuresTotalQuery = (result: ExposureResult) =>
  queryOptions({
    queryKey: ['intelligence', 'exposures-total', result],
    queryFn: async () => {
      const list = await body(
        client.GET('/api/v1/intelligence/exposures', { params: { query: { result, limit: 1 } } }),
      );
      return list.total;
    },
    refetchInterval: 60_000,
  });

export const privilegesQuery = (result: ExposureResult) =>
  queryOptions({
    queryKey: ['intelligence', 'privileges', result],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/privileges', {
          params: { query: { result, limit: MOST } },
        }),
      ),
    refetchInterval: 60_000,
  });

export const attackChainsQuery = queryOptions({
  queryKey: ['intelligence', 'attack-chains'],
  queryFn: () =>
    body(client.GET('/api/v1/intelligence/attack-chains', { params: { query: { limit: MOST } } })),
  refetchInterval: 30_000,
});
