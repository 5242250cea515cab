// The proof of an entry as the service serves it, and what the browser makes of it.
import { queryOptions } from '@tanstack/react-query';
import type { Entry } from '../../../api/bodies';
import { body, client } from '../../../api/client';
import { verifyEntry, type Verification } from './verify';

interface Verified extends Verification {
  /** The proof file, as it was verified. */
  file: string;
  /** The key of the log that is in charge. */
  publicKey: string;
}

/** The key of the log that is in charge. */
export const keyQuery = queryOptions({
  queryKey: ['audit', 'key'],
  queryFn: async () =>
    (await body(client.GET('/api/v1/audit-logs/keys'))).keys.at(-1)?.public_key ?? '',
});

/** File name of an entry's proof; safe in any shell and on any disk. */
export function proofName(eventId: string): string {
  return `${eventId.replace(/[^\w.-]/g, '_')}.tlog-proof`;
}

export function proofQuery(entry: Entry) {
  return queryOptions({
    queryKey: ['audit', 'proof', entry.event_id],
    queryFn: async (): Promise<Verified> => {
      const [file, { keys }] = await Promise.all([
        body(
          client.GET('/api/v1/audit-logs/entry/proof', {
            params: { query: { event_id: entry.event_id } },
            parseAs: 'text',
          }),
        ),
        body(client.GET('/api/v1/audit-logs/keys')),
      ]);
      const verification = await verifyEntry(entry, file as string, keys);
      return {
        ...verification,
        file: file as string,
        publicKey: keys[keys.length - 1]?.public_key ?? '',
      };
    },
    staleTime: Infinity,
  });
}
