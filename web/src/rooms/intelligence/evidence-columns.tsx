// Columns of tables about resources that were judged, each with the entry of the log that proves it.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../display/DataTable';
import { EntryLink } from '../../display/EntryLink';
import { When } from '../../display/When';
import { words } from '../../display/wording';

interface Judged {
  resource_id: string;
  resource_name: string;
  kind: string;
  account: string;
  region?: string;
  since: string;
  event_id: string;
}

/** The resource by its name, which leads to its page where the reader may see that. */
export function resourceColumn<Row extends Judged>(
  linked: boolean,
  header = 'Resource',
): Column<Row> {
  return {
    id: 'resource',
    header,
    sortBy: (row) => row.resource_name,
    csv: {
      [header]: (row) => row.resource_name,
      'Resource identifier': (row) => row.resource_id,
      Kind: (row) => row.kind,
      Account: (row) => row.account,
      Region: (row) => row.region,
    },
    cell: (row) => (
      <div style={{ minWidth: 150, maxWidth: 320 }}>
        <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
          {linked ? (
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/estate/resources/$id" params={{ id: row.resource_id }} {...props} />
              )}
            >
              {row.resource_name}
            </Anchor>
          ) : (
            row.resource_name
          )}
        </Text>
        <Text size="xs" className="muted">
          {[words(row.kind), row.account, row.region].filter(Boolean).join(' · ')}
        </Text>
      </div>
    ),
  };
}

/** The time since when it is so, and the entry that recorded it. */
export function proofColumns<Row extends Judged>(): Column<Row>[] {
  return [
    {
      id: 'since',
      header: 'Since',
      sortBy: (row) => row.since,
      cell: (row) => <When at={row.since} />,
    },
    {
      id: 'entry',
      header: 'Evidence',
      csv: { 'Entry identifier': (row) => row.event_id },
      minor: true,
      cell: (row) => <EntryLink id={row.event_id} />,
    },
  ];
}
