// Names and units of metrics, from the service's tables: no page has a list of its own.
import type { components } from '../api/schema';

type Schemas = components['schemas'];

export type PredictiveMetric = Schemas['PredictiveMetricBody'];

let metrics = new Map<string, Schemas['MetricBody']>();
let predictive = new Map<string, PredictiveMetric>();

/** Shows metrics by these tables from now on. */
export function showMetrics(tables: Schemas['MetricTablesBody']) {
  metrics = new Map(tables.metrics.map((row) => [row.metric, row]));
  predictive = new Map(tables.predictive.map((row) => [row.metric, row]));
}

/** The name of a metric for people; nothing for any other name. */
export function metricLabel(name: string): string | undefined {
  return metrics.get(name)?.label;
}

/** The unit of a metric; what only counts has none. */
export function unitOf(metric: string | null | undefined): string {
  return metrics.get(metric ?? '')?.unit ?? 'count';
}

/** Every metric, in the service's order. */
export function metricNames(): string[] {
  return [...metrics.keys()];
}

/** What a predictive rule may watch, in the service's order. */
export function predictiveMetrics(): PredictiveMetric[] {
  return [...predictive.values()];
}

export function predictiveMetric(name: string | null | undefined): PredictiveMetric | undefined {
  return predictive.get(name ?? '');
}
