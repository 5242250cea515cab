import { Group, Text } from '@mantine/core';
import type { Entry } from '../../api/bodies';
import type { Column } from '../../display/DataTable';
import { EntryLink } from '../../display/EntryLink';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { valueAt } from './column-choice';
import { ActorName, ResourceName } from './Names';
import { doneInWords } from './operations';
import { resourceOf, submitterName, submitterOf } from './naming';

/** What the source says in one line, else the operation. */
function subtitle({ metadata, action }: Entry): string | undefined {
  if (typeof metadata?.title === 'string') return metadata.title;
  return action?.operation ? doneInWords(action.operation, action.status) : undefined;
}

const time: Column<Entry> = {
  id: 'time',
  header: 'Time',
  width: 150,
  cell: (row) => <When at={row.timestamp} />,
};
const event: Column<Entry> = {
  id: 'event',
  header: 'Event',
  lead: true,
  csv: {
    'Event identifier': (row) => row.event_id,
    'Event type': (row) => row.event_type,
    Operation: (row) => row.action?.operation,
  },
  cell: (row) => (
    <div style={{ maxWidth: 216 }}>
      <EntryLink id={row.event_id} fw={550} c="inherit">
        {row.event_type}
      </EntryLink>
      {subtitle(row) && (
        <Text size="xs" className="muted" truncate title={subtitle(row)}>
          {subtitle(row)}
        </Text>
      )}
    </div>
  ),
};
const actor: Column<Entry> = {
  id: 'actor',
  header: 'Actor',
  csv: {
    Actor: (row) => row.actor?.email ?? row.actor?.id,
    'Actor type': (row) => row.actor?.type,
    'IP address': (row) => row.actor?.ip_address,
    Submitter: submitterName,
  },
  cell: (row) => (
    <div style={{ maxWidth: 172 }}>
      <Text size="sm" truncate>
        <ActorName of={row} />
      </Text>
      {row.actor?.ip_address && (
        <Text size="xs" className="muted numeral">
          {row.actor.ip_address}
        </Text>
      )}
      <Text size="xs" className="muted" truncate title={submitterOf(row)}>
        {submitterName(row)}
      </Text>
    </div>
  ),
};
const resource: Column<Entry> = {
  id: 'resource',
  header: 'Resource',
  csv: {
    'Resource identifier': (row) => row.resource?.id,
    'Resource type': (row) => row.resource?.type,
    Region: (row) => row.resource?.region,
  },
  cell: (row) =>
    resourceOf(row) && (
      <div style={{ maxWidth: 172 }}>
        <Text size="sm" truncate>
          <ResourceName of={row} />
        </Text>
        {row.resource?.id && row.resource.type && (
          <Text size="xs" className="muted" truncate>
            {words(row.resource.type)}
            {row.resource.region ? ` · ${row.resource.region}` : ''}
          </Text>
        )}
      </div>
    ),
};
const status: Column<Entry> = {
  id: 'status',
  header: 'Status',
  cell: (row) => row.action?.status && <Status of={row.action.status} />,
};
const outcome: Column<Entry> = {
  id: 'outcome',
  header: 'Outcome',
  csv: { Status: (row) => row.action?.status, Severity: (row) => row.severity },
  cell: (row) => (
    <Group gap={6} wrap="wrap" maw={150}>
      {row.action?.status && <Status of={row.action.status} />}
      {row.severity !== 'info' && <Status of={row.severity} variant="dot" />}
    </Group>
  ),
};

/** Columns with a form of their own, by the field that stands for them. */
const KNOWN: Record<string, Column<Entry>> = {
  timestamp: time,
  event_type: event,
  status: outcome,
  user: actor,
  'resource.id': resource,
};

/** The columns of these fields; a click on a heading sorts all entries, where the service can. */
export function columnsOf(names: string[], sortable: ReadonlySet<string>): Column<Entry>[] {
  return names.map((name) => {
    const order = sortable.has(name) ? name : undefined;
    const plain: Column<Entry> = {
      id: name,
      header: name,
      csv: { [name]: (row) => valueAt(row, name) },
      cell: (row) => (
        <Text size="sm" truncate maw={220} title={valueAt(row, name)}>
          {name.endsWith('_at') ? <When at={valueAt(row, name) ?? ''} /> : valueAt(row, name)}
        </Text>
      ),
    };
    return { ...(KNOWN[name] ?? plain), id: name, order };
  });
}

export const RECENT_COLUMNS = [time, event, status, actor, resource];
export const SEARCH_COLUMNS = [time, event, outcome, actor, resource];
