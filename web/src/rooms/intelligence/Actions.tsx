import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Action } from '../../api/bodies';
import { took } from '../../display/instants';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Modal } from '../../display/Modal';
import { ProblemAlert } from '../../display/ProblemAlert';
import { useReturnFocus } from '../../display/useReturnFocus';
import { When } from '../../display/When';
import { ActionProgress } from './ActionProgress';
import { ActionStatus } from './ActionStatus';
import { actionsQuery } from './queries';
import { useWho, type Requester } from './requesters';

const PRACTICE: Record<string, string> = {
  test: 'Tested on ',
  simulate: 'Simulated on a copy of ',
};

const columns = (who: (requester: Requester) => string): Column<Action>[] => [
  {
    id: 'title',
    header: 'Action',
    sortBy: (row) => row.title,
    csv: {
      Action: (row) => row.title,
      'Recommendation identifier': (row) => row.recommendation_id,
      'Resource identifier': (row) => row.resource_id,
      Purpose: (row) => row.purpose,
    },
    cell: (row) => (
      <div style={{ minWidth: 240, maxWidth: 480 }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link
              to="/intelligence/recommendations/$id"
              params={{ id: row.recommendation_id }}
              {...props}
            />
          )}
        >
          {row.title}
        </Anchor>
        <Text size="xs" className="muted" truncate>
          {PRACTICE[row.purpose]}
          {row.simulated ? row.resource_id.replace(/^simulated:/, '') : row.resource_id}
        </Text>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    sortBy: (row) => row.status,
    cell: (row) => <ActionStatus of={row} />,
  },
  {
    id: 'steps',
    header: 'Steps',
    align: 'right',
    csv: {
      'Steps done': (row) => row.steps.filter(({ ok, rollback }) => ok && !rollback).length,
      Steps: (row) => row.steps_total,
    },
    cell: (row) =>
      `${row.steps.filter(({ ok, rollback }) => ok && !rollback).length} of ${row.steps_total}`,
  },
  { id: 'by', header: 'Requested by', sortBy: (row) => who(row), cell: (row) => who(row) },
  {
    id: 'started',
    header: 'Started',
    sortBy: (row) => row.started_at,
    cell: (row) => <When at={row.started_at} />,
  },
  {
    id: 'took',
    header: 'Took',
    align: 'right',
    csv: { Finished: (row) => row.finished_at },
    cell: (row) => (row.finished_at ? took(row.started_at, row.finished_at) : 'running'),
  },
];

export function Actions() {
  const [opened, setOpened] = useState<string | null>(null);
  const { data, error, refetch } = useQuery({
    ...actionsQuery,
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'running' || status === 'rolling_back')
        ? 1000
        : 10_000,
  });
  const who = useWho();
  const table = useMemo(() => columns(who), [who]);
  const action = data?.items.find(({ id }) => id === opened);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="md">
      <DataTable
        label="Actions"
        columns={table}
        rows={data?.items}
        rowId={(row) => row.id}
        pageSize={25}
        onOpen={(row) => setOpened(row.id)}
        empty={
          <EmptyState title="No actions yet">
            Apply a recommendation, or let an agent apply changes within the guardrails.
          </EmptyState>
        }
      />
      {action && <ActionDialog action={action} onClose={() => setOpened(null)} />}
    </Stack>
  );
}

function ActionDialog({ action, onClose }: { action: Action; onClose: () => void }) {
  useReturnFocus();
  return (
    <Modal opened onClose={onClose} size="lg" title={action.title}>
      <ActionProgress action={action} />
    </Modal>
  );
}
