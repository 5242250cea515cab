import { Group, Progress, Text } from '@mantine/core';
import { IconReport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { isBusy, runsQuery, type ReportRun } from './queries';

const RunDialog = lazyComponent(() => import('./RunDialog'), 'RunDialog');

/** The days of a run's period, in UTC. */
export function daysOf({ start_time, end_time }: Pick<ReportRun, 'start_time' | 'end_time'>) {
  return `${start_time.slice(0, 10)} to ${end_time.slice(0, 10)}`;
}

const COLUMNS: Column<ReportRun>[] = [
  {
    id: 'report',
    header: 'Report',
    lead: true,
    sortBy: (row) => row.report_name,
    cell: (row) => (
      <>
        <Text size="sm" fw={550}>
          {row.report_name}
        </Text>
        <Text size="xs" className="muted">
          {daysOf(row)}
        </Text>
      </>
    ),
  },
  {
    id: 'created',
    header: 'Requested',
    sortBy: (row) => row.created_at,
    cell: (row) => <When at={row.created_at} form="ago" />,
  },
  { id: 'by', header: 'By', cell: (row) => (row.scheduled ? `Schedule of ${row.user}` : row.user) },
  {
    id: 'entries',
    header: 'Entries',
    align: 'right',
    sortBy: (row) => row.progress.entries,
    cell: (row) => count(row.progress.entries),
  },
  {
    id: 'state',
    header: 'Status',
    sortBy: (row) => row.state,
    cell: (row) =>
      row.state === 'running' ? (
        <Group gap={8} wrap="nowrap">
          <Progress
            value={row.progress.percent}
            w={72}
            size="sm"
            animated
            aria-label={`Progress of ${row.report_name}`}
          />
          <Text size="xs">{Math.floor(row.progress.percent)} %</Text>
        </Group>
      ) : (
        <Status of={row.state} />
      ),
  },
];

/** Runs of reports of one kind, newest first. */
export function Runs({
  kind,
  opened,
  onOpen,
}: {
  kind: 'compliance' | 'custom';
  opened?: string;
  onOpen: (id?: string) => void;
}) {
  const { data, error, refetch } = useQuery(runsQuery(kind));
  const [size] = useState(10);
  const busy = data?.items.filter(isBusy).length ?? 0;
  return (
    <Panel title="Runs" note={busy > 0 ? `${busy} in progress` : undefined} flush>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          label="Report runs"
          columns={COLUMNS}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={size}
          onOpen={(row) => onOpen(row.id)}
          empty={
            <EmptyState title="No runs yet" icon={<IconReport size={22} />}>
              Run a report; its progress and its files appear here.
            </EmptyState>
          }
        />
      )}
      {opened && <RunDialog id={opened} onClose={() => onOpen(undefined)} />}
    </Panel>
  );
}
