// What the pages about webhooks and notification channels ask the service for, and what they change.
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { body, client } from '../../api/client';
import type { components } from '../../api/schema';

type Schemas = components['schemas'];

const MOST = 1000;
/** Deliveries that are shown; older ones are in the interface for thirty days. */
export const DELIVERIES = 200;
const HOOK = '/api/v1/intelligence/webhooks/{id}' as const;
const CHANNEL = '/api/v1/intelligence/notification-channels/{id}' as const;

export type Target = { kind: 'webhook' | 'channel'; id: string };

export const webhooksQuery = queryOptions({
  queryKey: ['outbound', 'webhooks'],
  queryFn: () =>
    body(client.GET('/api/v1/intelligence/webhooks', { params: { query: { limit: MOST } } })),
});

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['outbound', 'webhook', id],
    queryFn: () => body(client.GET(HOOK, { params: { path: { id } } })),
  });
}

export const channelsQuery = queryOptions({
  queryKey: ['outbound', 'channels'],
  queryFn: () =>
    body(
      client.GET('/api/v1/intelligence/notification-channels', {
        params: { query: { limit: MOST } },
      }),
    ),
});

export function channelQuery(id: string) {
  return queryOptions({
    queryKey: ['outbound', 'channel', id],
    queryFn: () => body(client.GET(CHANNEL, { params: { path: { id } } })),
  });
}

export function deliveriesQuery({ kind, id }: Target) {
  const params = { params: { path: { id }, query: { limit: DELIVERIES } } };
  return queryOptions({
    queryKey: ['outbound', kind, id, 'deliveries'],
    queryFn: () =>
      body(
        kind === 'webhook'
          ? client.GET(`${HOOK}/deliveries`, params)
          : client.GET(`${CHANNEL}/deliveries`, params),
      ),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'pending') ? 3000 : 15_000,
  });
}

/** A change of where something is told: everything of the room is asked for again. */
export function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: ['outbound'] }),
  });
}

export const createWebhook = (given: Schemas['WebhookCreate']) =>
  body(client.POST('/api/v1/intelligence/webhooks', { body: given }));
export const changeWebhook = ({ id, ...given }: { id: string } & Schemas['WebhookPatch']) =>
  body(client.PATCH(HOOK, { params: { path: { id } }, body: given }));
export const removeWebhook = (id: string) =>
  body(client.DELETE(HOOK, { params: { path: { id } } }));
export const rotateSecret = (id: string) =>
  body(client.POST(`${HOOK}/rotate-secret`, { params: { path: { id } } }));

export const createChannel = (given: Schemas['ChannelCreate']) =>
  body(client.POST('/api/v1/intelligence/notification-channels', { body: given }));
export const changeChannel = ({ id, ...given }: { id: string } & Schemas['ChannelPatch']) =>
  body(client.PATCH(CHANNEL, { params: { path: { id } }, body: given }));
export const removeChannel = (id: string) =>
  body(client.DELETE(CHANNEL, { params: { path: { id } } }));

export const sendTest = ({ kind, id }: Target) =>
  body(
    kind === 'webhook'
      ? client.POST(`${HOOK}/test`, { params: { path: { id } } })
      : client.POST(`${CHANNEL}/test`, { params: { path: { id } } }),
  );

export const replay = ({ kind, id, delivery }: Target & { delivery: string }) => {
  const params = { params: { path: { id, delivery } } };
  return body(
    kind === 'webhook'
      ? client.POST(`${HOOK}/deliveries/{delivery}/replay`, params)
      : client.POST(`${CHANNEL}/deliveries/{delivery}/replay`, params),
  );
};
