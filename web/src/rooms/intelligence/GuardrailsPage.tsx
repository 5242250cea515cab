import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Guardrails } from '../../api/bodies';
import { fieldMessages } from '../../api/problem';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { DurationInput } from '../../display/DurationInput';
import { LENGTHS, type Unit } from '../../display/durations';
import { lazyComponent } from '../../display/lazy';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { useUnsavedWarning } from '../../display/unsaved';
import { WhenSeen } from '../../display/WhenSeen';
import { VIEW_LOG } from '../../shell/navigation';
import { initial, wire, type GuardrailFields, objections } from './guardrails/fields';
import { InUse } from './guardrails/InUse';
import { KillSwitch } from './KillSwitch';
import { guardrailsQuery, setGuardrails, useChange } from './queries';

const GuardrailHistory = lazyComponent(
  () => import('./guardrails/GuardrailHistory'),
  'GuardrailHistory',
);

export function GuardrailsPage() {
  const may = useMay();
  const { data, error, refetch } = useQuery(guardrailsQuery);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={360} radius="lg" />;
  return (
    <Stack gap="lg">
      <KillSwitch on={data.kill_switch ?? false} />
      <InUse of={data} />
      <Limits key={data.version} of={data} />
      {VIEW_LOG.some(may) && (
        <WhenSeen>
          <GuardrailHistory version={data.version} />
        </WhenSeen>
      )}
    </Stack>
  );
}

const SIGNERS = [
  { value: 'manager', label: 'Manager' },
  { value: 'director', label: 'Director' },
  { value: 'security', label: 'Security' },
];

/** Longest duration that a field takes; the service names shorter limits. */
const MOST_SECONDS = 365 * LENGTHS.days;

const MARKED = [
  'cost_impact.max_increase',
  'cost_impact.max_decrease',
  'performance_impact.max_degradation',
  'availability.min_uptime',
  'rollback.timeout',
  'blast_radius.max_actions_per_run',
  'blast_radius.max_actions_per_day',
  'blast_radius.max_share_per_day',
  'cool_down',
  'breaker_failures',
  'verification.window',
  'approval_matrix.medium_from',
  'approval_matrix.high_above',
  'approval_matrix.high_impact.approval',
];

