import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { cronInWords } from '../../../display/schedules';
import { When } from '../../../display/When';
import { removeSchedule, schedulesQuery, type Schedule } from './queries';

const ScheduleForm = lazyComponent(() => import('./ScheduleForm'), 'ScheduleForm');

/** Scheduled exports. */
export function Schedules() {
  const { data, error, refetch } = useQuery(schedulesQuery);
  const [adding, setAdding] = useState(false);
  const columns: Column<Schedule>[] = [
    {
      id: 'name',
      header: 'Schedule',
      lead: true,
      sortBy: (row) => row.name,
      cell: (row) => (
        <>
          <Text size="sm" fw={550}>
            {row.name}
          </Text>
          <Text size="xs" className="muted">
            {row.query || 'Every entry'}
          </Text>
        </>
      ),
    },
    { id: 'format', header: 'Format', cell: (row) => row.format.toUpperCase() },
    {
      id: 'runs',
      header: 'Runs',
      cell: (row) => (
        <span
          title={row.schedule}
        >{`${cronInWords(row.schedule) ?? row.schedule} (${row.time_zone})`}</span>
      ),
    },
    {
      id: 'next',
      header: 'Next run',
      cell: (row) => (row.next_run_at ? <When at={row.next_run_at} form="ago" /> : 'Disabled'),
    },
    {
      id: 'remove',
      header: '',
      align: 'right',
      cell: (row) => (
        <Remove
          room="exports"
          what={row.name}
          explain="No more exports are made by it. Files that exist stay."
          remove={() => removeSchedule(row.id)}
        />
      ),
    },
  ];
  return (
    <Panel
      title="Scheduled exports"
      note="Each run covers what was recorded since the last run that succeeded."
      flush
      actions={
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setAdding(true)}
        >
          Add schedule
        </Button>
      }
    >
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          bare
          label="Scheduled exports"
          columns={columns}
          rows={data?.items}
          rowId={(row) => row.id}
          pageSize={10}
          empty={
            <EmptyState title="No scheduled exports">
              Add one to archive the log every night.
            </EmptyState>
          }
        />
      )}
      {adding && <ScheduleForm onClose={() => setAdding(false)} />}
    </Panel>
  );
}
