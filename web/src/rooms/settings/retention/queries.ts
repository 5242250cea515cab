// Retention of the log and legal holds: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type Retention = Schemas['RetentionBody'];
export type Policy = Schemas['RetentionPolicyBody'];
export type Course = Schemas['PolicyCourseBody'];
export type LegalHold = Schemas['LegalHoldBody'];

const PATH = '/api/v1/audit-logs/retention' as const;
const HOLDS = '/api/v1/audit-logs/holds' as const;

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

export const savePolicies = (given: Schemas['RetentionPut']) =>
  body(client.PUT(PATH, { body: given }));
export const runRetention = () => body(client.POST(`${PATH}/run`));
export const placeHold = (given: Schemas['LegalHoldCreate']) =>
  body(client.POST(HOLDS, { body: given }));
export const releaseHold = ({ id, reason }: { id: string; reason: string }) =>
  body(client.POST(`${HOLDS}/{id}/release`, { params: { path: { id } }, body: { reason } }));
