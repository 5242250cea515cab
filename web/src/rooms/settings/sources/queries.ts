// Sources of entries: what is asked for, and what is changed.
import { queryOptions } from '@tanstack/react-query';
import { body, client } from '../../../api/client';
import type { components } from '../../../api/schema';

type Schemas = components['schemas'];
export type LogSource = Schemas['LogSourceBody'];
export type LogSourceKind = LogSource['kind'];
export type Mapping = Schemas['MappingBody'];
export type PreviewedEvent = Schemas['PreviewedEventBody'];

const SOURCES = '/api/v1/audit-logs/sources' as const;
const SOURCE = `${SOURCES}/{id}` as const;
/** Events in quarantine that the page lists, the oldest ones. */
const LISTED = 100;

export const sourcesQuery = queryOptions({
  queryKey: ['settings', 'log-sources'],
  queryFn: () => body(client.GET(SOURCES, { params: { query: { limit: 100 } } })),
  refetchInterval: 15_000,
});

export const quarantineQuery = (id: string) =>
  queryOptions({
    queryKey: ['settings', 'log-sources', id, 'quarantine'],
    queryFn: () =>
      body(
        client.GET(`${SOURCE}/quarantine`, {
          params: { path: { id }, query: { limit: LISTED } },
        }),
      ),
  });

export const addSource = (given: Schemas['LogSourceCreate']) =>
  body(client.POST(SOURCES, { body: given }));

export const changeSource = ({ id, ...given }: { id: string } & Schemas['LogSourcePatch']) =>
  body(client.PATCH(SOURCE, { params: { path: { id } }, body: given }));

export const removeSource = (id: string) =>
  body(client.DELETE(SOURCE, { params: { path: { id } } }));

export const rotateToken = (id: string) =>
  body(client.POST(`${SOURCE}/rotate-token`, { params: { path: { id } } }));

export const previewSample = (given: Schemas['SourcePreviewInput']) =>
  body(client.POST(`${SOURCES}/preview`, { body: given }));

interface Kept {
  id: string;
  event: string;
}

export const retryEvent = ({ id, event }: Kept) =>
  body(client.POST(`${SOURCE}/quarantine/{event}/retry`, { params: { path: { id, event } } }));

export const dropEvent = ({ id, event }: Kept) =>
  body(client.DELETE(`${SOURCE}/quarantine/{event}`, { params: { path: { id, event } } }));
