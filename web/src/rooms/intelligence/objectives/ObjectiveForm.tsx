import { Group, NumberInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { metricLabel } from '../../../display/metric-names';
import { words } from '../../../display/wording';
import {
  changeObjective,
  createObjective,
  servicesQuery,
  useChange,
  type Objective,
} from './queries';
import { METRICS, sentTarget, typedTarget, typedUnit, WINDOWS } from './wording';

const MARKED = ['name', 'metric', 'target', 'share_percent', 'window_days'];
/** Where the form shows an error of a field that the service names otherwise. */
const NAMES: Record<string, string> = {
  service: 'resource',
  'service.resource_id': 'resource',
  'service.tag.name': 'tag',
  'service.tag.value': 'tag',
};

export function ObjectiveForm({
  objective,
  onClose,
}: {
  objective?: Objective;
  onClose: () => void;
}) {
  const { data: services } = useQuery(servicesQuery);
  const create = useChange(createObjective);
  const replace = useChange(changeObjective);
  const change = objective ? replace : create;
  const tag = objective?.service.tag;
  const form = useForm({
    initialValues: {
      name: objective?.name ?? '',
      of: tag ? 'tag' : 'resource',
      resource: objective?.service.resource_id ?? '',
      tag: tag ? `${tag.name}=${tag.value}` : '',
      metric: objective?.metric ?? 'response_time',
      target: (objective ? typedTarget(objective.metric, objective.target) : '') as number | string,
      share_percent: (objective?.share_percent ?? 99) as number | string,
      window_days: String(objective?.window_days ?? 28),
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name' : null),
      resource: (value, { of }) => (of === 'resource' && value === '' ? 'Choose a resource' : null),
      tag: (value, { of }) =>
        of === 'tag' && !/^[^=]+=.+$/.test(value.trim()) ? 'Write the tag as name=value' : null,
      target: (value) => (Number(value) > 0 ? null : 'Enter a value above 0'),
    },
  });
  const { of, metric } = form.values;
  const submit = form.onSubmit((given) => {
    const at = given.tag.indexOf('=');
    const settings = {
      name: given.name.trim(),
      service: {
        resource_id: given.of === 'tag' ? null : given.resource,
        tag:
          given.of === 'tag'
            ? { name: given.tag.slice(0, at).trim(), value: given.tag.slice(at + 1).trim() }
            : null,
      },
      metric: given.metric,
      target: sentTarget(given.metric, Number(given.target)),
      share_percent: Number(given.share_percent),
      window_days: Number(given.window_days),
      version: objective?.version,
    };
    const done = {
      onSuccess: () => {
        announce(objective ? 'Objective changed.' : 'Objective added.');
        onClose();
      },
      onError: (error: Error) => {
        const messages = Object.entries(fieldMessages(error));
        form.setErrors(
          Object.fromEntries(messages.map(([name, text]) => [NAMES[name] ?? name, text])),
        );
      },
    };
    if (objective) replace.mutate({ id: objective.id, ...settings }, done);
    else create.mutate(settings, done);
  });
  return (
    <FormDialog
      title={objective ? `Change ${objective.name}` : 'Add an objective'}
      submit={objective ? 'Save' : 'Add objective'}
      size="lg"
      error={change.error}
      marked={[...MARKED, ...Object.keys(NAMES)]}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
      <Group grow align="flex-start">
        <Select
          label="Service"
          data={[
            { value: 'resource', label: 'One resource' },
            { value: 'tag', label: 'Resources with a tag' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('of')}
        />
        {of === 'tag' ? (
          <TextInput label="Tag" required placeholder="team=shop" {...form.getInputProps('tag')} />
        ) : (
          <Select
            label="Resource"
            required
            searchable
            limit={50}
            nothingFoundMessage="No load balancer, group, database or queue matches"
            data={services?.map(({ id, name, type }) => ({
              value: id,
              label: `${name || id} (${words(type)})`,
            }))}
            {...form.getInputProps('resource')}
          />
        )}
      </Group>
      <Group grow align="flex-start">
        <Select
          label="Metric"
          data={METRICS.map((name) => ({ value: name, label: metricLabel(name) ?? name }))}
          allowDeselect={false}
          {...form.getInputProps('metric')}
        />
        <NumberInput
          label="Target"
          required
          min={0}
          description={`${typedUnit(metric)}, at ${metric === 'user_experience_score' ? 'least' : 'most'}`}
          {...form.getInputProps('target')}
        />
      </Group>
      <Group grow align="flex-start">
        <NumberInput
          label="Share of the time"
          required
          min={50}
          max={99.99}
          decimalScale={2}
          description="Percent in which the target is met"
          {...form.getInputProps('share_percent')}
        />
        <Select
          label="Window"
          description="Days over which the share is counted"
          data={WINDOWS.map((days) => ({ value: days, label: `${days} days` }))}
          allowDeselect={false}
          {...form.getInputProps('window_days')}
        />
      </Group>
    </FormDialog>
  );
}
