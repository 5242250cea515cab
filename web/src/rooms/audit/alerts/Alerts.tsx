import { Anchor, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconBellRinging, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { FiringDialog, groupInWords } from './FiringDialog';
import {
  enableReady,
  firingsQuery,
  isSilenced,
  readyQuery,
  rulesQuery,
  useChange,
  type AlertRule,
  type Firing,
  type ReadyRule,
} from './queries';
import { AttackLinks, Degraded, thresholdInWords } from './ruleFacts';

const RuleDialog = lazyComponent(() => import('./RuleDialog'), 'RuleDialog');
const RuleForm = lazyComponent(() => import('./RuleForm'), 'RuleForm');

const route = getRouteApi('/app/audit/alerts');

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'acknowledged', label: 'Acknowledged' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
];

/** Says how many of a list are shown, where not all are. */
const cutInWords = (list?: { items: unknown[]; total: number }) =>
  list && list.total > list.items.length
    ? `The first ${count(list.items.length)} of ${count(list.total)}`
    : undefined;

/** Alert rules and their firings. */
export function Alerts() {
  const allows = useMay();
  const may = allows('audit.alerts');
  const [editing, setEditing] = useState<AlertRule | 'new'>();
  const [opened, setOpened] = useState<string>();
  return (
    <Stack gap="lg">
      <Firings may={allows('audit.triage')} />
      <Rules
        onOpen={(rule) => setOpened(rule.id)}
        add={
          may ? (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
              Add rule
            </Button>
          ) : undefined
        }
      />
      <Ready may={may} />
      {opened && (
        <RuleDialog
          id={opened}
          may={may}
          onChange={(rule) => {
            setOpened(undefined);
            setEditing(rule);
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
      {editing && (
        <RuleForm
          rule={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Stack>
  );
}

const FIRING_COLUMNS: Column<Firing>[] = [
  {
    id: 'detected',
    header: 'Detected',
    sortBy: (row) => row.detected_at,
    cell: (row) => <When at={row.detected_at} form="ago" />,
  },
  {
    id: 'rule',
    header: 'Alert',
    lead: true,
    sortBy: (row) => row.rule_name,
    csv: { Alert: (row) => row.rule_name, Group: groupInWords },
    cell: (row) => (
      <>
        <Text size="sm" fw={550}>
          {row.rule_name}
        </Text>
        <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
          {groupInWords(row)}
        </Text>
      </>
    ),
  },
  { id: 'severity', header: 'Severity', cell: (row) => <Status of={row.severity} /> },
  {
    id: 'count',
    header: 'Entries',
    align: 'right',
    sortBy: (row) => row.count,
    cell: (row) => row.count,
  },
  {
    id: 'status',
    header: 'Status',
    csv: { Status: (row) => row.status, 'Assigned to': (row) => row.assignee },
    cell: (row) => (
      <Group gap={6}>
        <Status of={row.status} />
        {row.assignee && (
          <Text size="xs" className="muted">
            {row.assignee}
          </Text>
        )}
      </Group>
    ),
  },
];

function Firings({ may }: { may: boolean }) {
  const { firing: wanted } = route.useSearch();
  const [status, setStatus] = useState(wanted ? 'all' : 'open');
  const [opened, setOpened] = useState(wanted);
  const { data, error, refetch } = useQuery(firingsQuery(status));
  const shown = data?.items.find(({ id }) => id === opened);
  return (
    <Panel
      title="Firings"
      note={cutInWords(data)}
      flush
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Status of firings"
          data={STATES}
          value={status}
          onChange={(wanted) => {
            setStatus(wanted);
            setOpened(undefined);
          }}
        />
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          label="Firings"
          columns={FIRING_COLUMNS}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={10}
          onOpen={(row) => setOpened(row.id)}
          empty={
            <EmptyState title="No firings" icon={<IconBellRinging size={22} />}>
              When an alert rule reaches its threshold, its firing appears here with the entries
              that caused it.
            </EmptyState>
          }
        />
      )}
      {shown && <FiringDialog firing={shown} may={may} onClose={() => setOpened(undefined)} />}
    </Panel>
  );
}

const RULE_COLUMNS: Column<AlertRule>[] = [
  {
    id: 'name',
    header: 'Rule',
    sortBy: (row) => row.name,
    csv: { Rule: (row) => row.name, Condition: (row) => row.condition },
    cell: (row) => (
      <div style={{ maxWidth: 420 }}>
        <Text size="sm" fw={550}>
          {row.name}
        </Text>
        <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
          {row.condition}
        </Text>
      </div>
    ),
  },
  { id: 'severity', header: 'Severity', cell: (row) => <Status of={row.severity} /> },
  {
    id: 'threshold',
    header: 'Threshold',
    csv: {
      'Threshold count': (row) => row.threshold.count,
      'Threshold window': (row) => row.threshold.window,
      'Threshold field': (row) => row.threshold.distinct,
    },
    cell: (row) => <span style={{ whiteSpace: 'nowrap' }}>{thresholdInWords(row)}</span>,
  },
  {
    id: 'channels',
    header: 'Channels',
    cell: (row) =>
      row.notification.channels?.join(', ') ||
      (row.notification.recipients?.length ? 'email' : 'No channel'),
  },
  {
    id: 'state',
    header: 'Status',
    sortBy: (row) => row.state,
    cell: (row) => (
      <Group gap={6}>
        <Status
          of={row.state === 'enabled' ? 'active' : row.state}
          label={isSilenced(row) ? 'Silenced' : undefined}
        />
        {row.degraded && <Degraded />}
      </Group>
    ),
  },
];

function Rules({ onOpen, add }: { onOpen: (rule: AlertRule) => void; add?: ReactNode }) {
  const { data, error, refetch } = useQuery(rulesQuery);
  return (
    <Panel title="Rules" note={cutInWords(data)} flush actions={add}>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          compact
          label="Alert rules"
          columns={RULE_COLUMNS}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={25}
          onOpen={onOpen}
          empty={
            <EmptyState title="No alert rules yet">
              {add
                ? 'Enable one of the built-in rules below, or add your own.'
                : 'An audit administrator can enable one of the built-in rules below.'}
            </EmptyState>
          }
        />
      )}
    </Panel>
  );
}

function Ready({ may }: { may: boolean }) {
  const { data } = useQuery(readyQuery);
  const enable = useChange(enableReady);
  const unused = data?.items.filter(({ state }) => state !== 'enabled');
  if (!unused || unused.length === 0) return null;
  const columns: Column<ReadyRule>[] = [
    {
      id: 'name',
      header: 'Built-in rule',
      cell: (row) => (
        <>
          <Text size="sm" fw={550}>
            {row.name}
          </Text>
          <Text size="xs" className="muted">
            {row.description}
          </Text>
          {row.attack.length > 0 && (
            <Text size="xs">
              <AttackLinks ids={row.attack} />
            </Text>
          )}
        </>
      ),
    },
    {
      id: 'class',
      header: 'Class',
      sortBy: (row) => row.class,
      cell: (row) => <span style={{ whiteSpace: 'nowrap' }}>{words(row.class)}</span>,
    },
    {
      id: 'threshold',
      header: 'Threshold',
      cell: (row) => <span style={{ whiteSpace: 'nowrap' }}>{thresholdInWords(row)}</span>,
    },
    {
      id: 'enable',
      header: '',
      cell: (row) =>
        may && (
          <Anchor
            component="button"
            size="sm"
            aria-label={`Enable ${row.name}`}
            onClick={() =>
              enable.mutate(row.key, { onSuccess: ({ name }) => announce(`“${name}” is enabled`) })
            }
          >
            Enable
          </Anchor>
        ),
    },
  ];
  return (
    <Panel
      title="Built-in rules"
      note="Common attacks. Enable one, then choose its channels."
      flush
    >
      <ProblemAlert error={enable.error} />
      {/* Rules beyond the first ten are on further pages on a phone: forty of them made the page eight screens high. */}
      <DataTable
        bare
        compact
        label="Built-in rules"
        columns={columns}
        rows={unused}
        rowId={(row) => row.key}
        pageSize={50}
        empty={null}
      />
    </Panel>
  );
}
