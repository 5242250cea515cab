// What the room asks the service for.
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from '../../api/schema';
import { body, client } from '../../api/client';
import type { SpendingParams } from './spending-search';

export type Spending = components['schemas']['SpendingBody'];
export type SpendingGroup = components['schemas']['SpendingGroupBody'];

export const spendingQuery = (query: SpendingParams) =>
  queryOptions({
    queryKey: ['spending', query],
    queryFn: () => body(client.GET('/api/v1/costs/spending', { params: { query } })),
    placeholderData: keepPreviousData,
  });
