// What the room asks the service for. Every question is itself an entry in the log, so it asks no more than it shows.
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SearchFilters } from '../../addresses';
import { body, client } from '../../api/client';
import type { Search } from '../../api/bodies';
import { compose } from './compose';
import { BY_REEVE } from './naming';

/** What deserves a look. */
export const SECURITY_QUERY =
  'severity:(high OR critical) OR status:denied OR (category:authentication AND status:failed)';

/** Entries of an address, newest first, with their number. Answers stay shown while the next ones are fetched. */
export function entriesQuery(filters: SearchFilters, limit: number) {
  return queryOptions({
    queryKey: ['audit', 'entries', filters, limit],
    queryFn: () =>
      body(
        client.POST('/api/v1/audit-logs/search', {
          body: { ...compose(filters, new Date()).body, aggregations: [], limit },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** Counts of the entries of an address, by the usual fields and over time. */
export function statsQuery(filters: SearchFilters) {
  const { query, start_time, end_time } = compose(filters, new Date()).body;
  return queryOptions({
    queryKey: ['audit', 'stats', query, start_time, end_time],
    queryFn: () =>
      body(
        client.GET('/api/v1/audit-logs/stats', {
          params: {
            query: {
              start_time: start_time ?? undefined,
              end_time: end_time ?? undefined,
              query: query ?? undefined,
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** Below this a difference of clocks is within what the header of an answer can tell, milliseconds. */
const SKEW_MS = 2_000;

/** Milliseconds by which the service's clock is ahead of the browser's. Without it a slow clock here would hide the newest entries. */
export const clockSkewQuery = queryOptions({
  queryKey: ['clock-skew'],
  queryFn: async () => {
    const sent = Date.now();
    const answer = await fetch('/healthz', { cache: 'no-store' });
    const there = Date.parse(answer.headers.get('date') ?? '');
    const skew = there - (sent + Date.now()) / 2;
    return Number.isNaN(skew) || Math.abs(skew) < SKEW_MS ? 0 : skew;
  },
  staleTime: 600_000,
});

/** The catalogue of event types. */
export const eventTypesQuery = queryOptions({
  queryKey: ['audit', 'event-types'],
  queryFn: () => body(client.GET('/api/v1/audit-logs/event-types')),
  staleTime: Infinity,
});

/** The fields of the query language. */
export const fieldsQuery = queryOptions({
  queryKey: ['audit', 'fields'],
  queryFn: () => body(client.GET('/api/v1/audit-logs/fields')),
  staleTime: Infinity,
});

/** The values of a field in the last seven days, most frequent first. Asked once a field: each question is an entry of the log. */
export function valuesQuery(field: string) {
  return queryOptions({
    queryKey: ['audit', 'values', field],
    queryFn: () =>
      body(
        client.GET('/api/v1/audit-logs/stats', {
          params: { query: { by: field, limit: 100, start_time: 'now-7d' } },
        }),
      ),
    staleTime: 600_000,
    retry: false,
  });
}

export function searchQuery(search: Search) {
  return infiniteQueryOptions({
    queryKey: ['audit', 'search', search],
    // Counts cover all pages: the first one brings them.
    queryFn: ({ pageParam }) =>
      body(
        client.POST('/api/v1/audit-logs/search', {
          body:
            pageParam === undefined
              ? search
              : { ...search, cursor: pageParam, aggregations: [], count: false },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    retry: false,
  });
}

export function entryQuery(event_id: string) {
  return queryOptions({
    queryKey: ['audit', 'entry', event_id],
    queryFn: () =>
      body(client.GET('/api/v1/audit-logs/entry', { params: { query: { event_id } } })),
    staleTime: Infinity,
  });
}

/** The checkpoint, asked for anew when the log has grown. */
export function checkpointAt(logSize: number | undefined) {
  return queryOptions({
    queryKey: ['audit', 'checkpoint', logSize],
    queryFn: () => body(client.GET('/api/v1/audit-logs/checkpoint', { parseAs: 'text' })),
    placeholderData: keepPreviousData,
  });
}

/** All entries of Reeve's own that carry this member with this value, newest first. `moves` changes when what they are about does. */
export function storyQuery(member: string, id: string, moves: string) {
  return queryOptions({
    queryKey: ['audit', 'story', member, id, moves],
    queryFn: () =>
      body(
        client.POST('/api/v1/audit-logs/search', {
          body: {
            query: `metadata.${member}:"${id}" AND ${BY_REEVE}`,
            limit: 200,
            filters: {},
            aggregations: [],
            aggregation_limit: null,
          },
        }),
      ),
    placeholderData: (before) => before,
  });
}
