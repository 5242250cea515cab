import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../../api/session';
import { DataTable, type Column } from '../../../display/DataTable';
import { spanInWords } from '../../../display/durations';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { When } from '../../../display/When';
import { GROUPS } from './groups';
import { Runs } from './Runs';
import { removeReport, reportsQuery, runReport, useChange, type Report } from './queries';

const ReportForm = lazyComponent(() => import('./ReportForm'), 'ReportForm');

const route = getRouteApi('/app/audit/reports');

/** Custom reports, and the schedules of all reports. */
export function Reports() {
  const { data, error, refetch } = useQuery(reportsQuery);
  const [editing, setEditing] = useState<Report | 'new'>();
  const [opened, setOpened] = useState(route.useSearch().run);
  const run = useChange(runReport);
  const isScoped = Boolean(useMe()?.scope);
  const columns: Column<Report>[] = [
    {
      id: 'name',
      header: 'Report',
      lead: true,
      sortBy: (row) => row.name,
      cell: (row) => (
        <>
          <Text size="sm" fw={550}>
            {row.name}
          </Text>
          <Text size="xs" className="muted" truncate maw={420}>
            {row.query || 'Every entry'}
          </Text>
        </>
      ),
    },
    {
      id: 'period',
      header: 'Period',
      cell: (row) =>
        (row.period ? spanInWords(row.period).replaceAll('_', ' ') : undefined) ??
        `${row.start_time?.slice(0, 10)} to ${row.end_time?.slice(0, 10)}`,
    },
    {
      id: 'groups',
      header: 'Grouped by',
      cell: (row) =>
        row.group_by
          .map((name) => GROUPS.find(({ value }) => value === name)?.label ?? name)
          .join(', ') || 'Nothing',
    },
    {
      id: 'schedule',
      header: 'Next run',
      sortBy: (row) => row.next_run_at ?? '',
      cell: (row) => (row.next_run_at ? <When at={row.next_run_at} /> : 'On request'),
    },
    {
      id: 'act',
      header: '',
      cell: (row) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            aria-label={`Run ${row.name}`}
            onClick={() => run.mutate(row.id, { onSuccess: ({ id }) => setOpened(id) })}
          >
            Run
          </Button>
          {!isScoped && (
            <>
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={`Change ${row.name}`}
                onClick={() => setEditing(row)}
              >
                Change
              </Button>
              <Remove
                room="reports"
                what={row.name}
                explain="It runs no more. Its finished runs stay."
                remove={() => removeReport(row.id)}
              />
            </>
          )}
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <Panel
        title="Custom reports"
        flush
        actions={
          !isScoped && (
            <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
              Add report
            </Button>
          )
        }
      >
        <ProblemAlert error={run.error} />
        {error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        ) : (
          <DataTable
            bare
            label="Custom reports"
            columns={columns}
            rows={data?.items.filter(({ kind }) => kind === 'custom')}
            rowId={(row) => row.id}
            pageSize={25}
            empty={
              <EmptyState title="No custom reports yet">
                Count events by user, resource or type, once or by schedule.
              </EmptyState>
            }
          />
        )}
      </Panel>
      <Runs kind="custom" opened={opened} onOpen={setOpened} />
      {editing && (
        <ReportForm
          report={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Stack>
  );
}
