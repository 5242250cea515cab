// Price tables: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../api/client';

export const pricesQuery = queryOptions({
  queryKey: ['estate', 'prices'],
  queryFn: () => body(client.GET('/api/v1/prices', { params: { query: { limit: 100 } } })),
});

/** Sends a file as it is: what is compressed stays so. */
export const importPrices = (file: File) =>
  body(
    client.POST('/api/v1/prices', {
      body: file as unknown as string,
      bodySerializer: (given: unknown) => given as BodyInit,
      headers: { 'content-type': 'application/octet-stream' },
    }),
  );

export const removePrices = ({ provider, kind }: { provider: string; kind: string }) =>
  body(client.DELETE('/api/v1/prices/{provider}/{kind}', { params: { path: { provider, kind } } }));
