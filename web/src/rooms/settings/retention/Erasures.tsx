import { Button, Group, Text } from '@mantine/core';
import { IconEraser, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { erasuresQuery, type Erasure } from './queries';

const ErasureForm = lazyComponent(() => import('./ErasureForm'), 'ErasureForm');
const ErasureDialog = lazyComponent(() => import('./ErasureDialog'), 'ErasureDialog');

const STATUS: Record<Erasure['status'], string> = {
  requested: 'Waits for approval',
  approved: 'Being erased',
  waiting: 'Waits for the next seal',
  completed: 'Erased',
  refused: 'Refused by a legal hold',
  rejected: 'Rejected',
  withdrawn: 'Withdrawn',
};

function statusOf(erasure: Erasure) {
  const isWaiting = erasure.status === 'waiting' && erasure.needed_restore;
  return isWaiting ? 'Waits for a restore from the cold tier' : STATUS[erasure.status];
}

/** Requests to erase a person's entries, the newest first. */
export function Erasures() {
  const { data, error, refetch } = useQuery(erasuresQuery);
  const [requesting, setRequesting] = useState(false);
  const [opened, setOpened] = useState<string | null>(null);
  const shown = data?.items.find(({ id }) => id === opened);
  return (
    <Panel
      title="Erasures"
      note="A person's entries, deleted for a legal reason after two approvals."
      flush
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setRequesting(true)}
        >
          Request an erasure
        </Button>
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <DataTable
        bare
        label="Erasures"
        columns={columns(setOpened)}
        rows={data?.items}
        rowId={(erasure) => erasure.id}
        pageSize={10}
        empty={
          <EmptyState title="No erasure" icon={<IconEraser size={22} />}>
            Request an erasure when a person may ask for their entries to be deleted. Two other
            people approve it, and a legal hold stops it.
          </EmptyState>
        }
      />
      {requesting && <ErasureForm onClose={() => setRequesting(false)} />}
      {shown && (
        <ErasureDialog erasure={shown} status={statusOf(shown)} onClose={() => setOpened(null)} />
      )}
    </Panel>
  );
}

function columns(onOpen: (id: string) => void): Column<Erasure>[] {
  return [
    {
      id: 'person',
      header: 'Person',
      lead: true,
      cell: (erasure) => erasure.email ?? erasure.actor_id ?? erasure.query,
    },
    { id: 'basis', header: 'Legal basis', cell: (erasure) => erasure.legal_basis },
    {
      id: 'requested',
      header: 'Requested',
      cell: (erasure) => (
        <>
          <When at={erasure.requested_at} /> by {erasure.requested_by}
        </>
      ),
    },
    {
      id: 'approvals',
      header: 'Approvals',
      cell: (erasure) => `${erasure.approvals.length} of 2`,
    },
    {
      id: 'status',
      header: 'Status',
      cell: (erasure) => (
        <Group gap="sm" wrap="nowrap" justify="space-between">
          <div>
            {statusOf(erasure)}
            {erasure.erased > 0 && (
              <Text size="xs" className="muted">
                {plural(erasure.erased, 'entry', 'entries')} erased
              </Text>
            )}
          </div>
          <Button
            size="xs"
            variant="default"
            aria-label={`Open ${erasure.email ?? erasure.actor_id ?? erasure.query}`}
            onClick={() => onOpen(erasure.id)}
          >
            {erasure.can_approve ? 'Review' : 'Open'}
          </Button>
        </Group>
      ),
    },
  ];
}
