import { Alert, Group, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Plan, Recommendation } from '../../api/bodies';
import { asProblem } from '../../api/problem';
import { announce } from '../../display/announce';
import { money } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { FormDialog } from '../../display/FormDialog';
import { needsSignatures, signaturesFor } from './approval-matrix';
import { BlockNote } from './change/BlockNote';
import { Losses, PlanMarks, Steps } from './PlanSteps';
import { execute, guardrailsQuery, useChange } from './queries';

interface Props {
  of: Recommendation;
  plan: Plan;
  onClose: () => void;
}

/** The last look before a change: the plan, its impact, whose approval it needs. Sends the hash of what was shown. */
export function ApplyDialog({ of: one, plan, onClose }: Props) {
  const [comment, setComment] = useState('');
  const queries = useQueryClient();
  const { data: guardrails } = useQuery(guardrailsQuery);
  const apply = useChange(execute);
  const { code, block } = asProblem(apply.error);
  const changed = code === 'plan_changed';
  const send = () => {
    apply.mutate(
      { id: one.id, plan_hash: plan.hash, comment: comment.trim() || undefined },
      {
        onSuccess: (answer) => {
          announce(answer.message);
          onClose();
        },
      },
    );
  };
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: ['intelligence', 'recommendation', one.id] });
    apply.reset();
  };
  return (
    <FormDialog
      title="Apply this change now?"
      size="lg"
      error={block ? undefined : apply.error}
      pending={apply.isPending}
      onClose={onClose}
      submit={
        changed
          ? 'Show the new plan'
          : !needsSignatures(one.impact_level, guardrails?.approval_matrix)
            ? 'Apply now'
            : 'Request approval'
      }
      onSubmit={changed ? () => void reload() : send}
    >
      <Group justify="space-between" gap="xs">
        <Text fw={500} style={{ flex: '1 1 260px' }}>
          {one.title}
        </Text>
        <PlanMarks plan={plan} />
      </Group>
      <Steps plan={plan} resource={one.resource} />
      <Losses plan={plan} />
      <Facts
        of={[
          [
            (one.savings.expected_monthly ?? 0) >= 0 ? 'Savings' : 'Costs more',
            one.savings.expected_monthly == null
              ? 'Price unknown'
              : `${money(Math.abs(one.savings.expected_monthly))} a month`,
          ],
          ['Performance', one.impact.performance],
          ['Approval', signaturesFor(one.impact_level, guardrails?.approval_matrix)],
        ]}
      />
      {plan.restart_needed && (
        <Alert color="yellow" variant="light">
          {one.resource.name} is down while it changes.
        </Alert>
      )}
      {block && <BlockNote of={block} />}
      <TextInput
        label="Comment (kept in the audit log)"
        placeholder="Optional"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
