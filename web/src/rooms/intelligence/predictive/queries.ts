// What the pages about predictive rules and calendars ask the service for, and what they change.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

const RULES = '/api/v1/intelligence/predictive-rules' as const;
const CALENDARS = '/api/v1/intelligence/calendars' as const;

export const rulesQuery = queryOptions({
  queryKey: ['intelligence', 'rules'],
  queryFn: () => body(client.GET(RULES, { params: { query: { limit: MOST } } })),
  refetchInterval: 15_000,
});

export function ruleQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'rule', id],
    queryFn: () => body(client.GET(`${RULES}/{id}`, { params: { path: { id } } })),
    refetchInterval: 15_000,
  });
}

export interface PredictionFilter {
  rule?: string;
  outcome?: string;
  limit: number;
}

/** Forecasts that were decided on, newest first. `moves` changes when there are new ones. */
export function predictionsQuery(filter: PredictionFilter, moves?: string | null) {
  return queryOptions({
    queryKey: ['intelligence', 'predictions', filter, moves ?? ''],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/predictions', { params: { query: { ...filter } } })),
    refetchInterval: 60_000,
    placeholderData: (before) => before,
  });
}

export const createRule = (given: Schemas['RulePut']) => body(client.POST(RULES, { body: given }));

export const changeRule = ({ id, ...given }: { id: string } & Schemas['RulePut']) =>
  body(client.PATCH(`${RULES}/{id}`, { params: { path: { id } }, body: given }));

export const removeRule = (id: string) =>
  body(client.DELETE(`${RULES}/{id}`, { params: { path: { id } } }));

export const evaluateRule = (id: string) =>
  body(client.POST(`${RULES}/{id}/evaluate`, { params: { path: { id } } }));

export const previewRule = (given: Schemas['RulePut']) =>
  body(client.POST(`${RULES}/preview`, { body: given }));

const TRAFFIC = '/api/v1/intelligence/traffic-intelligence' as const;

export const trafficQuery = queryOptions({
  queryKey: ['intelligence', 'traffic-intelligence'],
  queryFn: () => body(client.GET(TRAFFIC)),
});

export const setTraffic = (given: Schemas['TrafficIntelligencePut']) =>
  body(client.PUT(TRAFFIC, { body: given }));

export const calendarsQuery = queryOptions({
  queryKey: ['intelligence', 'calendars'],
  queryFn: () => body(client.GET(CALENDARS, { params: { query: { limit: MOST } } })),
});

export function calendarQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'calendar', id],
    queryFn: () => body(client.GET(`${CALENDARS}/{id}`, { params: { path: { id } } })),
  });
}

/** Events from now on, for so many days. The minute is rounded down, so that a page drawn again asks for the same. */
export function eventsQuery(id: string, days: number, version: number) {
  return queryOptions({
    queryKey: ['intelligence', 'calendar-events', id, days, version],
    queryFn: () => {
      const from = Math.floor(Date.now() / 60_000) * 60_000;
      const until = new Date(from + days * 86_400_000).toISOString();
      return body(
        client.GET(`${CALENDARS}/{id}/events`, {
          params: {
            path: { id },
            query: { from: new Date(from).toISOString(), until, limit: MOST },
          },
        }),
      );
    },
    refetchInterval: 60_000,
    placeholderData: (before) => before,
  });
}

export const importCalendar = (given: Schemas['CalendarPut']) =>
  body(client.POST(CALENDARS, { body: given }));

export const changeCalendar = ({ id, ...given }: { id: string } & Schemas['CalendarPut']) =>
  body(client.PATCH(`${CALENDARS}/{id}`, { params: { path: { id } }, body: given }));

export const removeCalendar = (id: string) =>
  body(client.DELETE(`${CALENDARS}/{id}`, { params: { path: { id } } }));

/** Observations of a metric; the span is fixed, so that opening the page twice asks once. */
export function observedQuery(
  resource: string,
  metric: string,
  span: { from: string; to: string },
) {
  return queryOptions({
    queryKey: ['estate', 'samples', resource, metric, span],
    queryFn: () =>
      body(
        client.GET('/api/v1/resources/{id}/samples', {
          params: {
            path: { id: resource },
            query: { start_time: span.from, end_time: span.to, metrics: metric, max_points: 1440 },
          },
        }),
      ),
    staleTime: 60_000,
  });
}
