// What the pages about reports ask the service for, and what they change.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type Report = Schemas['ReportBody'];
export type ReportRun = Schemas['ReportRunBody'];
export type Template = Schemas['ReportTemplateBody'];
export type Control = Schemas['ControlBody'];
export type Question = Schemas['ControlQuestionBody'];
export type Review = Schemas['ReportReviewBody'];
export type Summary = Schemas['ReportSummaryBody'];

const REPORTS = '/api/v1/audit-logs/reports' as const;
const REPORT = '/api/v1/audit-logs/reports/{id}' as const;
const RUN = '/api/v1/audit-logs/reports/runs/{id}' as const;
const MOST = 1000;
const BUSY_MS = 1000;
const QUIET_MS = 30_000;

export const isBusy = ({ state }: Pick<ReportRun, 'state'>) =>
  state === 'queued' || state === 'running';

export const reportsQuery = queryOptions({
  queryKey: ['reports', 'list'],
  queryFn: () => body(client.GET(REPORTS, { params: { query: { limit: MOST } } })),
});

export const templatesQuery = queryOptions({
  queryKey: ['report-templates'],
  queryFn: () => body(client.GET('/api/v1/audit-logs/report-templates')),
  staleTime: Infinity,
});

export function runsQuery(kind: 'compliance' | 'custom') {
  return queryOptions({
    queryKey: ['reports', 'runs', kind],
    queryFn: () =>
      body(
        client.GET('/api/v1/audit-logs/reports/runs', { params: { query: { kind, limit: 100 } } }),
      ),
    refetchInterval: (query) => (query.state.data?.items.some(isBusy) ? BUSY_MS : QUIET_MS),
  });
}

export function runQuery(id: string) {
  return queryOptions({
    queryKey: ['reports', 'run', id],
    queryFn: () => body(client.GET(RUN, { params: { path: { id } } })),
    refetchInterval: (query) => (query.state.data && !isBusy(query.state.data) ? false : BUSY_MS),
  });
}

/** A change of reports: it is pending until everything of the page was asked for again. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => queries.invalidateQueries({ queryKey: ['reports'] }),
  });
}

const params = (id: string) => ({ params: { path: { id } } });
export const createReport = (given: Schemas['ReportCreate']) =>
  body(client.POST(REPORTS, { body: given }));
export const changeReport = ({ id, ...given }: { id: string } & Schemas['ReportPatch']) =>
  body(client.PATCH(REPORT, { ...params(id), body: given }));
export const removeReport = (id: string) => body(client.DELETE(REPORT, params(id)));
export const runReport = (id: string) => body(client.POST(`${REPORT}/run`, params(id)));
export const cancelRun = (id: string) => body(client.POST(`${RUN}/cancel`, params(id)));

/** Keeps a compliance report: the one of this name is changed to what was chosen, or a new one is added. */
export function saveFramework({ known, ...given }: Schemas['ReportCreate'] & { known?: Report }) {
  return known ? changeReport({ id: known.id, ...given }) : createReport(given);
}

/** Keeps a compliance report and runs it. */
export async function runFramework(given: Schemas['ReportCreate'] & { known?: Report }) {
  return runReport((await saveFramework(given)).id);
}

export const reviewException = ({
  run,
  ...given
}: { run: string } & Schemas['ReportReviewCreate']) =>
  body(client.POST(`${RUN}/reviews`, { ...params(run), body: given }));

export const downloadOf = (id: string, format: 'pdf' | 'csv' | 'json' | 'manifest') =>
  `/api/v1/audit-logs/reports/runs/${id}/download?format=${format}`;

/** The report that the page keeps for a framework. */
export const isOf = ({ name, framework }: Report, template: Template) =>
  framework === template.id && name === template.name;

/** The report that a user with a scope runs for a framework: the page's own, else any. */
export const runnable = (reports: Report[], template: Template) =>
  reports.find((report) => isOf(report, template)) ??
  reports.find(({ framework }) => framework === template.id);
