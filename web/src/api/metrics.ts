// The service's tables of metrics, which come before the first page.
import { queryOptions } from '@tanstack/react-query';
import { showMetrics } from '../display/metric-names';
import { body, client } from './client';

export const metricsQuery = queryOptions({
  queryKey: ['metrics'],
  queryFn: async () => {
    const tables = await body(client.GET('/api/v1/metrics'));
    showMetrics(tables);
    return tables;
  },
  staleTime: Infinity,
});
