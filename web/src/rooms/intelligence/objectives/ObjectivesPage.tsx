import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus, IconTargetArrow } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMay } from '../../../api/session';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { BudgetLeft } from './BudgetLeft';
import { objectivesQuery, type Objective } from './queries';
import { burnWords, serviceWords, shareWords, targetWords } from './wording';

const ObjectiveForm = lazyComponent(() => import('./ObjectiveForm'), 'ObjectiveForm');

/** Objectives of services, each with the error budget that is left. */
export function ObjectivesPage() {
  const { data, error, refetch } = useQuery(objectivesQuery);
  const [adding, setAdding] = useState(false);
  const configures = useMay()('intelligence.configure');
  const columns = useMemo(
    (): Column<Objective>[] => [
      {
        id: 'name',
        header: 'Objective',
        sortBy: (row) => row.name,
        cell: (row) => (
          <>
            <Link className="page-link" to="/intelligence/objectives/$id" params={{ id: row.id }}>
              <Text span size="sm" fw={550}>
                {row.name}
              </Text>
            </Link>
            <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
              {serviceWords(row)}
            </Text>
          </>
        ),
      },
      {
        id: 'target',
        header: 'Target',
        sortBy: (row) => row.metric,
        cell: (row) => (
          <>
            {targetWords(row)}
            <Text size="xs" className="muted">
              {shareWords(row)}
            </Text>
          </>
        ),
      },
      {
        id: 'left',
        header: 'Error budget',
        sortBy: (row) => row.standing?.budget?.left_percent ?? 101,
        cell: (row) => <BudgetLeft of={row} />,
      },
      {
        id: 'burn',
        header: 'Use, last hour',
        align: 'right',
        sortBy: (row) => row.standing?.budget?.burn_hour ?? -1,
        cell: (row) =>
          row.standing?.budget ? burnWords(row.standing.budget.burn_hour) : <span>–</span>,
      },
      {
        id: 'state',
        header: 'State',
        cell: (row) => <State of={row} />,
      },
    ],
    [],
  );
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;

  return (
    <Stack gap="lg">
      {configures && (
        <Group justify="flex-end">
          <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
            Add objective
          </Button>
        </Group>
      )}
      <DataTable
        label="Objectives"
        columns={columns}
        rows={data?.items}
        rowId={(row) => row.id}
        pageSize={50}
        empty={
          <EmptyState title="No objectives yet" icon={<IconTargetArrow size={22} />}>
            An objective states what users of a service are promised, such as answers within 200 ms
            for 99 % of 28 days.{' '}
            {configures
              ? 'Add one to see the error budget that is left.'
              : 'Administrators can add one.'}
          </EmptyState>
        }
      />
      {adding && <ObjectiveForm onClose={() => setAdding(false)} />}
    </Stack>
  );
}

/** Whether an objective is met, in one word. */
export function State({ of: { standing } }: { of: Objective }) {
  if (!standing?.budget) return <Status of="idle" label="Not measured" />;
  if (standing.burning_since) return <Status of="critical" label="Burning" />;
  if (standing.budget.is_broken) return <Status of="failed" label="Missed" />;
  return <Status of="success" label="Met" />;
}
