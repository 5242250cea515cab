import type { components } from '../../../api/schema';
import { Button, Group, Radio, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Anomaly } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { giveVerdict } from './queries';

const KINDS = [
  {
    value: 'real',
    label: 'Real',
    description: 'A real problem. Lowers the detection threshold for this kind by 10 %.',
  },
  {
    value: 'false',
    label: 'False alarm',
    description:
      'No problem. Similar anomalies are muted for 30 days. Three false alarms raise the threshold.',
  },
  {
    value: 'new_normal',
    label: 'New normal',
    description: 'Expected from now on. Starts a new baseline.',
  },
  {
    value: 'planned',
    label: 'Planned',
    description: 'A planned event. Closes the anomaly without changing detection.',
  },
];
const LABELS: Record<string, string> = Object.fromEntries(
  KINDS.map(({ value, label }) => [value, label]),
);

/** Real, false or planned: what people say is what the detector learns from. The last answer counts. */
export function AnomalyVerdict({ of: one }: { of: Anomaly }) {
  const may = useMay();
  const said = one.feedback.findLast((word) => !word.withdrawn_at);
  const [again, setAgain] = useState(false);
  const [kind, setKind] = useState<string | null>(null);
  const [comments, setComments] = useState('');
  const change = useChange(giveVerdict);
  const triages = may('intelligence.triage');
  const asking = triages && (!said || again);
  const send = () =>
    kind &&
    change.mutate(
      {
        id: one.id,
        kind: kind as components['schemas']['AnomalyFeedbackKind'],
        comments: comments.trim() || undefined,
      },
      {
        onSuccess: () => {
          announce('Verdict saved.');
          setAgain(false);
          setKind(null);
          setComments('');
        },
      },
    );
  return (
    <Panel title="What was it?" note={said ? undefined : 'Your verdict adjusts the detection'}>
      <Stack gap="md">
        {one.feedback.length > 0 && (
          <Stack
            component="ul"
            gap={10}
            m={0}
            p={0}
            style={{ listStyle: 'none' }}
            aria-label="Verdicts"
          >
            {one.feedback.map((word) => (
              <li key={word.at} style={{ opacity: word === said ? 1 : 0.6 }}>
                <Group gap={8}>
                  <Status of={word.kind} label={LABELS[word.kind]} />
                  <Text size="xs" className="muted">
                    {word.by}, <When at={word.at} form="ago" />
                    {word.withdrawn_at && ', taken back'}
                  </Text>
                </Group>
                {word.comments && (
                  <Text size="sm" mt={2}>
                    {word.comments}
                  </Text>
                )}
              </li>
            ))}
          </Stack>
        )}
        {!triages && !said && (
          <Text size="sm" className="muted">
            No verdict yet. Security analysts and operators can give one.
          </Text>
        )}
        {triages && said && !again && (
          <Group>
            <Button variant="default" size="xs" onClick={() => setAgain(true)}>
              Change verdict
            </Button>
          </Group>
        )}
        {asking && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              send();
            }}
          >
            <Stack gap="md">
              {again && (
                <Text size="sm" className="muted">
                  The last answer counts; earlier ones stay on record. What “False alarm” silenced
                  is called again once another answer is given.
                </Text>
              )}
              <Radio.Group label="It was" value={kind} onChange={setKind}>
                <Stack gap={10} mt={6}>
                  {KINDS.map(({ value, label, description }) => (
                    <Radio key={value} value={value} label={label} description={description} />
                  ))}
                </Stack>
              </Radio.Group>
              {kind && (
                <Textarea
                  label="Note"
                  placeholder="Optional"
                  autosize
                  minRows={2}
                  maxLength={2000}
                  value={comments}
                  onChange={(event) => setComments(event.currentTarget.value)}
                />
              )}
              <ProblemAlert error={change.error} />
              <Group gap="xs">
                <Button type="submit" disabled={!kind} loading={change.isPending}>
                  Save verdict
                </Button>
                {again && (
                  <Button variant="default" onClick={() => setAgain(false)}>
                    Cancel
                  </Button>
                )}
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </Panel>
  );
}
