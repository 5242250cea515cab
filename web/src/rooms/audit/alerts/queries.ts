// What the page about alerts asks the service for, and what it changes.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type AlertRule = Schemas['AlertRuleBody'];
export type ReadyRule = Schemas['ReadyRuleBody'];
export type Firing = Schemas['FiringBody'];
export type Preview = Schemas['AlertPreviewBody'];
export type PreviewRequest = Schemas['AlertPreviewRequest'];

const RULE = '/api/v1/audit-logs/alerts/{id}' as const;
const FIRING = '/api/v1/audit-logs/alerts/firings/{id}' as const;
const MOST = 1000;
const REFRESH_MS = 15_000;

export const rulesQuery = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: () =>
    body(client.GET('/api/v1/audit-logs/alerts', { params: { query: { limit: MOST } } })),
});

export const readyQuery = queryOptions({
  queryKey: ['alerts', 'ready'],
  queryFn: () =>
    body(client.GET('/api/v1/audit-logs/alerts/ready', { params: { query: { limit: MOST } } })),
});

export function firingsQuery(status: string) {
  return queryOptions({
    queryKey: ['alerts', 'firings', status],
    queryFn: () =>
      body(
        client.GET('/api/v1/audit-logs/alerts/firings', {
          params: { query: { limit: 200, status: status === 'all' ? undefined : status } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  });
}

export function diagnosisQuery(id: string) {
  return queryOptions({
    queryKey: ['alerts', 'diagnosis', id],
    queryFn: () => body(client.GET(`${RULE}/diagnosis`, { params: { path: { id } } })),
  });
}

export function previewQuery(asked: PreviewRequest) {
  return queryOptions({
    queryKey: ['alert-preview', asked],
    queryFn: () => body(client.POST('/api/v1/audit-logs/alerts/preview', { body: asked })),
    staleTime: 60_000,
    retry: false,
  });
}

/** True while a rule fires and notifies nobody. */
export const isSilenced = ({ silenced_until: until }: AlertRule) =>
  until !== undefined && until !== null && new Date(until) > new Date();

/** A change of alerts: it is pending until everything of the page was asked for again, so that the next step has the new version. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
}

const params = (id: string) => ({ params: { path: { id } } });
export const createRule = (given: Schemas['AlertRuleCreate']) =>
  body(client.POST('/api/v1/audit-logs/alerts', { body: given }));
export const changeRule = ({ id, ...given }: { id: string } & Schemas['AlertRulePatch']) =>
  body(client.PATCH(RULE, { ...params(id), body: given }));
export const removeRule = (id: string) => body(client.DELETE(RULE, params(id)));
export const switchRule = ({ id, on }: { id: string; on: boolean }) =>
  body(on ? client.POST(`${RULE}/enable`, params(id)) : client.POST(`${RULE}/disable`, params(id)));
export const silenceRule = ({ id, until }: { id: string; until?: string }) =>
  body(client.POST(`${RULE}/silence`, { ...params(id), body: { until } }));
export const testRule = (id: string) => body(client.POST(`${RULE}/test`, params(id)));
export const enableReady = (key: string) =>
  body(client.POST('/api/v1/audit-logs/alerts/ready/{key}/enable', { params: { path: { key } } }));
export const handleFiring = ({
  id,
  step,
  ...given
}: { id: string; step: 'acknowledge' | 'assign' | 'resolve' } & Schemas['FiringHandling']) => {
  const sent = { ...params(id), body: given };
  if (step === 'acknowledge') return body(client.POST(`${FIRING}/acknowledge`, sent));
  return body(
    step === 'assign'
      ? client.POST(`${FIRING}/assign`, sent)
      : client.POST(`${FIRING}/resolve`, sent),
  );
};
