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
export const namedQuery = (q: string) =>
  queryOptions({
    queryKey: ['intelligence', 'dependencies-named', q],
    queryFn: () => body(client.GET('/api/v1/resources', { params: { query: { q, limit: 12 } } })),
  });
