import { MultiSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { Delivery, deliveryValues, scheduleOf } from './Delivery';
import { GROUPS } from './groups';
import { Period, periodOf, periodValues } from './Period';
import { changeReport, createReport, useChange, type Report } from './queries';

const METRICS = [
  { value: 'event_counts', label: 'Event counts' },
  { value: 'unique_users', label: 'Unique users' },
  { value: 'resources_affected', label: 'Resources affected' },
];
const MARKED = [
  'name',
  'query',
  'group_by',
  'metrics',
  'period',
  'start_time',
  'end_time',
  'schedule.cron',
  'schedule.time_zone',
  'channels',
  'recipients',
];

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

/** A custom report to add or change. */
export function ReportForm({ report, onClose }: { report?: Report; onClose: () => void }) {
  const create = useChange(createReport);
  const patch = useChange(changeReport);
  const change = report ? patch : create;
  const form = useForm({
    initialValues: valuesOf(report),
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit(({ schedule, period, start_time, end_time, ...rest }) => {
    const given = {
      ...rest,
      ...periodOf({ period, start_time, end_time }),
      schedule: scheduleOf(schedule),
    };
    const onSuccess = ({ name }: Report) => {
      announce(`“${name}” is saved`);
      onClose();
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    if (report)
      patch.mutate({ id: report.id, version: report.version, ...given }, { onSuccess, onError });
    else create.mutate(given, { onSuccess, onError });
  });
  return (
    <FormDialog
      title={report ? `Change ${report.name}` : 'Add a report'}
      size="xl"
      submit={report ? 'Save' : 'Add report'}
      error={change.error}
      marked={MARKED}
      pending={change.isPending}
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
      <TextInput
        label="Events"
        description="In the query language; empty for every entry"
        placeholder="event_type:authentication.*"
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps('query')}
      />
      <Period form={form} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect label="Group by" data={GROUPS} {...form.getInputProps('group_by')} />
        <MultiSelect label="Metrics" data={METRICS} {...form.getInputProps('metrics')} />
        <Delivery form={form} />
      </SimpleGrid>
    </FormDialog>
  );
}
