import { Button, Text } from '@mantine/core';
import { IconArchive, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bytes, plural } from '../../../display/amounts';
import { announce } from '../../../display/announce';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { endRestore, restoresQuery, type Restore } from './queries';

const RestoreForm = lazyComponent(() => import('./RestoreForm'), 'RestoreForm');

/** Restores of entries of the cold tier, those in force first. */
export function Restores() {
  const { data, error, refetch } = useQuery(restoresQuery);
  const end = useChange(endRestore);
  const [asking, setAsking] = useState(false);
  const onEnd = (restore: Restore) =>
    end.mutate(restore.id, { onSuccess: () => announce('Restore ended') });
  return (
    <Panel
      title="Restores"
      note="Entries of the cold tier that can be searched for some days."
      flush
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setAsking(true)}
        >
          Request a restore
        </Button>
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <ProblemAlert error={end.error} />
      <DataTable
        bare
        label="Restores"
        columns={columns(onEnd)}
        rows={data?.items}
        rowId={(restore) => restore.id}
        pageSize={10}
        empty={
          <EmptyState title="No restore" icon={<IconArchive size={22} />}>
            Request a restore when a search says that it left out entries of the cold tier.
          </EmptyState>
        }
      />
      {asking && <RestoreForm onClose={() => setAsking(false)} />}
    </Panel>
  );
}

function columns(onEnd: (restore: Restore) => void): Column<Restore>[] {
  return [
    {
      id: 'period',
      header: 'Period',
      lead: true,
      cell: (restore) => (
        <>
          <When at={restore.start_time} /> to <When at={restore.end_time} />
        </>
      ),
    },
    {
      id: 'progress',
      header: 'Restored',
      cell: (restore) =>
        restore.state === 'ended' ? (
          ''
        ) : (
          <>
            {restore.restored_segments} of {plural(restore.segments, 'segment')},{' '}
            {plural(restore.entries, 'entry', 'entries')}, {bytes(restore.bytes)}
            {restore.obstacle && (
              <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
                {restore.obstacle}
              </Text>
            )}
          </>
        ),
    },
    {
      id: 'asked',
      header: 'Requested',
      cell: (restore) => (
        <>
          <When at={restore.created_at} /> by {restore.created_by}
        </>
      ),
    },
    {
      id: 'ends',
      header: 'Ends',
      cell: (restore) =>
        restore.ends_at ? (
          <When at={restore.ends_at} />
        ) : (
          `${plural(restore.days, 'day')} after it is ready`
        ),
    },
    {
      id: 'status',
      header: 'Status',
      cell: (restore) =>
        restore.state === 'ended' ? (
          <Status of="disabled" label="Ended" />
        ) : (
          <>
            <Status
              of={restore.state === 'ready' ? 'active' : 'pending'}
              label={restore.state === 'ready' ? 'Ready' : 'Being fetched'}
            />{' '}
            <Button size="xs" variant="default" onClick={() => onEnd(restore)}>
              End
            </Button>
          </>
        ),
    },
  ];
}
