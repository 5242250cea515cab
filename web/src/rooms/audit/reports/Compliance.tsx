import { Button, Card, Group, SimpleGrid, Skeleton, Stack, TagsInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormModal } from '../../../display/FormDialog';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { Delivery, deliveryValues, scheduleOf } from './Delivery';
import { Period, periodOf, periodValues } from './Period';
import { Runs } from './Runs';
import { reportsQuery, runFramework, saveFramework, templatesQuery, useChange, type Report, type Template } from './queries';

const route = getRouteApi('/app/audit/compliance');

/** Compliance reports: a framework, a period, filters, and the runs. */
export function Compliance() {
  const { data, error, refetch } = useQuery(templatesQuery);
  const [chosen, setChosen] = useState<Template>();
  const [opened, setOpened] = useState(route.useSearch().run);
  const reports = useQuery(reportsQuery).data?.items;
  return (
    <Stack gap="lg">
      <Panel title="Frameworks" note="Evidence, exceptions and gaps for each control.">
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {!data && !error && [1, 2, 3].map((key) => <Skeleton key={key} h={120} />)}
          {data?.items.map((template) => (
            <Card key={template.id} withBorder component="section" aria-label={template.name}>
              <Text fw={600}>{template.name}</Text>
              <Text size="xs" className="muted" mb={6}>{template.edition}</Text>
              <Text size="sm" lineClamp={4} mb="sm">{template.scope}</Text>
              <Group justify="space-between" mt="auto">
                <Text size="xs" className="muted">{template.controls.length} controls<NextRun report={reports?.find((report) => isOf(report, template))} /></Text>
                <Button size="xs" variant="default" aria-label={`Create a report for ${template.name}`} onClick={() => setChosen(template)}>Create report</Button>
              </Group>
            </Card>
          ))}
        </SimpleGrid>
      </Panel>
      <Runs kind="compliance" opened={opened} onOpen={setOpened} />
      {chosen && <RunForm template={chosen} onClose={() => setChosen(undefined)} onRun={(id) => { setChosen(undefined); setOpened(id); }} />}
    </Stack>
  );
}

/** The report that the page keeps for a framework. */
const isOf = ({ name, framework }: Report, template: Template) => framework === template.id && name === template.name;

function NextRun({ report }: { report?: Report }) {
  return report?.next_run_at ? <>, next run <When at={report.next_run_at} /></> : null;
}

function valuesOf(known?: Report) {
  const filters = known?.filters;
  return { ...periodValues(known), ...deliveryValues(known), accounts: filters?.accounts ?? [], users: filters?.users ?? [], resources: filters?.resources ?? [] };
}

function RunForm({ template, onClose, onRun }: { template: Template; onClose: () => void; onRun: (id: string) => void }) {
  const { data, isPending } = useQuery(reportsQuery);
  if (isPending) return null;
  const known = data?.items.find((report) => isOf(report, template));
  return <RunFields template={template} known={known} onClose={onClose} onRun={onRun} />;
}

function RunFields({ template, known, onClose, onRun }: { template: Template; known?: Report; onClose: () => void; onRun: (id: string) => void }) {
  const run = useChange(runFramework);
  const form = useForm({ initialValues: valuesOf(known) });
  const save = useChange(saveFramework);
  const pending = run.isPending || save.isPending;
  const given = ({ accounts, users, resources, schedule, channels, recipients, ...period }: typeof form.values) => ({
    name: template.name, framework: template.id, ...periodOf(period), filters: { accounts, users, resources }, schedule: scheduleOf(schedule), channels, recipients, known,
  });
  const onError = (error: Error) => form.setErrors(fieldMessages(error));
  const submit = form.onSubmit((values) => run.mutate(given(values), { onSuccess: ({ id }) => onRun(id), onError }));
  const keep = form.onSubmit((values) => save.mutate(given(values), { onSuccess: () => { announce(`“${template.name}” is saved`); onClose(); }, onError }));
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
          <SimpleGrid cols={{ base: 1, sm: 2 }}><Delivery form={form} /></SimpleGrid>
          <ProblemAlert error={run.error ?? save.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>Close</Button>
            <Button variant="default" loading={save.isPending} disabled={pending} onClick={() => keep()}>Save without running</Button>
            <Button type="submit" loading={run.isPending} disabled={pending}>Run report</Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}
