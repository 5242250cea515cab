import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FlowBars } from '../../charts/FlowBars';
import { count } from '../../display/amounts';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { ports, side } from '../estate/flow-words';
import { groupRulesQuery, type CutFlow, type GroupRule, type GroupRules } from './queries';

const NAMES: [string, string] = ['Kept', 'Would be cut'];

const REASONS: Record<GroupRule['reason'], string> = {
  seen: 'Seen in the window',
  recurring: 'Comes at longer intervals',
  public: 'Serves many on the internet',
  unread: 'Stays: its peers are not read',
};

const CUT_REASONS: Record<string, string> = {
  scan: 'Scan: no conversation',
  admin_port: 'Few days on a port of administration',
  not_seen_lately: 'Not seen in the window',
};

/** The rules that the traffic of a security group needs, and the flows that others permit. */
export function LeastRules({ resource }: { resource: string }) {
  const { data, error } = useQuery(groupRulesQuery(resource));
  if (error) return <ProblemAlert error={error} />;
  const found = data?.items[0];
  return found ? <Shown of={found} /> : null;
}

function Shown({ of: group }: { of: GroupRules }) {
  const bars = group.days.map(({ date, kept, cut }) => ({ date, first: kept, second: cut }));
  const least = group.interfaces[0];
  return (
    <Panel
      title="Rules by traffic"
      note={`${group.window_days} days of flow logs of ${count(group.interfaces_total)} network interfaces${
        least ? `; at least ${least.covered_days} days are complete for each` : ''
      }`}
    >
      <Stack gap="md">
        {group.obstacles.length > 0 && (
          <Alert color="gray" title="Reeve does not exchange this group">
            {group.obstacles.map((reason) => (
              <Text size="sm" key={reason}>
                {reason}
              </Text>
            ))}
          </Alert>
        )}
        <FlowBars
          label={`Flows of ${group.resource_name} by day, kept and cut`}
          days={bars}
          names={NAMES}
        />
        <DataTable
          bare
          label="Rules to keep"
          columns={RULES}
          rows={group.rules}
          rowId={ruleId}
          pageSize={10}
          empty={<EmptyState title="None" />}
        />
        <Text size="sm" fw={550}>
          Present rules
        </Text>
        <DataTable
          bare
          label="Present rules"
          columns={RULES.filter(({ id }) => id !== 'reason')}
          rows={group.present}
          rowId={ruleId}
          pageSize={10}
          empty={<EmptyState title="None" />}
        />
        <Text size="sm" fw={550}>
          {group.cut_total === 0
            ? 'No flow would be cut'
            : `Flows that would be cut (${count(group.cut_total)})`}
        </Text>
        {group.cut_total > 0 && (
          <DataTable
            bare
            label="Flows that would be cut"
            columns={CUT}
            rows={group.cut}
            rowId={(row) =>
              `${row.direction} ${row.peer} ${row.protocol} ${row.port} ${row.last_at}`
            }
            pageSize={5}
            empty={<EmptyState title="None" />}
          />
        )}
      </Stack>
    </Panel>
  );
}

const ruleId = (row: GroupRule) =>
  `${row.direction} ${row.protocol} ${row.from_port} ${row.to_port} ${row.peer}`;

const RULES: Column<GroupRule>[] = [
  {
    id: 'rule',
    header: 'Rule',
    cell: (row) => (
      <div>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {ports(row)}
        </Text>
        <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
          {side(row.direction, row.peer)}
        </Text>
      </div>
    ),
  },
  { id: 'reason', header: 'Why', cell: (row) => REASONS[row.reason] },
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
    cell: (row) => (row.last_at ? <When at={row.last_at} /> : 'Never'),
  },
];

const CUT: Column<CutFlow>[] = [
  {
    id: 'flow',
    header: 'Flow',
    cell: (row) => (
      <div>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {ports({ protocol: row.protocol, from_port: row.port, to_port: row.port })}
        </Text>
        <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
          {side(row.direction, row.peer)}
        </Text>
      </div>
    ),
  },
  { id: 'reason', header: 'Why', cell: (row) => CUT_REASONS[row.reason] ?? words(row.reason) },
  {
    id: 'flows',
    header: 'Flows',
    align: 'right',
    sortBy: (row) => row.flows,
    cell: (row) => count(row.flows),
  },
  { id: 'last', header: 'Last', cell: (row) => <When at={row.last_at} /> },
];