function Limits({ of: guardrails }: { of: Guardrails }) {
  const may = useMay();
  const locked = !may('intelligence.configure');
  const matrixLocked = !may('administer');
  const form = useForm<GuardrailFields>({
    initialValues: initial(guardrails),
    validate: objections,
    validateInputOnBlur: true,
  });
  const [reason, setReason] = useState('');
  const save = useChange(setGuardrails);
  useUnsavedWarning(form.isDirty() && !save.isPending && !save.isSuccess);
  const submit = form.onSubmit((values) => {
    save.mutate(
      { ...wire(values, guardrails.version), reason: reason.trim() },
      {
        onSuccess: () => announce('Guardrails saved.'),
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  const percent = (label: string, field: string, description: string, max = 100) => (
    <NumberInput
      label={label}
      description={description}
      min={0}
      clampBehavior="none"
      max={max}
      decimalScale={3}
      suffix=" %"
      readOnly={locked}
      {...form.getInputProps(field)}
    />
  );
  const watched = Number(form.values.verification.window);
  const duration = (label: string, field: string, description: string, units: Unit[]) => (
    <DurationInput
      label={label}
      description={description}
      unit="seconds"
      units={units}
      max={MOST_SECONDS}
      readOnly={locked}
      {...form.getInputProps(field)}
    />
  );
  const whole = (label: string, field: string, description: string) => (
    <NumberInput
      label={label}
      description={description}
      min={0}
      clampBehavior="none"
      allowDecimal={false}
      thousandSeparator=","
      readOnly={locked}
      {...form.getInputProps(field)}
    />
  );
  const dollars = (label: string, field: string, description: string) => (
    <NumberInput
      label={label}
      description={description}
      min={0}
      clampBehavior="none"
      prefix="$"
      thousandSeparator=","
      readOnly={matrixLocked}
      {...form.getInputProps(field)}
    />
  );
  const signers = (label: string, field: string) => (
    <Checkbox.Group
      label={label}
      description="Required signatures; leave empty to apply automatically"
      readOnly={matrixLocked}
      {...form.getInputProps(field)}
      error={
        form.getInputProps(field).error ?? form.errors[field.replace('.signatures', '.approval')]
      }
    >
      <Stack gap={6} my={6}>
        {SIGNERS.map(({ value, label: name }) => (
          <Checkbox key={value} value={value} label={name} size="xs" />
        ))}
      </Stack>
    </Checkbox.Group>
  );
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {locked && (
          <Text size="sm" className="muted">
            The limits are shown as they are; operators and administrators may change them.
          </Text>
        )}
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Panel
            title="Limits of one change"
            note="A change beyond a limit is blocked, and the block is logged"
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {percent(
                'Highest cost increase',
                'cost_impact.max_increase',
                'Of what the resource costs; a larger size can need more than 100 %',
                10_000,
              )}
              {percent(
                'Highest cost decrease',
                'cost_impact.max_decrease',
                'By a smaller size; what is not used may be stopped',
              )}
              {percent(
                'Highest degradation',
                'performance_impact.max_degradation',
                'Of performance',
              )}
              {percent('Lowest uptime', 'availability.min_uptime', 'Kept as an error budget')}
            </SimpleGrid>
          </Panel>
          <Panel title="Rolling back" note="When a change fails or makes metrics worse">
            <Stack gap="md">
              <Switch
                label="Roll back automatically"
                disabled={locked}
                {...form.getInputProps('rollback.automatic', { type: 'checkbox' })}
              />
              <SimpleGrid cols={{ base: 1, sm: 2 }}>
                {duration(
                  'Time limit',
                  'rollback.timeout',
                  'A change that takes longer is rolled back',
                  ['seconds', 'minutes', 'hours'],
                )}
                {whole(
                  'Circuit breaker',
                  'breaker_failures',
                  'Consecutive failures that stop all changes',
                )}
              </SimpleGrid>
            </Stack>
          </Panel>
          <Panel title="Blast radius" note="Limits for simultaneous changes">
            <SimpleGrid cols={{ base: 1, sm: 3 }}>
              {whole('Changes in one run', 'blast_radius.max_actions_per_run', 'Of one agent')}
              {whole('Changes in a day', 'blast_radius.max_actions_per_day', 'Of all agents')}
              {percent(
                'Share in a day',
                'blast_radius.max_share_per_day',
                'Of the resources in scope',
              )}
            </SimpleGrid>
          </Panel>
          <Panel title="After a change" note="Cool-down and observation of a changed resource">
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {duration('Cool-down', 'cool_down', 'Time without another change', [
                'minutes',
                'hours',
                'days',
              ])}
              {duration(
                'Watch',
                'verification.window',
                watched ? 'Metrics are compared for this time' : 'Metrics are not compared',
                ['minutes', 'hours', 'days'],
              )}
            </SimpleGrid>
          </Panel>
        </SimpleGrid>
        <Panel
          title="Approval matrix"
          note={`The higher of monthly cost and risk decides which signatures a change needs${matrixLocked ? '; administrators can change it' : ''}`}
        >
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 5 }}>
            {dollars(
              'Medium impact from',
              'approval_matrix.medium_from',
              'Monthly cost; less is low impact',
            )}
            {dollars('High impact above', 'approval_matrix.high_above', 'Monthly cost')}
            {signers('Low impact', 'approval_matrix.low_impact.signatures')}
            {signers('Medium impact', 'approval_matrix.medium_impact.signatures')}
            {signers('High impact', 'approval_matrix.high_impact.signatures')}
          </SimpleGrid>
        </Panel>
        <ProblemAlert error={save.error} marked={MARKED} />
        {!locked && (
          <Group align="flex-end">
            {form.isDirty() && (
              <TextInput
                label="Reason for the change"
                description="Kept in the audit log"
                required
                w={360}
                maxLength={2000}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
            <Button
              type="submit"
              loading={save.isPending}
              disabled={!form.isDirty() || reason.trim() === ''}
            >
              Save guardrails
            </Button>
            {form.isDirty() && (
              <Button variant="subtle" color="gray" onClick={form.reset}>
                Discard changes
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </form>
  );
}
