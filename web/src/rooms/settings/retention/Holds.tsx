import { Button } from '@mantine/core';
import { IconGavel, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { holdsQuery, type LegalHold } from './queries';

const HoldForm = lazyComponent(() => import('./HoldForm'), 'HoldForm');
const ReleaseForm = lazyComponent(() => import('./HoldForm'), 'ReleaseForm');

/** Legal holds, those in force first. */
export function Holds() {
  const { data, error, refetch } = useQuery(holdsQuery);
  const [placing, setPlacing] = useState(false);
  const [released, setReleased] = useState<LegalHold | null>(null);
  return (
    <Panel
      title="Legal holds"
      note="Entries that no policy deletes while a case is open."
      flush
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setPlacing(true)}
        >
          Place a hold
        </Button>
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <DataTable
        bare
        label="Legal holds"
        columns={columns(setReleased)}
        rows={data?.items}
        rowId={(hold) => hold.id}
        pageSize={10}
        empty={
          <EmptyState title="No legal hold" icon={<IconGavel size={22} />}>
            Place a hold to keep the entries of a case, such as a litigation, until it is closed.
          </EmptyState>
        }
      />
      {placing && <HoldForm onClose={() => setPlacing(false)} />}
      {released && <ReleaseForm hold={released} onClose={() => setReleased(null)} />}
    </Panel>
  );
}

function columns(onRelease: (hold: LegalHold) => void): Column<LegalHold>[] {
  return [
    { id: 'case', header: 'Case', lead: true, cell: (hold) => hold.case },
    { id: 'query', header: 'Entries', cell: (hold) => hold.query || 'All entries' },
    { id: 'custodian', header: 'Custodian', cell: (hold) => hold.custodian },
    { id: 'review', header: 'Review on', cell: (hold) => hold.review_on ?? 'not set' },
    {
      id: 'placed',
      header: 'Placed',
      cell: (hold) => (
        <>
          <When at={hold.created_at} /> by {hold.created_by}
        </>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      cell: (hold) =>
        hold.released_at ? (
          <Status of="disabled" label="Released" />
        ) : (
          <Button size="xs" variant="default" onClick={() => onRelease(hold)}>
            Release
          </Button>
        ),
    },
  ];
}
