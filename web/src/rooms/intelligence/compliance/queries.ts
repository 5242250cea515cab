// What the pages about compliance ask the service for.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

type Schemas = components['schemas'];

export type Framework = Schemas['CheckedFrameworkBody'];
export type Control = Schemas['FrameworkControlBody'];
export type ControlDetail = Schemas['FrameworkControlDetailBody'];
export type ControlCheck = Schemas['FrameworkCheckBody'];
export type CheckResult = Schemas['CheckResultBody'];
export type CheckChange = Schemas['CheckChangeBody'];
export type OwnFile = Schemas['OwnCheckFileBody'];
export type OwnFault = Schemas['OwnCheckFaultBody'];
export type ResultCounts = Schemas['ResultCountsBody'];

export const frameworksQuery = queryOptions({
  queryKey: ['intelligence', 'frameworks'],
  queryFn: () => body(client.GET('/api/v1/intelligence/frameworks')),
  refetchInterval: 60_000,
});

export const trendQuery = (framework: string) =>
  queryOptions({
    queryKey: ['intelligence', 'framework-trend', framework],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/frameworks/{id}/trend', {
          params: { path: { id: framework }, query: { days: 90 } },
        }),
      ),
  });

export const controlsQuery = (framework: string) =>
  queryOptions({
    queryKey: ['intelligence', 'controls', framework],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/controls', {
          params: { query: { framework, limit: MOST } },
        }),
      ),
  });

export const controlQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'control', id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/controls/{id}', { params: { path: { id } } })),
  });

export const resultsQuery = (
  id: string,
  result: string | undefined,
  severity: string | undefined,
) =>
  queryOptions({
    queryKey: ['intelligence', 'check-results', id, result, severity],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/controls/{id}/results', {
          params: { path: { id }, query: { result, severity, limit: MOST } },
        }),
      ),
  });

export const checkQuery = (id: string) =>
  queryOptions({
    queryKey: ['intelligence', 'check', id],
    queryFn: () =>
      body(client.GET('/api/v1/intelligence/checks/{id}', { params: { path: { id } } })),
  });

export const ownChecksQuery = queryOptions({
  queryKey: ['intelligence', 'own-checks'],
  queryFn: () => body(client.GET('/api/v1/intelligence/own-checks')),
  refetchInterval: 30_000,
});

/** Accepts a failed result until a time. */
export const acceptResult = ({
  check,
  ...given
}: { check: string } & Schemas['CheckExceptionBody']) =>
  body(
    client.POST('/api/v1/intelligence/checks/{id}/exceptions', {
      params: { path: { id: check } },
      body: given,
    }),
  );

export const withdrawException = (id: string) =>
  body(client.DELETE('/api/v1/intelligence/exclusions/{id}', { params: { path: { id } } }));
