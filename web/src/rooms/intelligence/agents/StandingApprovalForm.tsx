import { Textarea } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Agent, EmergencyKind, StandingApproval } from '../../../api/bodies';
import { fieldMessages } from '../../../api/problem';
import { announce } from '../../../display/announce';
import { EndInput, inDays, UP_TO_A_YEAR } from '../../../display/EndInput';
import { FormDialog } from '../../../display/FormDialog';
import { fromInput } from '../../../display/instants';
import { words } from '../../../display/wording';
import { useChange } from '../queries';
import { endStandingApproval, giveStandingApproval } from './emergency-queries';

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
      <EndInput
        description="Your time zone; at most 366 days ahead"
        required
        periods={UP_TO_A_YEAR}
        first="1 month"
        input={form.getInputProps('until')}
        onPick={(time) => form.setFieldValue('until', time)}
      />
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
