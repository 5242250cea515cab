// What the page of threat lists asks the service for, and what it changes.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';
import { MOST } from '../queries';

const LISTS = '/api/v1/intelligence/threat-lists' as const;

export const threatListsQuery = queryOptions({
  queryKey: ['intelligence', 'threat-lists'],
  queryFn: () => body(client.GET(LISTS, { params: { query: { limit: MOST } } })),
  refetchInterval: 30_000,
});

export const readThreatList = (name: string) =>
  body(client.GET(`${LISTS}/{name}`, { params: { path: { name } } }));

/** With its text, which may have megabytes: not kept once its page is left. */
export function threatListQuery(name: string) {
  return queryOptions({
    queryKey: ['intelligence', 'threat-list', name],
    queryFn: () => readThreatList(name),
    gcTime: 0,
  });
}

export const putThreatList = ({ name, indicators }: { name: string; indicators: string }) =>
  body(client.PUT(`${LISTS}/{name}`, { params: { path: { name } }, body: { indicators } }));

export const removeThreatList = (name: string) =>
  body(client.DELETE(`${LISTS}/{name}`, { params: { path: { name } } }));

export const putFeed = ({
  name,
  ...feed
}: { name: string } & components['schemas']['ThreatFeedPut']) =>
  body(client.PUT(`${LISTS}/{name}/feed`, { params: { path: { name } }, body: feed }));

export const removeFeed = (name: string) =>
  body(client.DELETE(`${LISTS}/{name}/feed`, { params: { path: { name } } }));

export const refreshFeed = (name: string) =>
  body(client.POST(`${LISTS}/{name}/feed/refresh`, { params: { path: { name } } }));

/** The bundle goes over as the file has it. */
export const importStix = async ({ name, file }: { name: string; file: File }) => {
  const text = await file.text();
  return body(
    client.PUT(`${LISTS}/{name}/stix`, {
      params: { path: { name } },
      body: {},
      bodySerializer: () => text,
    }),
  );
};

/** Address of a list as a bundle, for a link. */
export const stixAddress = (name: string) => `${LISTS}/${encodeURIComponent(name)}/stix`;
