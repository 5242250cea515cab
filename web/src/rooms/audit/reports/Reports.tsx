import { Button, Group, MultiSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { DataTable, type Column } from '../../../display/DataTable';
import { windowInWords } from '../../../display/durations';
import { EmptyState } from '../../../display/EmptyState';
import { FormDialog } from '../../../display/FormDialog';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { When } from '../../../display/When';
import { Delivery, deliveryValues, scheduleOf } from './Delivery';
import { Period, periodOf, periodValues } from './Period';
import { Runs } from './Runs';
import { changeReport, createReport, removeReport, reportsQuery, runReport, useChange, type Report } from './queries';

const GROUPS = [{ value: 'user', label: 'User' }, { value: 'resource', label: 'Resource' }, { value: 'event_type', label: 'Event type' }];
const METRICS = [{ value: 'event_counts', label: 'Event counts' }, { value: 'unique_users', label: 'Unique users' }, { value: 'resources_affected', label: 'Resources affected' }];
const MARKED = ['name', 'query', 'group_by', 'metrics', 'period', 'start_time', 'end_time', 'schedule.cron', 'schedule.time_zone', 'channels', 'recipients'];

const route = getRouteApi('/app/audit/reports');

/** Custom reports, and the schedules of all reports. */
export function Reports() {
  const { data, error, refetch } = useQuery(reportsQuery);
  const [editing, setEditing] = useState<Report | 'new'>();
  const [opened, setOpened] = useState(route.useSearch().run);
  const run = useChange(runReport);
  const columns: Column<Report>[] = [
    { id: 'name', header: 'Report', lead: true, sortBy: (row) => row.name, cell: (row) => <><Text size="sm" fw={550}>{row.name}</Text><Text size="xs" className="muted" truncate maw={420}>{row.query || 'Every entry'}</Text></> },
    { id: 'period', header: 'Period', cell: (row) => (row.period ? windowInWords(row.period).replaceAll('_', ' ') : undefined) ?? `${row.start_time?.slice(0, 10)} to ${row.end_time?.slice(0, 10)}` },
    { id: 'groups', header: 'Grouped by', cell: (row) => row.group_by.map((name) => GROUPS.find(({ value }) => value === name)?.label ?? name).join(', ') || 'Nothing' },
    { id: 'schedule', header: 'Next run', sortBy: (row) => row.next_run_at ?? '', cell: (row) => (row.next_run_at ? <When at={row.next_run_at} /> : 'On request') },
    {
      id: 'act', header: '',
      cell: (row) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          <Button size="compact-sm" variant="default" aria-label={`Run ${row.name}`} onClick={() => run.mutate(row.id, { onSuccess: ({ id }) => setOpened(id) })}>Run</Button>
          <Button size="compact-sm" variant="subtle" aria-label={`Change ${row.name}`} onClick={() => setEditing(row)}>Change</Button>
          <Remove room="reports" what={row.name} explain="It runs no more. Its finished runs stay." remove={() => removeReport(row.id)} />
        </Group>
      ),
    },
  ];
  return (
    <Stack gap="lg">
      <Panel title="Custom reports" flush actions={<Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>Add report</Button>}>
        <ProblemAlert error={run.error} />
        {error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : (
          <DataTable
            bare label="Custom reports" columns={columns} rows={data?.items.filter(({ kind }) => kind === 'custom')} rowId={(row) => row.id} pageSize={25}
            empty={<EmptyState title="No custom reports yet">Count events by user, resource or type, once or by schedule.</EmptyState>}
          />
        )}
      </Panel>
      <Runs kind="custom" opened={opened} onOpen={setOpened} />
      {editing && <ReportForm report={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </Stack>
  );
}

function valuesOf(report?: Report) {
  return {
    name: report?.name ?? '',
    query: report?.query ?? '',
    ...periodValues(report),
    group_by: report?.group_by ?? ['user'],
    metrics: report?.metrics ?? METRICS.map(({ value }) => value),
    ...deliveryValues(report),
  };
}

function ReportForm({ report, onClose }: { report?: Report; onClose: () => void }) {
  const create = useChange(createReport);
  const patch = useChange(changeReport);
  const change = report ? patch : create;
  const form = useForm({ initialValues: valuesOf(report), validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) } });
  const submit = form.onSubmit(({ schedule, period, start_time, end_time, ...rest }) => {
    const given = { ...rest, ...periodOf({ period, start_time, end_time }), schedule: scheduleOf(schedule) };
    const onSuccess = ({ name }: Report) => { announce(`“${name}” is saved`); onClose(); };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (report) patch.mutate({ id: report.id, version: report.version, ...given }, { onSuccess, onError });
    else create.mutate(given, { onSuccess, onError });
  });
  return (
    <FormDialog
      title={report ? `Change ${report.name}` : 'Add a report'} size="xl" submit={report ? 'Save' : 'Add report'} error={change.error} marked={MARKED}
      pending={change.isPending} onSubmit={submit} onClose={onClose}
    >
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <TextInput label="Events" description="In the query language; empty for every entry" placeholder="event_type:authentication.*" spellCheck={false} autoComplete="off" {...form.getInputProps('query')} />
      <Period form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect label="Group by" data={GROUPS} {...form.getInputProps('group_by')} />
        <MultiSelect label="Metrics" data={METRICS} {...form.getInputProps('metrics')} />
        <Delivery form={form} />
      </SimpleGrid>
    </FormDialog>
  );
}
