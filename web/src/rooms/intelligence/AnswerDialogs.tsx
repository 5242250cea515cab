import { Chip, Group, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import type { Recommendation } from '../../api/bodies';
import { announce } from '../../display/announce';
import { announceUndoable } from '../../display/announceUndoable';
import { FormDialog } from '../../display/FormDialog';
import { fromInput, toInput } from '../../display/instants';
import { useDismiss } from './dismissals';
import { reopen, schedule, snooze, testFirst, useChange } from './queries';
import { timeObjection } from './times-ahead';

interface Props {
  of: Recommendation;
  onClose: () => void;
}

export function DismissDialog({ of: one, onClose }: Props) {
  const [reason, setReason] = useState('');
  const dismiss = useDismiss();
  return (
    <FormDialog
      title="Dismiss this recommendation?"
      explain="Your reason is kept in the audit log and improves later recommendations. For ten seconds you can undo it."
      submit="Dismiss"
      pending={false}
      disabled={reason.trim() === ''}
      onClose={onClose}
      onSubmit={() => {
        dismiss([one], reason.trim());
        onClose();
      }}
    >
      <Textarea
        label="Reason"
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

const inHours = (hours: number) => toInput(new Date(Date.now() + hours * 3_600_000));
const PERIODS: [string, number][] = [
  ['1 day', 24],
  ['1 week', 168],
  ['1 month', 720],
];

export function SnoozeDialog({ of: one, onClose }: Props) {
  const [until, setUntil] = useState(() => inHours(168));
  const [period, setPeriod] = useState<number | null>(168);
  const [reason, setReason] = useState('');
  const change = useChange(snooze);
  const undo = useChange(reopen);
  const at = fromInput(until);
  const wrong = timeObjection(at, 365);
  return (
    <FormDialog
      title="Snooze"
      explain="The recommendation returns to the list at this time."
      submit="Snooze"
      error={change.error}
      pending={change.isPending}
      disabled={!at || Boolean(wrong)}
      onClose={onClose}
      onSubmit={() =>
        at &&
        change.mutate(
          { id: one.id, until: at, reason: reason.trim() || undefined },
          {
            onSuccess: () => {
              // Reopening leads to no other state than open.
              if (one.status === 'open')
                announceUndoable('Snoozed.', () => undo.mutateAsync(one.id));
              else announce('Snoozed.');
              onClose();
            },
          },
        )
      }
    >
      <Group gap="xs">
        {PERIODS.map(([label, hours]) => (
          <Chip
            key={label}
            size="xs"
            checked={period === hours}
            onChange={() => {
              setPeriod(hours);
              setUntil(inHours(hours));
            }}
          >
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
        onChange={(event) => {
          setPeriod(null);
          setUntil(event.currentTarget.value);
        }}
      />
      <TextInput
        label="Reason"
        placeholder="Optional"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function ScheduleDialog({ of: one, onClose }: Props) {
  const [when, setWhen] = useState(() => inHours(12));
  const [comment, setComment] = useState('');
  const change = useChange(schedule);
  const at = fromInput(when);
  const wrong = timeObjection(at, 90);
  return (
    <FormDialog
      title="Schedule"
      explain="Runs at this time, if the plan is unchanged and no guardrail blocks it."
      submit="Schedule"
      error={change.error}
      pending={change.isPending}
      disabled={!at || Boolean(wrong)}
      onClose={onClose}
      onSubmit={() =>
        at &&
        change.mutate(
          { id: one.id, at, comment: comment.trim() || undefined },
          {
            onSuccess: ({ status }) => {
              announce(
                status === 'pending_approval' ? 'Scheduled. Waiting for approval.' : 'Scheduled.',
              );
              onClose();
            },
          },
        )
      }
    >
      <TextInput
        label="When"
        description="Your time zone"
        type="datetime-local"
        required
        error={wrong}
        value={when}
        onChange={(event) => setWhen(event.currentTarget.value)}
      />
      <TextInput
        label="Comment (kept in the audit log)"
        placeholder="Optional"
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function TestDialog({ of: one, onClose }: Props) {
  const change = useChange(testFirst);
  return (
    <FormDialog
      title="Test this change?"
      explain="Runs the plan on a resource of the same size outside production and restores it. Where there is none, the steps are simulated: that shows that they work, and says nothing about load or speed."
      submit="Test now"
      error={change.error}
      pending={change.isPending}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(one.id, {
          onSuccess: ({ simulated }) => {
            announce(
              simulated ? 'Simulation started: there is no resource to test on.' : 'Test started.',
            );
            onClose();
          },
        })
      }
    />
  );
}
