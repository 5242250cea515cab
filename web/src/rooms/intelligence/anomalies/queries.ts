// What the pages about anomalies ask the service for, and what they change.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

export interface AnomalyFilter {
  type?: string;
  status?: string;
  resource?: string;
}

export function anomaliesQuery(filter: AnomalyFilter) {
  return queryOptions({
    queryKey: ['intelligence', 'anomalies', filter],
    // The interface describes these as parts of the path, which they are not.
    queryFn: () => body(client.GET('/api/v1/intelligence/anomalies', { params: { query: { limit: MOST, ...filter } } })),
    refetchInterval: 15_000,
  });
}

export function anomalyQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'anomaly', id],
    queryFn: () => body(client.GET('/api/v1/intelligence/anomalies/{id}', { params: { path: { id } } })),
    refetchInterval: 15_000,
  });
}

/** What was observed around an anomaly; the span is fixed, so that opening the page twice asks once. */
export function observedQuery(resource: string, metric: string, span: { from: string; to: string }) {
  return queryOptions({
    queryKey: ['samples', resource, metric, span],
    queryFn: () => body(client.GET('/api/v1/resources/{id}/samples', {
      params: { path: { id: resource }, query: { start_time: span.from, end_time: span.to, metrics: metric, max_points: 1440 } },
    })),
    staleTime: 60_000,
  });
}

export const anomalySettingsQuery = queryOptions({
  queryKey: ['intelligence', 'anomaly-settings'],
  queryFn: () => body(client.GET('/api/v1/intelligence/anomaly-settings')),
});

export const setAnomalySettings = (given: Schemas['AnomalySettingsBody']) => body(client.PUT('/api/v1/intelligence/anomaly-settings', { body: given }));

export const acknowledge = (id: string) => body(client.POST('/api/v1/intelligence/anomalies/{id}/acknowledge', { params: { path: { id } } }));

export const sayWhatItWas = ({ id, ...given }: { id: string } & Schemas['AnomalyFeedbackCreate']) =>
  body(client.POST('/api/v1/intelligence/anomalies/{id}/feedback', { params: { path: { id } }, body: given }));
