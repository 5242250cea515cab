import { Chip, Group, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Agent, EmergencyKind, StandingApproval } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { fromInput, toInput } from '../../../display/instants';
import { words } from '../../../display/wording';
import { useChange } from '../queries';
import { endStandingApproval, giveStandingApproval } from './emergency-queries';

const PERIODS: [string, number][] = [
  ['1 week', 7],
  ['1 month', 30],
  ['3 months', 91],
  ['1 year', 365],
];

const inDays = (days: number) => toInput(new Date(Date.now() + days * 86_400_000));

/** Approves a kind of emergency of an agent beforehand, until a time. */
export function StandingApprovalForm({
  agent,
  kind,
  onClose,
}: {
  agent: Agent;
  kind: EmergencyKind;
  onClose: () => void;
}) {
  const give = useChange(giveStandingApproval);
  const [period, setPeriod] = useState<string>('1 month');
  const form = useForm({
    initialValues: { reason: '', until: inDays(30) },
    validate: {
      reason: (value) => (value.trim() === '' ? 'Enter a reason' : null),
      until: (value) =>
        !value || new Date(value).getTime() <= Date.now() ? 'Choose a time in the future' : null,
    },
  });
  const submit = form.onSubmit(({ reason, until }) => {
    give.mutate(
      { agent_id: agent.id, rule: kind.rule, reason: reason.trim(), until: fromInput(until) ?? '' },
      {
        onSuccess: () => {
          announce('Standing approval saved with your signature.');
          onClose();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <FormDialog
      title={`Approve beforehand: ${words(kind.rule)}`}
      submit="Approve"
      error={give.error}
      marked={['reason', 'until']}
      pending={give.isPending}
      onSubmit={submit}
      onClose={onClose}
      explain={`${kind.description} ${agent.name} then does it at once, within its limits, without asking anyone. It ends early if the agent's scope or limits are widened, and you can end it at any time.`}
    >
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('reason')}
      />
      <div>
        <TextInput
          label="Ends"
          type="datetime-local"
          withAsterisk
          description="Your time zone; at most 366 days ahead"
          {...form.getInputProps('until')}
          onChange={(event) => {
            form.setFieldValue('until', event.currentTarget.value);
            setPeriod('');
          }}
        />
        <Group gap="xs" mt={8}>
          {PERIODS.map(([label, days]) => (
            <Chip
              key={label}
              size="xs"
              checked={period === label}
              onChange={() => {
                setPeriod(label);
                form.setFieldValue('until', inDays(days));
              }}
            >
              {label}
            </Chip>
          ))}
        </Group>
      </div>
    </FormDialog>
  );
}

/** Ends a standing approval, with a reason. */
export function EndApproval({
  agent,
  approval,
  onClose,
}: {
  agent: Agent;
  approval: StandingApproval;
  onClose: () => void;
}) {
  const end = useChange(endStandingApproval);
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: (value) => (value.trim() === '' ? 'Enter a reason' : null) },
  });
  const submit = form.onSubmit(({ reason }) => {
    end.mutate(
      { agent_id: agent.id, id: approval.id, reason: reason.trim() },
      {
        onSuccess: () => {
          announce('Standing approval ended.');
          onClose();
        },
        onError: (error) => form.setErrors(fieldMessages(error)),
      },
    );
  });
  return (
    <FormDialog
      title={`End the standing approval: ${words(approval.rule)}`}
      submit="End"
      error={end.error}
      marked={['reason']}
      pending={end.isPending}
      onSubmit={submit}
      onClose={onClose}
      explain="Findings of this kind wait for people from now on. What runs already continues."
    >
      <Textarea
        label="Reason"
        withAsterisk
        autosize
        minRows={2}
        data-autofocus
        {...form.getInputProps('reason')}
      />
    </FormDialog>
  );
}
