import { Anchor, Button, Code, Group, List, Select, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { announce } from '../../../display/announce';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { closeAlert } from './queries';
import type { InboundAlert } from './queries';

type Verdict = NonNullable<InboundAlert['verdict']>['verdict'];

const VERDICTS: Record<Verdict, string> = {
  true_positive: 'Right, and harmful',
  false_positive: 'False alarm',
  benign: 'Right, and wanted',
};
const CHOICES = Object.entries(VERDICTS).map(([value, label]) => ({ value, label }));

/** An alert with the reasons of its weight, and its closing. */
export function AlertDialog({ alert, onClose }: { alert: InboundAlert; onClose: () => void }) {
  const further = Object.entries(alert.further);
  return (
    <Modal opened onClose={onClose} size="lg" title={alert.title}>
      <Stack gap="md">
        {alert.description && <Text size="sm">{alert.description}</Text>}
        <Facts
          of={[
            ['Source', alert.source],
            ['Status', <Status key="status" of={alert.status} />],
            ['Severity', <Status key="severity" of={alert.severity} />],
            ['Time', <When key="time" at={alert.occurred_at} />],
            ['User', alert.principal],
            ['Address', alert.address],
            ['Account', alert.account],
            ['Resource', alert.resource],
            ['Techniques', alert.techniques.join(', ')],
            [
              'Incident',
              alert.incident_id && (
                <Anchor
                  key="incident"
                  size="sm"
                  href={`/intelligence/incidents/${alert.incident_id}`}
                >
                  {alert.joined_because ?? 'Opened by this alert'}
                </Anchor>
              ),
            ],
            [
              'At the tool',
              alert.url && (
                <Anchor key="url" size="sm" href={alert.url} target="_blank" rel="noreferrer">
                  Open the alert there
                </Anchor>
              ),
            ],
            ['Verdict', alert.verdict && VERDICTS[alert.verdict.verdict]],
            ['Closed', closedWords(alert)],
            ['Closing there', callbackWords(alert)],
          ]}
        />
        <div>
          <Text size="sm" fw={550}>
            Why this severity
          </Text>
          <List size="sm">
            {alert.weight_factors.map(({ name, reason }) => (
              <List.Item key={name}>{reason}</List.Item>
            ))}
          </List>
        </div>
        {further.length > 0 && (
          <details>
            <summary>Further fields of the tool ({further.length})</summary>
            <Code block mah={240} style={{ overflow: 'auto' }}>
              {further.map(([path, value]) => `${path}: ${JSON.stringify(value)}`).join('\n')}
            </Code>
          </details>
        )}
        <Closing alert={alert} onClose={onClose} />
      </Stack>
    </Modal>
  );
}

function closedWords(alert: InboundAlert): string | undefined {
  if (!alert.closed_at) return undefined;
  if (alert.expired_after_days)
    return `Expired: no report for ${String(alert.expired_after_days)} days`;
  if (alert.closed_with_incident) return `With its incident, by ${alert.closed_by ?? 'Reeve'}`;
  return alert.closed_by ? `By ${alert.closed_by}` : 'By the tool';
}

function callbackWords({ callback }: InboundAlert): string | undefined {
  if (!callback) return undefined;
  if (callback.done_at) return 'Closed';
  if (callback.next_at) return callback.error ? `Tried again: ${callback.error}` : 'In progress';
  return `Stopped: ${callback.error ?? ''}`;
}

function Closing({ alert, onClose }: { alert: InboundAlert; onClose: () => void }) {
  const may = useMay();
  const close = useChange(closeAlert);
  const [verdict, setVerdict] = useState<Verdict>(alert.verdict?.verdict ?? 'true_positive');
  const [comments, setComments] = useState('');
  if (!may('intelligence.triage')) return null;
  const open = alert.status === 'open';
  return (
    <Stack gap="sm">
      <Select
        label="Verdict"
        description="Verdicts weigh the further alerts of this source"
        data={CHOICES}
        value={verdict}
        allowDeselect={false}
        onChange={(value) => value && setVerdict(value as Verdict)}
      />
      <Textarea
        label="Comments"
        maxLength={2000}
        autosize
        value={comments}
        onChange={(event) => setComments(event.currentTarget.value)}
      />
      <ProblemAlert error={close.error} />
      <Group justify="flex-end">
        <Button
          loading={close.isPending}
          onClick={() =>
            close.mutate(
              { id: alert.id, verdict, comments: comments.trim() || undefined },
              {
                onSuccess: () => {
                  announce(open ? 'Alert closed.' : 'Verdict saved.');
                  onClose();
                },
              },
            )
          }
        >
          {open ? 'Close the alert' : 'Save the verdict'}
        </Button>
      </Group>
    </Stack>
  );
}
