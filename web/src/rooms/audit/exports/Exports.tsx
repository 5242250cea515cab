import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconDownload, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { announce } from '../../../display/announce';
import { bytes, count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { VerifyCommand } from '../proof/VerifyCommand';
import { Destinations } from './Destinations';
import { Schedules } from './Schedules';
import {
  cancelExport,
  downloadAddress,
  exportsQuery,
  isUnderWay,
  useChange,
  type Export,
} from './queries';

const ExportForm = lazyComponent(() => import('./ExportForm'), 'ExportForm');

/** Exports of the log: asked for, followed, downloaded; schedules and destinations. */
export function Exports() {
  const [asking, setAsking] = useState(false);
  return (
    <Stack gap="lg">
      <Jobs onAdd={() => setAsking(true)} />
      <Schedules />
      <Destinations />
      {asking && <ExportForm onClose={() => setAsking(false)} />}
    </Stack>
  );
}

const period = ({ start_time, end_time }: Export) =>
  `${start_time?.slice(0, 10) ?? 'Beginning'} to ${end_time?.slice(0, 10) ?? 'end of the log'}`;

function Outcome({ row }: { row: Export }) {
  const cancel = useChange(cancelExport);
  if (isUnderWay(row)) {
    return (
      <Group gap="xs" wrap="nowrap">
        <Progress
          value={row.percent}
          w={140}
          aria-label={`Progress of export ${row.id}`}
          animated
        />
        <Text size="xs" className="muted">
          {count(row.entries)} entries, {bytes(row.bytes)}
        </Text>
        <Anchor
          component="button"
          size="sm"
          onClick={() => cancel.mutate(row.id, { onSuccess: () => announce('Export cancelled') })}
        >
          Cancel
        </Anchor>
      </Group>
    );
  }
  if (row.files.length === 0 && !row.failure)
    return (
      <Text size="sm" className="muted">
        {row.status === 'cancelled' ? 'No files' : 'Files were removed'}
      </Text>
    );
  return (
    <Stack gap={2}>
      {row.failure && (
        <Text size="sm" c="red" role="status">
          {row.failure.message}
        </Text>
      )}
      {row.files.map(({ name, role, bytes: length }) => (
        <Anchor key={name} href={downloadAddress(row.id, name)} download={name} size="sm">
          <IconDownload size={13} />{' '}
          {role === 'entries' ? 'Entries' : role === 'proof' ? 'Proof' : 'Manifest'} (
          {bytes(length)})
        </Anchor>
      ))}
      {row.files.some(({ role }) => role === 'manifest') && <Check row={row} />}
      {row.delivered_to && (
        <Text size="xs" className="muted">
          Delivered to {row.delivered_to}
        </Text>
      )}
    </Stack>
  );
}

/** The command that checks the downloaded files of an export. */
function Check({ row }: { row: Export }) {
  const [open, setOpen] = useState(false);
  const manifest = row.files.find(({ role }) => role === 'manifest')?.name ?? '';
  if (!open)
    return (
      <Anchor component="button" size="xs" ta="left" onClick={() => setOpen(true)}>
        Verify offline
      </Anchor>
    );
  return (
    <>
      <Text size="xs" className="muted">
        Download all files of the export and log.vkey into one folder.
      </Text>
      <VerifyCommand file={manifest} />
    </>
  );
}

const STATUS: Record<string, string> = {
  queued: 'pending',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
};

const COLUMNS: Column<Export>[] = [
  {
    id: 'created',
    header: 'Requested',
    sortBy: (row) => row.created_at,
    cell: (row) => (
      <>
        <When at={row.created_at} form="ago" />
        <Text size="xs" className="muted">
          {row.requested_by.email}
        </Text>
      </>
    ),
  },
  {
    id: 'what',
    header: 'Export',
    lead: true,
    cell: (row) => (
      <div style={{ maxWidth: 320 }}>
        <Text size="sm" fw={550}>
          {row.format.toUpperCase()}, {period(row)}
        </Text>
        <Text size="xs" className="muted" truncate title={row.query}>
          {row.query || 'Every entry'}
        </Text>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: (row) => <Status of={STATUS[row.status] ?? row.status} />,
  },
  {
    id: 'entries',
    header: 'Entries',
    align: 'right',
    sortBy: (row) => row.entries,
    cell: (row) => count(row.entries),
  },
  { id: 'result', header: 'Result', cell: (row) => <Outcome row={row} /> },
];

function Jobs({ onAdd }: { onAdd: () => void }) {
  const { data, error, refetch } = useQuery(exportsQuery);
  return (
    <Panel
      title="Exports"
      note="At most 10 GB each."
      flush
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={onAdd}>
          New export
        </Button>
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          label="Exports"
          columns={COLUMNS}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={10}
          empty={
            <EmptyState title="No exports yet" icon={<IconDownload size={22} />}>
              Choose a format, a period and a query. The files come with a proof that every entry is
              in the log.
            </EmptyState>
          }
        />
      )}
    </Panel>
  );
}
