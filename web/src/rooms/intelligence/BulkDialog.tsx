import { Alert, Chip, Group, List, Progress, Text, TextInput, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Recommendation } from '../../api/bodies';
import { announce } from '../../display/announce';
import { plural } from '../../display/amounts';
import { FormDialog } from '../../display/FormDialog';
import { fromInput, toInput } from '../../display/instants';
import { answerEach, type Refusal } from './bulk';
import { useDismiss } from './dismissals';
import { snooze } from './queries';
import { timeObjection } from './times-ahead';

const PERIODS: [string, number][] = [
  ['1 day', 24],
  ['1 week', 168],
  ['1 month', 720],
];
const inHours = (hours: number) => toInput(new Date(Date.now() + hours * 3_600_000));

interface DialogProps {
  kind: 'dismiss' | 'snooze';
  chosen: Recommendation[];
  /** Called with the identifiers that the service refused. */
  onDone: (failed: string[]) => void;
  onClose: () => void;
}

/** One reason for all; each recommendation is answered by a request of its own, so that one refusal stops none of the others. */
export function BulkDialog({ kind, chosen, onDone, onClose }: DialogProps) {
  const queries = useQueryClient();
  const dismiss = useDismiss();
  const [reason, setReason] = useState('');
  const [until, setUntil] = useState(() => inHours(168));
  const [done, setDone] = useState<number>();
  const [refused, setRefused] = useState<Refusal[]>();
  const [asked] = useState(chosen);
  const at = fromInput(until);
  const wrong = timeObjection(at, 365);
  const dismissing = kind === 'dismiss';
  const send = async () => {
    if (dismissing) {
      dismiss(asked, reason.trim());
      onDone([]);
      onClose();
      return;
    }
    setDone(0);
    const answer = (id: string) =>
      snooze({ id, until: at ?? '', reason: reason.trim() || undefined });
    const failures = await answerEach(asked, answer, setDone);
    await queries.invalidateQueries({ queryKey: ['intelligence'] });
    onDone(failures.map(({ id }) => id));
    const answered = asked.length - failures.length;
    if (answered > 0) announce(`${plural(answered, 'recommendation')} snoozed.`);
    if (failures.length === 0) onClose();
    else setRefused(failures);
  };
  if (refused) {
    return (
      <FormDialog
        title="Some recommendations were not changed"
        pending={false}
        onSubmit={onClose}
        onClose={onClose}
      >
        <Alert
          color="red"
          variant="light"
          title={`${asked.length - refused.length} of ${asked.length} snoozed`}
          role="alert"
        >
          <List size="sm" spacing={4}>
            {refused.map(({ id, title, message }) => (
              <List.Item key={id}>
                <b>{title}</b>: {message}
              </List.Item>
            ))}
          </List>
        </Alert>
        <Text size="sm" className="muted">
          They stay selected, so that you can try again.
        </Text>
      </FormDialog>
    );
  }
  return (
    <FormDialog
      title={`${dismissing ? 'Dismiss' : 'Snooze'} ${plural(asked.length, 'recommendation')}?`}
      submit={dismissing ? 'Dismiss' : 'Snooze'}
      explain={
        dismissing
          ? 'The reason is kept in the audit log for each of them, and improves later recommendations. For ten seconds you can undo it.'
          : 'They return to the list at this time.'
      }
      pending={done !== undefined}
      disabled={dismissing ? reason.trim() === '' : !at || Boolean(wrong)}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      {!dismissing && (
        <>
          <Group gap="xs">
            {PERIODS.map(([label, hours]) => (
              <Chip key={label} size="xs" checked={false} onChange={() => setUntil(inHours(hours))}>
                {label}
              </Chip>
            ))}
          </Group>
          <TextInput
            label="Until"
            description="Your time zone"
            type="datetime-local"
            required
            error={wrong}
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
        </>
      )}
      <Textarea
        label="Reason"
        required={dismissing}
        placeholder={dismissing ? undefined : 'Optional'}
        autosize
        minRows={2}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {done !== undefined && (
        <div role="status">
          <Text size="sm" className="muted numeral" mb={4}>
            {done} of {asked.length}
          </Text>
          <Progress value={(done / asked.length) * 100} aria-label="Progress" />
        </div>
      )}
    </FormDialog>
  );
}
