// What the page about exports asks the service for, and what it changes.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type Export = Schemas['ExportBody'];
export type ExportRequest = Schemas['ExportRequest'];
export type Destination = Schemas['ExportDestinationBody'];
export type Settings = Schemas['ExportDestinationSettingsBody'];
export type Schedule = Schemas['ExportScheduleBody'];

const EXPORT = '/api/v1/audit-logs/export' as const;
const SCHEDULE = '/api/v1/audit-logs/export-schedules' as const;
const DESTINATION = '/api/v1/audit-logs/export-destinations' as const;
const MOST = 200;

export const isUnderWay = ({ status }: Pick<Export, 'status'>) =>
  status === 'queued' || status === 'running';

export const exportsQuery = queryOptions({
  queryKey: ['exports', 'jobs'],
  queryFn: () => body(client.GET(EXPORT, { params: { query: { limit: MOST } } })),
  refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) ? 1_000 : 30_000),
});

export const schedulesQuery = queryOptions({
  queryKey: ['exports', 'schedules'],
  queryFn: () => body(client.GET(SCHEDULE, { params: { query: { limit: MOST } } })),
});

export const destinationsQuery = queryOptions({
  queryKey: ['exports', 'destinations'],
  queryFn: () => body(client.GET(DESTINATION, { params: { query: { limit: MOST } } })),
});

export function estimateQuery(asked: ExportRequest) {
  return queryOptions({
    queryKey: ['export-estimate', asked],
    queryFn: () => body(client.POST(`${EXPORT}/estimate`, { body: asked })),
    retry: false,
    staleTime: 30_000,
  });
}

/** A change of exports: everything of the page is asked for again. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => queries.invalidateQueries({ queryKey: ['exports'] }),
  });
}

const params = (id: string) => ({ params: { path: { id } } });
export const requestExport = (given: ExportRequest) => body(client.POST(EXPORT, { body: given }));
export const cancelExport = (id: string) => body(client.POST(`${EXPORT}/{id}/cancel`, params(id)));
export const createSchedule = (given: Schemas['ExportScheduleCreate']) =>
  body(client.POST(SCHEDULE, { body: given }));
export const removeSchedule = (id: string) => body(client.DELETE(`${SCHEDULE}/{id}`, params(id)));
export const createDestination = (given: Schemas['ExportDestinationCreate']) =>
  body(client.POST(DESTINATION, { body: given }));
export const removeDestination = (id: string) =>
  body(client.DELETE(`${DESTINATION}/{id}`, params(id)));
export const testDestination = (id: string) =>
  body(client.POST(`${DESTINATION}/{id}/test`, params(id)));
export const downloadAddress = (id: string, file: string) =>
  `/api/v1/audit-logs/export/${encodeURIComponent(id)}/download?file=${encodeURIComponent(file)}`;
