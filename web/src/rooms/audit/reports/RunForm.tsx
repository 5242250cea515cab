import { Button, Group, SimpleGrid, Stack, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormModal } from '../../../display/FormDialog';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Delivery, deliveryValues, scheduleOf } from './Delivery';
import { Period, periodOf, periodValues } from './Period';
import {
  isOf,
  reportsQuery,
  runFramework,
  saveFramework,
  useChange,
  type Report,
  type Template,
} from './queries';

function valuesOf(known?: Report) {
  const filters = known?.filters;
  return {
    ...periodValues(known),
    ...deliveryValues(known),
    accounts: filters?.accounts ?? [],
    users: filters?.users ?? [],
    resources: filters?.resources ?? [],
  };
}

/** The report of a framework: to run it now, or to keep it for a schedule. */
export function RunForm({
  template,
  onClose,
  onRun,
}: {
  template: Template;
  onClose: () => void;
  onRun: (id: string) => void;
}) {
  const { data, isPending } = useQuery(reportsQuery);
  if (isPending) return null;
  const known = data?.items.find((report) => isOf(report, template));
  return <RunFields template={template} known={known} onClose={onClose} onRun={onRun} />;
}

function RunFields({
  template,
  known,
  onClose,
  onRun,
}: {
  template: Template;
  known?: Report;
  onClose: () => void;
  onRun: (id: string) => void;
}) {
  const run = useChange(runFramework);
  const form = useForm({ initialValues: valuesOf(known) });
  const save = useChange(saveFramework);
  const pending = run.isPending || save.isPending;
  const given = ({
    accounts,
    users,
    resources,
    schedule,
    channels,
    recipients,
    ...period
  }: typeof form.values) => ({
    name: template.name,
    framework: template.id,
    ...periodOf(period),
    filters: { accounts, users, resources },
    schedule: scheduleOf(schedule),
    channels,
    recipients,
    known,
  });
  const onError = (error: Error) => form.setErrors(fieldMessages(error));
  const submit = form.onSubmit((values) =>
    run.mutate(given(values), { onSuccess: ({ id }) => onRun(id), onError }),
  );
  const keep = form.onSubmit((values) =>
    save.mutate(given(values), {
      onSuccess: () => {
        announce(`“${template.name}” is saved`);
        onClose();
      },
      onError,
    }),
  );
  return (
    <FormModal onClose={onClose} title={`Report: ${template.name}`} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Period form={form} />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TagsInput label="Accounts" placeholder="All" {...form.getInputProps('accounts')} />
            <TagsInput label="Users" placeholder="All" {...form.getInputProps('users')} />
            <TagsInput label="Resources" placeholder="All" {...form.getInputProps('resources')} />
          </SimpleGrid>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Delivery form={form} />
          </SimpleGrid>
          <ProblemAlert error={run.error ?? save.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button
              variant="default"
              loading={save.isPending}
              disabled={pending}
              onClick={() => keep()}
            >
              Save without running
            </Button>
            <Button type="submit" loading={run.isPending} disabled={pending}>
              Run report
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
