import type { components } from '../../../api/schema';
import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { cronNote } from '../../../display/schedules';
import { FORMATS } from './ExportForm';
import { createSchedule, destinationsQuery, useChange } from './queries';

const MARKED = ['name', 'format', 'query', 'schedule', 'time_zone', 'destination'];

/** A schedule to add: a format, a query and a destination. */
export function ScheduleForm({ onClose }: { onClose: () => void }) {
  const create = useChange(createSchedule);
  const destinations = useQuery(destinationsQuery).data?.items ?? [];
  const form = useForm({
    initialValues: {
      name: '',
      format: 'json',
      query: '',
      schedule: '0 3 * * *',
      time_zone: '',
      destination: '',
    },
  });
  const submit = form.onSubmit(({ destination, time_zone, ...values }) => {
    const onSuccess = () => {
      announce('Schedule added');
      onClose();
    };
    create.mutate(
      {
        ...values,
        format: values.format as components['schemas']['ExportFormat'],
        time_zone: time_zone.trim() || undefined,
        destination: destination || undefined,
      },
      { onSuccess, onError: (error: Error) => form.setErrors(fieldMessages(error)) },
    );
  });
  return (
    <FormDialog
      title="Add a scheduled export"
      submit="Add schedule"
      error={create.error}
      marked={MARKED}
      pending={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        withAsterisk
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select
          label="Format"
          data={FORMATS}
          allowDeselect={false}
          {...form.getInputProps('format')}
        />
        <TextInput
          label="Schedule"
          description={cronNote(form.values.schedule, 'Minute, hour, day, month, weekday')}
          {...form.getInputProps('schedule')}
        />
        <TextInput
          label="Time zone"
          description="IANA name; empty for the workspace's"
          {...form.getInputProps('time_zone')}
        />
      </SimpleGrid>
      <TextInput
        label="Query"
        description="Empty for every entry"
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps('query')}
      />
      {destinations.length > 0 && (
        <Select
          label="Destination"
          data={[
            { value: '', label: 'Download only' },
            ...destinations.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('destination')}
        />
      )}
    </FormDialog>
  );
}
