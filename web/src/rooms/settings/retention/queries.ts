// Retention of the log, restores, legal holds and erasures: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type Retention = Schemas['RetentionBody'];
export type Policy = Schemas['RetentionPolicyBody'];
export type Course = Schemas['PolicyCourseBody'];
export type TierContent = Schemas['TierContentBody'];
export type Restore = Schemas['RestoreBody'];
export type LegalHold = Schemas['LegalHoldBody'];
export type Erasure = Schemas['ErasureBody'];
export type ErasureScope = Schemas['ErasureScopeBody'];
export type ErasurePreview = Schemas['ErasurePreview'];

const PATH = '/api/v1/audit-logs/retention' as const;
const RESTORES = '/api/v1/audit-logs/restores' as const;
const HOLDS = '/api/v1/audit-logs/holds' as const;
const ERASURES = '/api/v1/audit-logs/erasures' as const;

export const retentionQuery = queryOptions({
  queryKey: ['settings', 'retention'],
  queryFn: () => body(client.GET(PATH)),
});

/** Effect of policies before they are saved. */
export const previewQuery = (policies: Policy[]) =>
  queryOptions({
    queryKey: ['settings', 'retention', 'preview', policies],
    queryFn: () => body(client.POST(`${PATH}/preview`, { body: { policies } })),
    retry: false,
  });

export const holdsQuery = queryOptions({
  queryKey: ['settings', 'holds'],
  queryFn: () => body(client.GET(HOLDS, { params: { query: { limit: 100 } } })),
});

/** Restores, looked at again while one of them is fetched. */
export const restoresQuery = queryOptions({
  queryKey: ['settings', 'restores'],
  queryFn: () => body(client.GET(RESTORES, { params: { query: { limit: 100 } } })),
  refetchInterval: ({ state }) =>
    state.data?.items.some((restore) => restore.state === 'fetching') ? 2_000 : false,
});

export const requestRestore = (given: Schemas['RestoreCreate']) =>
  body(client.POST(RESTORES, { body: given }));
export const endRestore = (id: string) =>
  body(client.DELETE(`${RESTORES}/{id}`, { params: { path: { id } } }));
export const savePolicies = (given: Schemas['RetentionPut']) =>
  body(client.PUT(PATH, { body: given }));
export const runRetention = () => body(client.POST(`${PATH}/run`));
export const placeHold = (given: Schemas['LegalHoldCreate']) =>
  body(client.POST(HOLDS, { body: given }));
export const releaseHold = ({ id, reason }: { id: string; reason: string }) =>
  body(client.POST(`${HOLDS}/{id}/release`, { params: { path: { id } }, body: { reason } }));

/** Requests for erasure; asked again while one runs. */
export const erasuresQuery = queryOptions({
  queryKey: ['settings', 'erasures'],
  queryFn: () => body(client.GET(ERASURES, { params: { query: { limit: 100 } } })),
  refetchInterval: ({ state }) =>
    state.data?.items.some(({ status }) => status === 'approved') ? 2_000 : false,
});

export const previewErasure = (scope: ErasureScope) =>
  body(client.POST(`${ERASURES}/preview`, { body: scope }));
export const requestErasure = (given: Schemas['ErasureCreate']) =>
  body(client.POST(ERASURES, { body: given }));
export const approveErasure = (id: string) =>
  body(client.POST(`${ERASURES}/{id}/approve`, { params: { path: { id } } }));
export const rejectErasure = ({ id, reason }: { id: string; reason: string }) =>
  body(client.POST(`${ERASURES}/{id}/reject`, { params: { path: { id } }, body: { reason } }));
/** Address of the report about an erasure. */
export const erasureReport = (id: string, format: 'json' | 'pdf') =>
  `${ERASURES}/${encodeURIComponent(id)}/report?format=${format}`;
