import {
  Autocomplete,
  Checkbox,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Skeleton,
  TagsInput,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useChannelNames } from '../../../api/channel-types';
import { fieldMessages } from '../../../api/problem';
import { TimeBars } from '../../../charts/TimeBars';
import { announce } from '../../../display/announce';
import { count, plural } from '../../../display/amounts';
import { FormDialog } from '../../../display/FormDialog';
import { QueryInput } from '../QueryInput';
import {
  changeRule,
  createRule,
  previewQuery,
  useChange,
  type AlertRule,
  type PreviewRequest,
} from './queries';

const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'].map((value) => ({
  value,
  label: value[0]?.toUpperCase() + value.slice(1),
}));
const FIELDS = [
  'user',
  'actor.email',
  'actor.ip_address',
  'event_type',
  'resource.id',
  'resource.account_id',
  'resource.region',
];
const MARKED = [
  'name',
  'condition',
  'threshold.count',
  'threshold.window',
  'threshold.distinct',
  'attack',
  'runbook',
  'group_by',
  'notification.channels',
  'notification.recipients',
  'severity',
];

function valuesOf(rule?: AlertRule) {
  return {
    name: rule?.name ?? '',
    description: rule?.description ?? '',
    condition: rule?.condition ?? '',
    threshold: {
      count: rule?.threshold.count ?? 5,
      window: rule?.threshold.window ?? '5m',
      distinct: rule?.threshold.distinct ?? '',
    },
    group_by: rule ? [rule.group_by].flat() : ['actor.email'],
    notification: {
      channels: rule?.notification.channels ?? [],
      recipients: rule?.notification.recipients ?? [],
    },
    severity: rule?.severity ?? 'medium',
    attack: rule?.attack ?? [],
    runbook: rule?.runbook ?? '',
    draft: false,
  };
}

/** A rule to add or change, tried on the last 30 days while it is written. */
export function RuleForm({ rule, onClose }: { rule?: AlertRule; onClose: () => void }) {
  const channels = useChannelNames();
  const create = useChange(createRule);
  const patch = useChange(changeRule);
  const change = rule ? patch : create;
  const form = useForm({
    initialValues: valuesOf(rule),
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const submit = form.onSubmit((values) => {
    const onSuccess = ({ name }: AlertRule) => {
      announce(`“${name}” is saved`);
      onClose();
    };
    const onError = (error: Error) => form.setErrors(fieldMessages(error));
    const { draft, ...settings } = values;
    if (rule)
      patch.mutate({ id: rule.id, version: rule.version, ...settings }, { onSuccess, onError });
    else create.mutate({ ...settings, state: draft ? 'draft' : 'enabled' }, { onSuccess, onError });
  });
  const { condition, threshold, group_by } = form.values;
  return (
    <FormDialog
      title={rule ? `Change ${rule.name}` : 'Add an alert rule'}
      size="xl"
      submit={rule ? 'Save' : 'Add rule'}
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
      <QueryInput
        label="Condition"
        description="In the query language"
        placeholder="event_type:authentication.login AND status:failed"
        withAsterisk
        {...form.getInputProps('condition')}
        value={form.values.condition}
      />
      <SimpleGrid cols={{ base: 1, sm: 4 }}>
        <NumberInput
          label={threshold.distinct ? 'Values' : 'Entries'}
          min={1}
          max={10_000}
          allowDecimal={false}
          {...form.getInputProps('threshold.count')}
        />
        <TextInput
          label="Within"
          description={undefined}
          placeholder="5m"
          {...form.getInputProps('threshold.window')}
        />
        <Autocomplete
          label="Count values of"
          placeholder="Count entries"
          data={FIELDS}
          {...form.getInputProps('threshold.distinct')}
        />
        <Select
          label="Severity"
          data={SEVERITIES}
          allowDeselect={false}
          {...form.getInputProps('severity')}
        />
      </SimpleGrid>
      <TagsInput
        label="Group by"
        description="Each combination of values is counted apart"
        data={FIELDS}
        {...form.getInputProps('group_by')}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TagsInput
          label="Channels"
          description="A type, or the name of one channel"
          data={[...channels, 'webhook']}
          {...form.getInputProps('notification.channels')}
        />
        <TagsInput
          label="E-mail recipients"
          description="In place of the channel's own"
          {...form.getInputProps('notification.recipients')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TagsInput
          label="MITRE ATT&CK"
          description="Tactics and techniques"
          placeholder="T1110.003"
          {...form.getInputProps('attack')}
        />
        <TextInput
          label="Runbook"
          description="A link for whoever is notified"
          placeholder="https://"
          {...form.getInputProps('runbook')}
        />
      </SimpleGrid>
      <Textarea
        label="Description"
        autosize
        minRows={1}
        maxLength={2000}
        {...form.getInputProps('description')}
      />
      {!rule && (
        <Checkbox
          label="Keep as a draft"
          description="Drafts match no entries until enabled"
          {...form.getInputProps('draft', { type: 'checkbox' })}
        />
      )}
      <Tried
        condition={condition}
        count={threshold.count}
        window={threshold.window}
        distinct={threshold.distinct}
        group_by={group_by}
      />
    </FormDialog>
  );
}

function Tried({
  condition,
  count: entries,
  window,
  distinct,
  group_by,
}: {
  condition: string;
  count: number;
  window: string;
  distinct: string;
  group_by: string[];
}) {
  const [asked] = useDebouncedValue<PreviewRequest>(
    { condition, threshold: { count: entries, window, distinct }, group_by },
    400,
  );
  const { data, error, isFetching } = useQuery({
    ...previewQuery(asked),
    enabled: asked.condition.trim() !== '',
  });
  const fired = useMemo(
    () => data?.buckets.map(({ start, fired: times }) => ({ value: start, count: times })) ?? [],
    [data],
  );
  if (asked.condition.trim() === '') return null;
  return (
    <section aria-label="Preview">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          Last 30 days
        </Text>
        {isFetching && (
          <Text size="xs" className="muted">
            Counting
          </Text>
        )}
      </Group>
      {error && (
        <Text size="sm" className="muted">
          {Object.values(fieldMessages(error))[0] ?? error.message}
        </Text>
      )}
      {!error && !data && <Skeleton h={120} />}
      {!error && data && (
        <>
          <Text size="sm" role="status">
            Would have fired {plural(data.fired, 'time')}: {count(data.matched)} matching{' '}
            {data.matched === 1 ? 'entry' : 'entries'}
            {data.truncated ? ', the earliest of them counted' : ''}.
          </Text>
          <TimeBars label="Firings over the last 30 days" counts={fired} height={120} />
        </>
      )}
    </section>
  );
}
