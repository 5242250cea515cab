import { Anchor, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { FlowBars } from '../../charts/FlowBars';
import { count } from '../../display/amounts';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { ports, side } from './flow-words';
import { flowsQuery, type ResourceFlow } from './queries';

const NAMES: [string, string] = ['Accepted', 'Refused'];

/** Flows of the network interfaces of a resource, by day and by peer. */
export function Flows({ id, name }: { id: string; name: string }) {
  const [days, setDays] = useState('30');
  const { data, error } = useQuery(flowsQuery(id, Number(days)));
  const bars = data?.by_day.map(({ date, accepted, refused }) => ({
    date,
    first: accepted,
    second: refused,
  }));
  return (
    <Panel
      title="Flows"
      note={data && note(data.interfaces.length, data.by_day.filter((day) => day.covered).length)}
      actions={
        <SegmentedControl
          size="xs"
          value={days}
          onChange={setDays}
          data={['7', '30', '90'].map((value) => ({ value, label: `${value} days` }))}
          aria-label="Period"
        />
      }
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={200} />}
      {data?.total === 0 && <Nothing sources={data.sources} />}
      {data && data.total > 0 && bars && (
        <Stack gap="md">
          <FlowBars label={`Flows of ${name} by day`} days={bars} names={NAMES} />
          <DataTable
            bare
            label={`Flows of ${name}`}
            columns={COLUMNS}
            rows={data.items}
            rowId={(row) =>
              `${row.direction} ${row.peer} ${row.protocol} ${row.port} ${row.action} ${row.first_at}`
            }
            pageSize={10}
            empty={<EmptyState title="No flow in this period" />}
          />
        </Stack>
      )}
    </Panel>
  );
}

function note(interfaces: number, covered: number) {
  const of = interfaces === 1 ? '1 network interface' : `${count(interfaces)} network interfaces`;
  return `${of}, ${count(covered)} days with complete records`;
}

/** Says what is missing, and how to connect it. */
function Nothing({ sources }: { sources: number }) {
  if (sources > 0)
    return (
      <Text size="sm" className="muted">
        No flow log has a record of this resource in the period. Reeve never reads that as unused:
        check that a flow log covers its network.
      </Text>
    );
  return (
    <Text size="sm" className="muted">
      The account has no flow log that Reeve knows. Create one for the VPC, to S3 or CloudWatch
      Logs, and sync the connection; the permissions it needs are in the policy of the{' '}
      <Anchor inherit renderRoot={(props) => <Link to="/estate/connections" {...props} />}>
        connection
      </Anchor>
      .
    </Text>
  );
}

const COLUMNS: Column<ResourceFlow>[] = [
  {
    id: 'peer',
    header: 'Peer',
    sortBy: (row) => row.peer,
    csv: {
      Peer: (row) => row.peer,
      Direction: (row) => row.direction,
      Protocol: (row) => row.protocol,
      Port: (row) => row.port,
    },
    cell: (row) => (
      <div>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {side(row.direction, row.peer)}
        </Text>
        <Text size="xs" className="muted">
          {ports({ protocol: row.protocol, from_port: row.port, to_port: row.port })}
        </Text>
      </div>
    ),
  },
  {
    id: 'action',
    header: 'Decision',
    sortBy: (row) => row.action,
    cell: (row) => (
      <Status
        of={row.action === 'accepted' ? 'success' : 'denied'}
        label={row.action === 'accepted' ? 'Accepted' : 'Refused'}
      />
    ),
  },
  {
    id: 'flows',
    header: 'Flows',
    align: 'right',
    sortBy: (row) => row.flows,
    cell: (row) => count(row.flows),
  },
  {
    id: 'days',
    header: 'Days',
    align: 'right',
    sortBy: (row) => row.days,
    cell: (row) => count(row.days),
  },
  {
    id: 'last',
    header: 'Last',
    sortBy: (row) => row.last_at,
    cell: (row) => <When at={row.last_at} form="ago" />,
  },
];
