import { Alert, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Plan, Recommendation } from '../../api/bodies';
import { announce } from '../../display/announce';
import { Facts } from '../../display/Facts';
import { FormDialog } from '../../display/FormDialog';
import { applicabilityInWords, signers } from './Applicable';
import { Steps } from './PlanSteps';
import { requestException, useChange } from './queries';

interface Props {
  of: Recommendation;
  plan: Plan;
  onClose: () => void;
}

/** Asks for an exception to the guardrail that blocks a plan. Sends the hash of what was shown. */
export function ExceptionDialog({ of: one, plan, onClose }: Props) {
  const [reason, setReason] = useState('');
  const ask = useChange(requestException);
  const send = () => {
    ask.mutate(
      { id: one.id, plan_hash: plan.hash, reason: reason.trim() },
      {
        onSuccess: ({ needed }) => {
          announce(`Requested. Waiting for approval by ${signers(needed)}.`);
          onClose();
        },
      },
    );
  };
  return (
    <FormDialog
      title="Request an exception?"
      size="lg"
      submit="Request exception"
      error={ask.error}
      marked={['reason']}
      pending={ask.isPending}
      disabled={reason.trim() === ''}
      onSubmit={send}
      onClose={onClose}
      explain="It lifts this one limit for exactly these steps, once. Someone else must approve it, and the grant is in the log."
    >
      <Text fw={500}>{one.title}</Text>
      {one.applicability && (
        <Alert color="orange" variant="light">
          {applicabilityInWords(one.applicability)}
        </Alert>
      )}
      <Steps plan={plan} resource={one.resource} />
      <Facts
        of={[
          ['Cost', one.impact.cost],
          ['Performance', one.impact.performance],
        ]}
      />
      <Textarea
        label="Reason"
        description="Shown to the approvers"
        required
        autosize
        minRows={2}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
