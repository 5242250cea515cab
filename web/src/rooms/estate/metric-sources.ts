// Metric sources: what is asked for, what is changed, and the rules as the form edits them.
import { queryOptions } from '@tanstack/react-query';
import type { MappingRule } from '../../api/bodies';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export const metricSourcesQuery = queryOptions({
  queryKey: ['estate', 'metric-sources'],
  queryFn: () => body(client.GET('/api/v1/metrics/sources', { params: { query: { limit: 100 } } })),
  refetchInterval: 15_000,
});

export const mappingsQuery = queryOptions({
  queryKey: ['estate', 'metric-mappings'],
  queryFn: () => body(client.GET('/api/v1/metrics/mappings')),
  staleTime: Infinity,
});

export const addMetricSource = (given: Schemas['MetricSourceCreate']) =>
  body(client.POST('/api/v1/metrics/sources', { body: given }));

export const changeMetricSource = ({
  id,
  ...given
}: { id: string } & Schemas['MetricSourcePatch']) =>
  body(client.PATCH('/api/v1/metrics/sources/{id}', { params: { path: { id } }, body: given }));

export const removeMetricSource = (id: string) =>
  body(client.DELETE('/api/v1/metrics/sources/{id}', { params: { path: { id } } }));

export const rotateMetricToken = (id: string) =>
  body(client.POST('/api/v1/metrics/sources/{id}/rotate-token', { params: { path: { id } } }));

export const syncMetricSource = (id: string) =>
  body(client.POST('/api/v1/metrics/sources/{id}/sync', { params: { path: { id } } }));

export const previewMetricSource = ({ id, rules }: { id: string; rules?: MappingRule[] }) =>
  body(
    client.POST('/api/v1/metrics/sources/{id}/preview', {
      params: { path: { id } },
      body: { rules },
    }),
  );

/** A rule with every field, as inputs need it. */
export function editable(rule: Partial<MappingRule> = {}) {
  return {
    metric: rule.metric ?? 'memory_utilization',
    kind: rule.kind ?? '',
    series: rule.series ?? '',
    divide_by: rule.divide_by ?? '',
    reading: rule.reading ?? 'gauge',
    scale: rule.scale ?? 1,
    offset: rule.offset ?? 0,
    combine: rule.combine ?? 'mean',
    label: rule.label ?? 'instance',
    locate_by: rule.locate_by ?? 'private_ip',
    tag: rule.tag ?? '',
  };
}

export type EditableRule = ReturnType<typeof editable>;

/** The rule as the service takes it: what is empty is left out. */
export function ruleOf({ kind, divide_by, tag, ...rule }: EditableRule): MappingRule {
  return {
    ...rule,
    kind: kind || undefined,
    divide_by: divide_by || undefined,
    tag: rule.locate_by === 'tag' ? tag : undefined,
  };
}

/** The section of prometheus.yml that pushes to Reeve. */
export function remoteWrite(url: string, token: string): string {
  return `remote_write:\n  - url: ${url}\n    authorization:\n      credentials: ${token}\n`;
}
