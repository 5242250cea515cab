import { Button, Card, Group, Modal, SimpleGrid, Skeleton, Stack, TagsInput, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldMessages } from '../../../api/problem';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Period, periodOf, periodValues } from './Period';
import { Runs } from './Runs';
import { reportsQuery, runFramework, templatesQuery, useChange, type Report, type Template } from './queries';

/** Compliance reports: a framework, a period, filters, and the runs. */
export function Compliance() {
  const { data, error, refetch } = useQuery(templatesQuery);
  const [chosen, setChosen] = useState<Template>();
  const [opened, setOpened] = useState<string>();
  return (
    <Stack gap="lg">
      <Panel title="Frameworks" note="Each control with its evidence in the log, exceptions to review, and what no log can show.">
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {!data && !error && [1, 2, 3].map((key) => <Skeleton key={key} h={120} />)}
          {data?.items.map((template) => (
            <Card key={template.id} withBorder component="section" aria-label={template.name}>
              <Text fw={600}>{template.name}</Text>
              <Text size="xs" className="muted" mb={6}>{template.edition}</Text>
              <Text size="sm" lineClamp={4} mb="sm">{template.scope}</Text>
              <Group justify="space-between" mt="auto">
                <Text size="xs" className="muted">{template.controls.length} controls</Text>
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

function valuesOf(known?: Report) {
  const filters = known?.filters;
  return { ...periodValues(known), accounts: filters?.accounts ?? [], users: filters?.users ?? [], resources: filters?.resources ?? [] };
}

function RunForm({ template, onClose, onRun }: { template: Template; onClose: () => void; onRun: (id: string) => void }) {
  const { data, isPending } = useQuery(reportsQuery);
  if (isPending) return null;
  const known = data?.items.find(({ name, framework }) => framework === template.id && name === template.name);
  return <RunFields template={template} known={known} onClose={onClose} onRun={onRun} />;
}

function RunFields({ template, known, onClose, onRun }: { template: Template; known?: Report; onClose: () => void; onRun: (id: string) => void }) {
  const run = useChange(runFramework);
  const form = useForm({ initialValues: valuesOf(known) });
  const submit = form.onSubmit(({ accounts, users, resources, ...period }) => {
    const given = { name: template.name, framework: template.id, ...periodOf(period), filters: { accounts, users, resources } };
    run.mutate({ ...given, known }, { onSuccess: ({ id }) => onRun(id), onError: (error: Error) => form.setErrors(fieldMessages(error)) });
  });
  return (
    <Modal opened onClose={onClose} title={`Report: ${template.name}`} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Period form={form} />
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TagsInput label="Accounts" placeholder="All" {...form.getInputProps('accounts')} />
            <TagsInput label="Users" placeholder="All" {...form.getInputProps('users')} />
            <TagsInput label="Resources" placeholder="All" {...form.getInputProps('resources')} />
          </SimpleGrid>
          <ProblemAlert error={run.error} />
          <Group justify="flex-end"><Button variant="default" onClick={onClose}>Close</Button><Button type="submit" loading={run.isPending}>Run report</Button></Group>
        </Stack>
      </form>
    </Modal>
  );
}
