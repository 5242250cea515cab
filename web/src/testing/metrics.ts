// Rows of the service's tables of metrics, as tests need them.
import type { components } from '../api/schema';

type Schemas = components['schemas'];

const NAMES: [Schemas['Metric'], string, Schemas['Unit']][] = [
  ['cpu_utilization', 'CPU', 'percent'],
  ['memory_utilization', 'Memory', 'percent'],
  ['disk_utilization', 'Disk space in use', 'percent'],
  ['network_in', 'Network in', 'bytes_per_second'],
  ['network_out', 'Network out', 'bytes_per_second'],
  ['database_connections', 'Database connections', 'count'],
  ['free_storage', 'Free storage', 'bytes'],
  ['request_rate', 'Requests', 'per_second'],
  ['response_time', 'Response time', 'seconds'],
  ['cpu_credit_balance', 'CPU credits', 'count'],
];

const PREDICTIVE: [Schemas['PredictionMetric'], string, Schemas['Unit'], Schemas['Metric']][] = [
  ['disk_space', 'Disk space', 'bytes', 'free_storage'],
  ['database_connections', 'Database connections', 'count', 'database_connections'],
  ['api_rate_limit', 'Limit on calls', 'per_second', 'request_rate'],
  ['request_rate', 'Requests', 'per_second', 'request_rate'],
  ['cpu_utilization', 'CPU', 'percent', 'cpu_utilization'],
];

export const METRIC_TABLES: Schemas['MetricTablesBody'] = {
  metrics: NAMES.map(([metric, label, unit]) => ({
    metric,
    label,
    unit,
    is_plural: false,
    resource_types: [],
  })),
  predictive: PREDICTIVE.map(([metric, label, unit, samples]) => ({
    metric,
    label,
    unit,
    samples,
    exceptions:
      metric === 'disk_space'
        ? [{ resource_type: 'virtual_machine', samples: 'disk_utilization' }]
        : [],
    worse: 'rising',
  })),
};
