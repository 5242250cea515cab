// The compliance metrics of the dashboard: per framework, what its latest report found.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { SearchFilters } from '../../addresses';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];
type Run = Schemas['ReportRunBody'];
type Template = Schemas['ReportTemplateBody'];

/** How many runs are looked through for the latest of each framework. */
const RUNS = 200;
/** Exceptions that are listed of a framework, the most frequent first. */
const SHOWN = 3;

export interface Exception {
  /** Number of the control and name of the exception. */
  label: string;
  found: number;
  search: SearchFilters;
}

/** What the latest report of a framework found; no verdict, that is an auditor's. */
export interface Metrics {
  run: Run;
  controls: number;
  /** Controls by status: each control is in one of them. */
  statuses: Schemas['StatusesBody'];
  exceptions: Exception[];
}

export interface Framework {
  id: string;
  name: string;
  controls: number;
  metrics: Metrics | undefined;
}

/** The latest run of each framework that has succeeded. */
export function latest(runs: Run[]): Map<string, Run> {
  const found = new Map<string, Run>();
  for (const run of runs) {
    if (run.state !== 'succeeded' || !run.framework) continue;
    const known = found.get(run.framework);
    if (!known || known.created_at < run.created_at) found.set(run.framework, run);
  }
  return found;
}

const listed = (field: string, values: string[], spared = '') => {
  const spelled = values.map((value) =>
    /^[\w.@*-]+$/.test(value) ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`,
  );
  return values.length > 0
    ? [`${spared && '('}${field}:(${spelled.join(' OR ')})${spared && ` OR ${spared})`}`]
    : [];
};

/** The search that finds what a query of a report found: in its period, within its filters. */
export function searchOfFinding(
  query: string,
  run: Pick<Run, 'filters' | 'framework' | 'start_time' | 'end_time'>,
): SearchFilters {
  const { accounts, users, resources } = run.filters;
  // A framework's report leaves entries without an account in place.
  const spared = run.framework ? 'NOT account:*' : '';
  const parts = [
    ...listed('account', accounts ?? [], spared),
    ...listed('user', users ?? []),
    ...listed('resource.id', resources ?? [], spared),
  ];
  // A report counts the outcome of an announced change, not the announcement.
  if (!/\bstatus:/.test(query)) parts.push('NOT status:pending');
  return {
    query:
      parts.length > 0
        ? [query.trim() ? `(${query})` : '', ...parts].filter(Boolean).join(' AND ')
        : query,
    start: run.start_time,
    // A report's period leaves its end out, a search takes it in.
    end: new Date(new Date(run.end_time).getTime() - 1).toISOString(),
    reads: 'yes',
  };
}

/** The figures of a run that brought its findings. */
export function metricsOf(run: Run): Metrics | undefined {
  if (!run.summary) return undefined;
  const { controls } = run.summary;
  // Several controls share an exception: it is listed once, under the first of them.
  const exceptions = new Map<string, Exception>();
  for (const control of controls) {
    for (const { name, query, found } of control.exceptions) {
      if (found > 0 && !exceptions.has(query))
        exceptions.set(query, {
          label: `${control.number} ${name}`,
          found,
          search: searchOfFinding(query, run),
        });
    }
  }
  return {
    run,
    controls: controls.length,
    statuses: run.summary.statuses,
    exceptions: [...exceptions.values()].sort((a, b) => b.found - a.found).slice(0, SHOWN),
  };
}

async function frameworks(): Promise<Framework[]> {
  const [templates, runs] = await Promise.all([
    body(client.GET('/api/v1/audit-logs/report-templates')),
    body(
      client.GET('/api/v1/audit-logs/reports/runs', {
        params: { query: { kind: 'compliance', limit: RUNS } },
      }),
    ),
  ]);
  const newest = latest(runs.items);
  return Promise.all(
    templates.items.map(async ({ id, name, controls }: Template) => {
      const run = newest.get(id);
      // A list of runs leaves their findings out.
      const whole =
        run &&
        (await body(
          client.GET('/api/v1/audit-logs/reports/runs/{id}', { params: { path: { id: run.id } } }),
        ));
      return { id, name, controls: controls.length, metrics: whole && metricsOf(whole) };
    }),
  );
}

/** Every framework with the figures of its latest report; asked anew at each refresh. */
export function complianceQuery(at: number) {
  return queryOptions({
    queryKey: ['audit', 'compliance', at],
    queryFn: frameworks,
    placeholderData: keepPreviousData,
  });
}
