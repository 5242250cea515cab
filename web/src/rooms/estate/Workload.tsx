import type { components } from '../../api/schema';
import { percent } from '../../display/amounts';
import { Badge, Button, Group, Radio, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import type { Workload as WorkloadBody } from '../../api/bodies';
import { correctWorkload, useChange, withdrawCorrection, workloadQuery } from './queries';

/** Kinds of resources that have a workload. */
export const CLASSIFIED = ['virtual_machine', 'database', 'scaling_group'];

const CLASSES = [
  { value: 'production', label: 'Production', explain: 'Serves people and must be available' },
  { value: 'development', label: 'Development', explain: 'Used by those who build and test' },
  { value: 'batch', label: 'Batch', explain: 'Runs jobs that may be interrupted' },
  { value: 'analytics', label: 'Analytics', explain: 'Answers heavy questions in bursts' },
];

const REASONS: Record<string, string> = {
  thin_data: 'There is too little data',
  signals_contradict: 'The signals contradict each other',
  signals_too_few: 'No signal says enough',
  switched_off: 'Classification is disabled',
  not_judged: 'Not judged yet',
};

/** Class of a resource's workload with its evidence, and its correction by a person. */
export function Workload({ id }: { id: string }) {
  const may = useMay();
  const [correcting, setCorrecting] = useState(false);
  const { data, error } = useQuery(workloadQuery(id));
  const withdraw = useChange(withdrawCorrection);
  const operates = may('intelligence.operate');
  return (
    <Panel
      title="Workload"
      actions={
        operates &&
        data && (
          <Group gap="xs">
            {data.correction && (
              <Button
                size="xs"
                variant="default"
                loading={withdraw.isPending}
                onClick={() =>
                  withdraw.mutate(id, { onSuccess: () => announce('Correction removed.') })
                }
              >
                Remove correction
              </Button>
            )}
            <Button size="xs" variant="default" onClick={() => setCorrecting(true)}>
              {data.class ? 'Correct' : 'Set class'}
            </Button>
          </Group>
        )
      }
    >
      {(error ?? withdraw.error) && <ProblemAlert error={error ?? withdraw.error} />}
      {!data && !error && <Skeleton h={80} />}
      {data && <Judged of={data} />}
      {correcting && data && (
        <CorrectDialog id={id} current={data.class ?? ''} onClose={() => setCorrecting(false)} />
      )}
    </Panel>
  );
}

function Judged({ of }: { of: WorkloadBody }) {
  return (
    <Stack gap="sm">
      {of.class ? (
        <Group gap="sm">
          <Badge size="lg" variant="light">
            {words(of.class)}
          </Badge>
          {of.confidence != null && <Text size="sm">{percent(of.confidence)} confidence</Text>}
        </Group>
      ) : (
        <Text size="sm">
          Not classified.{' '}
          {of.unclassified &&
            `${REASONS[of.unclassified.code] ?? words(of.unclassified.code)}: ${of.unclassified.detail}.`}
        </Text>
      )}
      {of.correction && (
        <Text size="sm">
          Set by {of.correction.by}, <When at={of.correction.at} form="ago" />
          {of.correction.comment ? `: ${of.correction.comment}` : ''}
        </Text>
      )}
      {of.signals.length > 0 && (
        <ul style={{ margin: 0, paddingLeft: 18 }} aria-label="Signals">
          {of.signals
            .filter(({ name }) => name !== 'correction')
            .map(({ name, detail, speaks_for }) => (
              <li key={`${name} ${detail}`}>
                <Text size="sm">
                  {words(name)}: {detail}
                  {speaks_for && (
                    <Text span size="sm" className="muted">
                      {' '}
                      (suggests {words(speaks_for).toLowerCase()})
                    </Text>
                  )}
                </Text>
              </li>
            ))}
        </ul>
      )}
      {of.judged_at && (
        <Text size="xs" className="muted">
          Classified <When at={of.judged_at} form="ago" />
        </Text>
      )}
    </Stack>
  );
}

function CorrectDialog({
  id,
  current,
  onClose,
}: {
  id: string;
  current: string;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState(current);
  const [comment, setComment] = useState('');
  const change = useChange(correctWorkload);
  const send = () => {
    const given = {
      id,
      class: chosen as components['schemas']['WorkloadClass'],
      comment: comment.trim() || undefined,
    };
    change.mutate(given, {
      onSuccess: () => {
        announce('Workload saved.');
        onClose();
      },
    });
  };
  return (
    <FormDialog
      title="Correct the workload"
      explain="Your choice takes precedence over the agent, and similar resources are classified with it. Recommendations follow at the agent’s next run."
      submit="Save"
      error={change.error}
      pending={change.isPending}
      disabled={chosen === ''}
      onSubmit={send}
      onClose={onClose}
    >
      <Radio.Group label="Workload" value={chosen} onChange={setChosen}>
        <Stack gap={8} mt={6}>
          {CLASSES.map(({ value, label, explain }) => (
            <Radio key={value} value={value} label={label} description={explain} />
          ))}
        </Stack>
      </Radio.Group>
      <Textarea
        label="Comment"
        placeholder="Optional"
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
