// What the room asks the service for. Every question is itself an entry in the log, so it asks no more than it shows.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { Search } from '../../api/bodies';
import { BY_REEVE } from './naming';

/** Reeve's own records of people reading the log. */
export const WITHOUT_READS = 'NOT category:audit';

/** What deserves a look. */
export const SECURITY_QUERY = 'severity:(high OR critical) OR status:denied OR (category:authentication AND status:failed)';

export const REFRESH_MS = 30_000;

export function recentQuery(reads: boolean) {
  return queryOptions({
    queryKey: ['audit', 'recent', reads],
    queryFn: () => body(client.GET('/api/v1/audit-logs', { params: { query: { limit: 15, query: reads ? undefined : WITHOUT_READS } } })),
    refetchInterval: REFRESH_MS,
  });
}

export function securityQuery() {
  return queryOptions({
    queryKey: ['audit', 'security'],
    queryFn: () => body(client.GET('/api/v1/audit-logs', {
      params: { query: { limit: 5, query: SECURITY_QUERY } },
    })),
    refetchInterval: REFRESH_MS,
  });
}

export function statsQuery(hours: number, reads: boolean) {
  return queryOptions({
    queryKey: ['audit', 'stats', hours, reads],
    queryFn: () => body(client.GET('/api/v1/audit-logs/stats', {
      params: { query: { start_time: new Date(Date.now() - hours * 3_600_000).toISOString(), query: reads ? undefined : WITHOUT_READS } },
    })),
    refetchInterval: REFRESH_MS,
  });
}

export function searchQuery(search: Search) {
  return infiniteQueryOptions({
    queryKey: ['audit', 'search', search],
    // Counts cover all pages: the first one brings them.
    queryFn: ({ pageParam }) => body(client.POST('/api/v1/audit-logs/search', {
      body: pageParam === undefined ? search : { ...search, cursor: pageParam, aggregations: [], count: false },
    })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    retry: false,
  });
}

export function entryQuery(event_id: string) {
  return queryOptions({
    queryKey: ['audit', 'entry', event_id],
    queryFn: () => body(client.GET('/api/v1/audit-logs/entry', { params: { query: { event_id } } })),
    staleTime: Infinity,
  });
}

export const checkpointQuery = queryOptions({
  queryKey: ['audit', 'checkpoint'],
  queryFn: () => body(client.GET('/api/v1/audit-logs/checkpoint', { parseAs: 'text' })),
});

/** All entries of Reeve's own that carry this member with this value, newest first. `moves` changes when what they are about does. */
export function storyQuery(member: string, id: string, moves: string) {
  return queryOptions({
    queryKey: ['audit', 'story', member, id, moves],
    queryFn: () => body(client.POST('/api/v1/audit-logs/search', { body: { query: `metadata.${member}:"${id}" AND ${BY_REEVE}`, limit: 200, filters: {}, aggregations: [], aggregation_limit: null } })),
    placeholderData: (before) => before,
  });
}
