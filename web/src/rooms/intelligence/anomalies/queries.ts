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
  /** Members of this incident. */
  incident?: string;
}

export function anomaliesQuery(filter: AnomalyFilter) {
  return queryOptions({
    queryKey: ['intelligence', 'anomalies', filter],
    // The interface describes these as parts of the path, which they are not.
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/anomalies', {
          params: { query: { limit: MOST, ...filter } },
        }),
      ),
    refetchInterval: 15_000,
  });
}

export function anomalyQuery(id: string) {
  return queryOptions({
    queryKey: ['intelligence', 'anomaly', id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/anomalies/{id}', { params: { path: { id } } })),
    refetchInterval: 15_000,
  });
}

/** A metric around an anomaly beside what was expected of it. */
export function courseQuery(id: string, metric: string, span: { from: string; to: string }) {
  return queryOptions({
    queryKey: ['intelligence', 'anomaly', id, 'course', metric, span],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/anomalies/{id}/course', {
          params: { path: { id }, query: { metric, start_time: span.from, end_time: span.to } },
        }),
      ),
    staleTime: 60_000,
  });
}

/** The thresholds that an anomaly was held against; asked for again once an answer may have moved them. */
export function thresholdsQuery(anomaly: string, answers: number) {
  return queryOptions({
    queryKey: ['intelligence', 'anomaly-thresholds', anomaly, answers],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/anomaly-thresholds', { params: { query: { anomaly } } }),
      ),
  });
}

export const resetThreshold = (id: string) =>
  body(
    client.POST('/api/v1/intelligence/anomaly-thresholds/{id}/reset', { params: { path: { id } } }),
  );

export const anomalySettingsQuery = queryOptions({
  queryKey: ['intelligence', 'anomaly-settings'],
  queryFn: () => body(client.GET('/api/v1/intelligence/anomaly-settings')),
});

export const setAnomalySettings = (given: Schemas['AnomalySettingsPut']) =>
  body(client.PUT('/api/v1/intelligence/anomaly-settings', { body: given }));

export const acknowledge = (id: string) =>
  body(
    client.POST('/api/v1/intelligence/anomalies/{id}/acknowledge', { params: { path: { id } } }),
  );

export const reopen = (id: string) =>
  body(client.POST('/api/v1/intelligence/anomalies/{id}/reopen', { params: { path: { id } } }));

export const giveVerdict = ({ id, ...given }: { id: string } & Schemas['AnomalyFeedbackCreate']) =>
  body(
    client.POST('/api/v1/intelligence/anomalies/{id}/feedback', {
      params: { path: { id } },
      body: given,
    }),
  );
