// The types of notification channels: the service's table, which no page repeats.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { body, client } from './client';
import type { components } from './schema';

type Schemas = components['schemas'];

export type ChannelType = Schemas['ChannelTypeBody'];
export type ChannelField = Schemas['ChannelFieldBody'];

const channelTypesQuery = queryOptions({
  queryKey: ['channel-types'],
  queryFn: () => body(client.GET('/api/v1/intelligence/notification-channel-types')),
  staleTime: Infinity,
});

const NONE: ChannelType[] = [];

/** The types of channels, in the service's order; none until they arrive. */
export function useChannelTypes(): ChannelType[] {
  return useQuery(channelTypesQuery).data?.items ?? NONE;
}

/** Names by which a rule, a report or a budget reaches every channel of a type. */
export function useChannelNames(): string[] {
  return useChannelTypes().map(({ type }) => type);
}

/** The name of a type as a page shows it. */
export function labelOf(types: ChannelType[], type: string): string {
  return types.find((one) => one.type === type)?.label ?? type;
}
