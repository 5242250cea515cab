import {
  Autocomplete,
  Divider,
  NumberInput,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Agent } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { Remove } from '../../display/Remove';
import { cronNote } from '../../display/schedules';
import { options, words } from '../../display/wording';
import { flat, given, initial, settingsGiven, type AgentFields } from './agent-fields';
import { AgentSettings } from './AgentSettings';
import {
  agentTypesQuery,
  configureAgent,
  createAgent,
  removeAgent,
  useChange,
  useScopeChoices,
} from './queries';

const MODES = options(['learning', 'safe_mode', 'active']);
const MEANING: Record<string, string> = {
  learning: 'Recommends only. Changes nothing.',
  safe_mode: 'Applies low-impact changes automatically and requests approval for the rest.',
  active: 'Applies every change within the guardrails and responds to anomalies immediately.',
};
const ZONES = Intl.supportedValuesOf('timeZone');
const IMPACTS = options(['low', 'medium', 'high']);
const TIMINGS = options(['immediate', 'daily_digest', 'weekly_digest', 'never']);
const FIELDS = [
  'name',
  'agent_type',
  'mode',
  'scope.accounts',
  'scope.services',
  'schedule',
  'schedule_time_zone',
  'learning_period',
  'confidence_threshold',
  'auto_apply.max_impact',
  'auto_apply.approval_required',
  'notifications.recommendations',
  'notifications.actions_taken',
  'notifications.anomalies',
  'reason',
];

/** All fields of an agent's configuration (requirements ). */
export function AgentForm({
  agent,
  type,
  onClose,
}: {
  agent?: Agent;
  type?: string;
  onClose: () => void;
}) {
  const types = useQuery(agentTypesQuery);
  const create = useChange(createAgent);
  const configure = useChange(configureAgent);
  const change = agent ? configure : create;
  const form = useForm<AgentFields>({
    initialValues: { ...initial(agent), ...(type ? { agent_type: type } : {}) },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a name' : null) },
  });
  const chosen = types.data?.items.find(({ name }) => name === form.values.agent_type);
  const [settings, setSettings] = useState<Record<string, string>>(() => flat(agent?.settings));
  const changedSettings = () =>
    settingsGiven(
      settings,
      flat(agent?.settings),
      (chosen?.configurable ?? []).map(({ path }) => path),
    );
  const submit = form.onSubmit((fields) => {
    const done = {
      onSuccess: () => {
        announce(agent ? 'Configuration saved.' : 'Agent created.');
        onClose();
      },
      onError: (error: Error) => form.setErrors(fieldMessages(error)),
    };
    if (agent)
      configure.mutate({ agent_id: agent.id, ...given(fields), settings: changedSettings() }, done);
    else
      create.mutate(
        { ...given(fields), agent_type: fields.agent_type, settings: changedSettings() },
        done,
      );
  });
  const { accounts, services } = useScopeChoices();
  // The service names the entry of a list that it refuses; the message belongs to the whole field here.
  const listed = (path: string) => {
    const refused = Object.entries(form.errors)
      .filter(([field]) => field.startsWith(`${path}[`))
      .map(([, message]) => message);
    const { error, ...props } = form.getInputProps(path);
    return { ...props, error: error ?? (refused.length ? refused.join('; ') : undefined) };
  };
  return (
    <FormDialog
      title={agent ? `Configure ${agent.name}` : 'Create an agent'}
      size="xl"
      submit={agent ? 'Save' : 'Create agent'}
      error={change.error}
      marked={[
        ...FIELDS,
        ...(chosen?.configurable ?? []).map(({ path }) => `settings.${path}`),
        ...Object.keys(form.errors),
      ]}
      pending={change.isPending}
      onSubmit={submit}
      onClose={onClose}
      aside={
        agent && (
          <Remove
            what={agent.name}
            room="intelligence"
            explain="Its open recommendations are closed. Its history stays in the audit log."
            remove={() => removeAgent(agent.id)}
            onRemoved={onClose}
          />
        )
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        {agent ? (
          <TextInput label="Agent" value={words(agent.agent_type)} readOnly variant="filled" />
        ) : (
          <Select
            label="Agent"
            required
            allowDeselect={false}
            {...form.getInputProps('agent_type')}
            data={
              types.data?.items.map(({ name, available }) => ({
                value: name,
                label: available ? words(name) : `${words(name)} (not in this release)`,
                disabled: !available,
              })) ?? []
            }
          />
        )}
      </SimpleGrid>
      {chosen && !agent && (
        <Text size="sm" className="muted">
          {chosen.description}
        </Text>
      )}
      <Select
        label="Mode"
        description={MEANING[form.values.mode]}
        data={MODES}
        allowDeselect={false}
        {...form.getInputProps('mode')}
      />
      {form.values.mode !== 'learning' && (agent?.mode ?? 'learning') === 'learning' && (
        <Textarea
          label="Reason for leaving learning"
          description="Required before the learning period ends. Kept in the audit log."
          autosize
          {...form.getInputProps('reason')}
        />
      )}
      <Divider label="Scope" labelPosition="left" />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TagsInput
          label="Accounts"
          placeholder="All"
          description="Connected accounts"
          data={accounts}
          {...listed('scope.accounts')}
        />
        <TagsInput
          label="Services"
          placeholder="All"
          description="Services of the inventory"
          data={services}
          {...listed('scope.services')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label="Learning period"
          min={0}
          max={365}
          suffix=" days"
          {...form.getInputProps('learning_period')}
        />
        <NumberInput
          label="Confidence threshold"
          min={0}
          max={100}
          suffix=" %"
          {...form.getInputProps('confidence_threshold')}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Schedule"
          placeholder="Default interval"
          description={cronNote(
            form.values.schedule,
            'A cron pattern: minute, hour, day, month, weekday',
          )}
          {...form.getInputProps('schedule')}
        />
        <Autocomplete
          label="Its time zone"
          description="IANA name"
          data={ZONES}
          limit={50}
          maxDropdownHeight={240}
          {...form.getInputProps('schedule_time_zone')}
        />
      </SimpleGrid>
      <AgentSettings
        settings={chosen?.configurable ?? []}
        values={settings}
        errors={form.errors}
        onChange={(path, value) => setSettings((before) => ({ ...before, [path]: value }))}
      />
      <Divider label="Automatic changes" labelPosition="left" />
      <Switch
        label="Apply changes automatically"
        {...form.getInputProps('auto_apply.enabled', { type: 'checkbox' })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label="Maximum impact of automatic changes"
          data={IMPACTS}
          allowDeselect={false}
          {...form.getInputProps('auto_apply.max_impact')}
        />
        <Select
          label="Require approval at"
          data={[
            { value: 'medium_impact', label: 'Medium impact and above' },
            { value: 'high_impact', label: 'High impact and above' },
          ]}
          allowDeselect={false}
          {...form.getInputProps('auto_apply.approval_required')}
        />
      </SimpleGrid>
      <Divider label="Notifications" labelPosition="left" />
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Select
          label="Recommendations"
          data={TIMINGS}
          allowDeselect={false}
          {...form.getInputProps('notifications.recommendations')}
        />
        <Select
          label="Actions taken"
          data={TIMINGS}
          allowDeselect={false}
          {...form.getInputProps('notifications.actions_taken')}
        />
        <Select
          label="Anomalies"
          data={TIMINGS}
          allowDeselect={false}
          {...form.getInputProps('notifications.anomalies')}
        />
      </SimpleGrid>
    </FormDialog>
  );
}
