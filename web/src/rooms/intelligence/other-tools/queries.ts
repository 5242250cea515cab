// Alerts of other tools and their sources: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type AlertSource = Schemas['AlertSourceBody'];
export type InboundAlert = Schemas['InboundAlertBody'];

const SOURCES = '/api/v1/intelligence/alert-sources' as const;
const ALERTS = '/api/v1/intelligence/inbound-alerts' as const;
/** Alerts that the page lists, the newest ones. */
const LISTED = 200;

export const alertSourcesQuery = queryOptions({
  queryKey: ['intelligence', 'alert-sources'],
  queryFn: () => body(client.GET(SOURCES, { params: { query: { limit: 100 } } })),
  refetchInterval: 15_000,
});

export const inboundAlertsQuery = queryOptions({
  queryKey: ['intelligence', 'inbound-alerts'],
  queryFn: () => body(client.GET(ALERTS, { params: { query: { limit: LISTED } } })),
  refetchInterval: 15_000,
});

export const addAlertSource = (given: Schemas['AlertSourceCreate']) =>
  body(client.POST(SOURCES, { body: given }));

export const changeAlertSource = ({ id, ...given }: { id: string } & Schemas['AlertSourcePatch']) =>
  body(client.PATCH(`${SOURCES}/{id}`, { params: { path: { id } }, body: given }));

export const removeAlertSource = (id: string) =>
  body(client.DELETE(`${SOURCES}/{id}`, { params: { path: { id } } }));

export const rotateAlertToken = (id: string) =>
  body(client.POST(`${SOURCES}/{id}/rotate-token`, { params: { path: { id } } }));

export const closeAlert = ({ id, ...given }: { id: string } & Schemas['InboundAlertClose']) =>
  body(client.POST(`${ALERTS}/{id}/close`, { params: { path: { id } }, body: given }));
