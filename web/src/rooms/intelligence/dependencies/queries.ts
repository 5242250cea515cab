// What the pages with dependencies ask the service for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];

export type Dependencies = Schemas['DependencyMapBody'];
export type DependencyNode = Schemas['DependencyNodeBody'];
export type DependencyEdge = Schemas['DependencyEdgeBody'];
export type Standing = Schemas['DependencyStanding'];

export const dependenciesQuery = (resource: string, hops: number) =>
  queryOptions({
    queryKey: ['intelligence', 'dependencies', resource, hops],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/dependencies', { params: { query: { resource, hops } } }),
      ),
    placeholderData: keepPreviousData,
  });

/** Resources by a part of their name or identifier, for the choice of the middle. */
export const namedQuery = (text: string) =>
  queryOptions({
    queryKey: ['intelligence', 'dependencies-named', text],
    queryFn: () =>
      body(client.GET('/api/v1/resources', { params: { query: { text, limit: 12 } } })),
  });

/** Resources of one type, as places to begin. */
export const startsQuery = (type: string) =>
  queryOptions({
    queryKey: ['intelligence', 'dependencies-starts', type],
    queryFn: () => body(client.GET('/api/v1/resources', { params: { query: { type, limit: 6 } } })),
  });

/** Open anomalies, whose resources are worth a look at first. */
export const openAnomaliesQuery = () =>
  queryOptions({
    queryKey: ['intelligence', 'dependencies-anomalies'],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/anomalies', {
          params: { query: { status: 'open', limit: 12 } },
        }),
      ),
  });
