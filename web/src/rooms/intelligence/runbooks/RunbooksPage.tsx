import { Anchor, Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { words } from '../../../display/wording';
import { COLOURS, OUTCOMES, stateOf } from './labels';
import { runbooksQuery, type Runbook } from './queries';

const RunbookDialog = lazyComponent(() => import('./RunbookDialog'), 'RunbookDialog');

const columns = (open: (name: string) => void): Column<Runbook>[] => [
  {
    id: 'issue',
    header: 'Known issue',
    lead: true,
    sortBy: (row) => row.name,
    cell: (row) => (
      <div style={{ minWidth: 200, maxWidth: 420 }}>
        <Anchor component="button" size="sm" fw={550} ta="left" onClick={() => open(row.name)}>
          {`${words(row.kind)}: ${row.title}`}
        </Anchor>
        <Text size="xs" className="muted">
          {row.is_builtin ? row.name : `${row.name} · written by ${row.changed_by ?? ''}`}
        </Text>
      </div>
    ),
  },
  {
    id: 'remedy',
    header: 'Change',
    sortBy: (row) => row.remedy,
    cell: (row) => <Text size="sm">{row.remedy}</Text>,
    minor: true,
  },
  {
    id: 'state',
    header: 'State',
    sortBy: (row) => stateOf(row).label,
    cell: (row) => <Status {...stateOf(row)} />,
  },
  {
    id: 'past',
    header: 'Last 90 days',
    sortBy: (row) => row.helped + row.failed,
    cell: (row) => <Past of={row} />,
  },
];

/** How often a runbook helped, and its last outcome. */
function Past({ of }: { of: Runbook }) {
  const [last] = of.applications;
  if (!last)
    return (
      <Text size="sm" className="muted">
        Not applied
      </Text>
    );
  return (
    <div>
      <Text size="sm">{`Helped ${of.helped}, failed ${of.failed}`}</Text>
      <Status of={COLOURS[last.outcome]} label={`Last: ${OUTCOMES[last.outcome]}`} size="sm" />
    </div>
  );
}

/** Known issues by runbooks: those that come with Reeve, and those of people. */
export function RunbooksPage() {
  const { data, error, refetch } = useQuery(runbooksQuery);
  const [shown, setShown] = useState<string>();
  const may = useMay();
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;

  const write = may('intelligence.configure') && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setShown('')}>
      Write a runbook
    </Button>
  );
  return (
    <Panel
      title="Runbooks"
      note="Agents of the type ops_intelligence look for these issues. Their mode and their automatic changes decide whether a change is applied or waits for you."
      actions={write}
      flush
    >
      <DataTable
        label="Runbooks"
        columns={columns(setShown)}
        rows={data?.items}
        rowId={(row) => row.name}
        onOpen={(row) => setShown(row.name)}
        pageSize={20}
        sortedBy={{ id: 'state', desc: false }}
        bare
        compact
        empty={
          <EmptyState title="No runbook yet" action={write}>
            A runbook names an issue that you know, and the change that mends it.
          </EmptyState>
        }
      />
      {shown !== undefined && (
        <RunbookDialog
          key={shown}
          of={data?.items.find(({ name }) => name === shown)}
          onClose={() => setShown(undefined)}
        />
      )}
    </Panel>
  );
}
