import { Alert, Anchor } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { SearchFilters } from '../../addresses';
import type { Entry } from '../../api/bodies';
import { plural } from '../../display/amounts';
import { When } from '../../display/When';
import { entriesQuery } from './queries';

const CHANGED = 'event_type:state.digest AND severity:critical AND submitted_by.type:reeve';

/** Warns of rows of the state store that were changed without an entry, as the newest critical digest lists them; nothing if there is none. */
export function StateDigest({ period }: { period: SearchFilters }) {
  const digests = useQuery(entriesQuery({ ...period, start: undefined, query: CHANGED }, 1));
  const last = digests.data?.items[0];
  if (!last) return null;
  const { total, tables } = unexplained(last);
  return (
    <Alert color="red" variant="light" role="status" icon={<IconAlertTriangle size={18} />}>
      {plural(total, 'row', 'rows')} of the state store changed without an entry (
      {tables.join(', ')}), found <When at={last.timestamp} form="ago" inherit />.{' '}
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link
            to="/audit/search"
            search={{ ...(period.end ? { end: period.end } : {}), query: CHANGED }}
            {...props}
          />
        )}
      >
        Show the digests
      </Anchor>
    </Alert>
  );
}

/** The rows as the entry of a digest tells them: their number, and the tables that they are in. */
export function unexplained({ metadata }: Pick<Entry, 'metadata'>): {
  total: number;
  tables: string[];
} {
  const { unexplained: rows, unexplained_total: total } = (metadata ?? {}) as {
    unexplained?: { table?: string }[];
    unexplained_total?: number;
  };
  const tables = [...new Set((rows ?? []).flatMap((row) => (row.table ? [row.table] : [])))].sort();
  return { total: total ?? rows?.length ?? 0, tables };
}
