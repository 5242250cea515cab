import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Plan, Recommendation } from '../../api/bodies';
import { asProblem } from '../../api/problem';
import { announce } from '../../display/announce';
import { money } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { ProblemAlert } from '../../display/ProblemAlert';
import { signaturesFor } from './approval-matrix';
import { PlanMarks, Steps } from './PlanSteps';
import { execute, useChange } from './queries';

interface Props {
  of: Recommendation;
  plan: Plan;
  onClose: () => void;
}

/** The last look before a change: the plan, its impact, whose approval it needs. Sends the hash of what was shown. */
export function ApplyDialog({ of: one, plan, onClose }: Props) {
  const [comment, setComment] = useState('');
  const queries = useQueryClient();
  const apply = useChange(execute);
  const changed = apply.error && asProblem(apply.error).code === 'plan_changed';
  const send = () => {
    apply.mutate({ id: one.id, plan_hash: plan.hash, comment: comment.trim() || undefined }, {
      onSuccess: (answer) => {
        announce(answer.message);
        onClose();
      },
    });
  };
  const reload = async () => {
    await queries.invalidateQueries({ queryKey: ['intelligence', 'recommendation', one.id] });
    apply.reset();
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={<Text fw={600}>Apply this change now?</Text>}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs"><Text fw={500} style={{ flex: '1 1 260px' }}>{one.title}</Text><PlanMarks plan={plan} /></Group>
        <Steps plan={plan} />
        <Facts
          of={[
            ['Savings', `${money(one.savings.monthly)} a month`],
            ['Performance', one.impact.performance],
            ['Approval', signaturesFor(one.impact_level)],
          ]}
        />
        {plan.restart_needed && <Alert color="yellow" variant="light">{one.resource.name} is down while it changes.</Alert>}
        <TextInput label="Comment for the log" placeholder="Optional" value={comment} onChange={(event) => setComment(event.currentTarget.value)} />
        <ProblemAlert error={apply.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>Cancel</Button>
          {changed
            ? <Button onClick={() => void reload()}>Show the new plan</Button>
            : <Button loading={apply.isPending} onClick={send}>{one.impact_level === 'low' ? 'Apply now' : 'Ask for approval and apply'}</Button>}
        </Group>
      </Stack>
    </Modal>
  );
}
