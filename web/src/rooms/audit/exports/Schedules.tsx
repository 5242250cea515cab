import { Button, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { FormDialog } from '../../../display/FormDialog';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { cronInWords, cronNote } from '../../../display/schedules';
import { When } from '../../../display/When';
import { FORMATS } from './ExportForm';
import { createSchedule, destinationsQuery, removeSchedule, schedulesQuery, useChange, type Schedule } from './queries';

const MARKED = ['name', 'format', 'query', 'schedule', 'time_zone', 'destination'];

/** Scheduled exports. */
export function Schedules() {
  const { data, error, refetch } = useQuery(schedulesQuery);
  const [adding, setAdding] = useState(false);
  const columns: Column<Schedule>[] = [
    { id: 'name', header: 'Schedule', lead: true, sortBy: (row) => row.name, cell: (row) => <><Text size="sm" fw={550}>{row.name}</Text><Text size="xs" className="muted">{row.query || 'Every entry'}</Text></> },
    { id: 'format', header: 'Format', cell: (row) => row.format.toUpperCase() },
    { id: 'runs', header: 'Runs', cell: (row) => <span title={row.schedule}>{`${cronInWords(row.schedule) ?? row.schedule} (${row.time_zone})`}</span> },
    { id: 'next', header: 'Next run', cell: (row) => (row.next_run_at ? <When at={row.next_run_at} form="ago" /> : 'Disabled') },
    { id: 'remove', header: '', align: 'right', cell: (row) => <Remove room="exports" what={row.name} explain="No more exports are made by it. Files that exist stay." remove={() => removeSchedule(row.id)} /> },
  ];
  return (
    <Panel title="Scheduled exports" note="Each run covers what was recorded since the last run that succeeded." flush actions={<Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>Add schedule</Button>}>
      {error ? <ProblemAlert error={error} onRetry={() => void refetch()} /> : (
        <DataTable bare label="Scheduled exports" columns={columns} rows={data?.items} rowId={(row) => row.id} pageSize={10} empty={<EmptyState title="No scheduled exports">Add one to archive the log every night.</EmptyState>} />
      )}
      {adding && <ScheduleForm onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function ScheduleForm({ onClose }: { onClose: () => void }) {
  const create = useChange(createSchedule);
  const destinations = useQuery(destinationsQuery).data?.items ?? [];
  const form = useForm({ initialValues: { name: '', format: 'json', query: '', schedule: '0 3 * * *', time_zone: '', destination: '' } });
  const submit = form.onSubmit(({ destination, time_zone, ...values }) => {
    const onSuccess = () => { announce('Schedule added'); onClose(); };
    create.mutate({ ...values, time_zone: time_zone.trim() || undefined, destination: destination || undefined }, { onSuccess, onError: (error: Error) => form.setErrors(fieldMessages(error)) });
  });
  return (
    <FormDialog title="Add a scheduled export" submit="Add schedule" error={create.error} marked={MARKED} pending={create.isPending} onSubmit={submit} onClose={onClose}>
      <TextInput label="Name" withAsterisk maxLength={100} data-autofocus {...form.getInputProps('name')} />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select label="Format" data={FORMATS} allowDeselect={false} {...form.getInputProps('format')} />
        <TextInput label="Schedule" description={cronNote(form.values.schedule, 'Minute, hour, day, month, weekday')} {...form.getInputProps('schedule')} />
        <TextInput label="Time zone" description="IANA name; empty for the workspace's" {...form.getInputProps('time_zone')} />
      </SimpleGrid>
      <TextInput label="Query" description="Empty for every entry" spellCheck={false} autoComplete="off" {...form.getInputProps('query')} />
      {destinations.length > 0 && <Select label="Destination" data={[{ value: '', label: 'Download only' }, ...destinations.map(({ id, name }) => ({ value: id, label: name }))]} allowDeselect={false} {...form.getInputProps('destination')} />}
    </FormDialog>
  );
}
