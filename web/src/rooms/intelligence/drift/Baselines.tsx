import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useMay } from '../../../api/session';
import { count } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { Remove } from '../../../display/Remove';
import { When } from '../../../display/When';
import { connectionsQuery } from '../../estate/queries';
import { driftsInWords, scopeInWords } from './forms';
import { removeBaseline, type Baseline } from './queries';

const RenewDialog = lazyComponent(() => import('./RenewDialog'), 'RenewDialog');

/** The baselines with the number of drifts from each. */
export function Baselines({ of: all, pin }: { of: Baseline[] | undefined; pin: ReactNode }) {
  const may = useMay();
  const { data: connections } = useQuery({ ...connectionsQuery, enabled: may('estate.view') });
  const names = new Map(connections?.items.map(({ id, name }) => [id, name]));
  const [renewed, setRenewed] = useState<Baseline>();
  const columns: Column<Baseline>[] = [
    {
      id: 'name',
      header: 'Baseline',
      sortBy: (row) => row.name,
      cell: (row) => (
        <div style={{ minWidth: 180, maxWidth: 420 }}>
          <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
            {row.name}
          </Text>
          <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
            {row.description || scopeInWords(row, names)}
          </Text>
        </div>
      ),
    },
    { id: 'drifts', header: 'Drifts', sortBy: (row) => row.drifts.open, cell: driftsCell },
    {
      id: 'resources',
      header: 'Resources',
      align: 'right',
      minor: true,
      sortBy: (row) => row.resources,
      cell: (row) => count(row.resources),
    },
    {
      id: 'pinned',
      header: 'Pinned',
      sortBy: (row) => row.pinned_at,
      cell: (row) => (
        <div>
          <When at={row.pinned_at} />
          <Text size="xs" className="muted">
            by {row.pinned_by}
          </Text>
        </div>
      ),
    },
  ];
  if (may('intelligence.configure'))
    columns.push({
      id: 'answers',
      header: '',
      cell: (row) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          <Button size="xs" variant="default" onClick={() => setRenewed(row)}>
            Pin again
          </Button>
          <Remove
            room="intelligence"
            what={row.name}
            explain="Its drifts and their acceptances go with it. The audit log keeps a record."
            remove={() => removeBaseline(row.id)}
          />
        </Group>
      ),
    });

  return (
    <Panel title="Baselines" actions={pin} flush>
      <DataTable
        bare
        label="Baselines"
        columns={columns}
        rows={all}
        rowId={(row) => row.id}
        pageSize={10}
        empty={null}
      />
      {renewed && <RenewDialog of={renewed} onClose={() => setRenewed(undefined)} />}
    </Panel>
  );
}

function driftsCell(row: Baseline) {
  return driftsInWords(row.drifts);
}
