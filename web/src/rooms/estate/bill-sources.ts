// Bill sources: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

export const billSourcesQuery = queryOptions({
  queryKey: ['estate', 'bill-sources'],
  queryFn: () => body(client.GET('/api/v1/bills/sources', { params: { query: { limit: 100 } } })),
  refetchInterval: 15_000,
});

export const addBillSource = (given: Schemas['BillSourceCreate']) =>
  body(client.POST('/api/v1/bills/sources', { body: given }));

export const changeBillSource = ({ id, ...given }: { id: string } & Schemas['BillSourcePatch']) =>
  body(client.PATCH('/api/v1/bills/sources/{id}', { params: { path: { id } }, body: given }));

export const removeBillSource = (id: string) =>
  body(client.DELETE('/api/v1/bills/sources/{id}', { params: { path: { id } } }));

export const syncBillSource = (id: string) =>
  body(client.POST('/api/v1/bills/sources/{id}/sync', { params: { path: { id } } }));
