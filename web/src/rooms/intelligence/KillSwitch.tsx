import { Button, Group, Text, Textarea, ThemeIcon } from '@mantine/core';
import { IconHandStop, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
import { killSwitch, useChange } from './queries';

/** Stops everything, at once, for everybody; with a reason, both ways. */
export function KillSwitch({ on }: { on: boolean }) {
  const may = useMay();
  // What the open dialog is about to do: its words must not flip under the reader when the switch has turned.
  const [turning, setTurning] = useState<{ to: boolean } | null>(null);
  return (
    <section
      className="panel"
      aria-label="Kill switch"
      style={{ borderColor: on ? 'var(--bad)' : undefined }}
    >
      <Group justify="space-between" p="md" px={18} gap="md">
        <Group gap="md" wrap="nowrap" style={{ flex: '1 1 300px' }}>
          <ThemeIcon size={40} radius="xl" variant="light" color={on ? 'red' : 'green'} aria-hidden>
            {on ? <IconHandStop size={22} /> : <IconShieldCheck size={22} />}
          </ThemeIcon>
          <div>
            <Text fw={600}>
              {on ? 'The kill switch is on: no changes are made' : 'The kill switch is off'}
            </Text>
            <Text size="sm" className="muted">
              {on
                ? 'Agents keep observing and recommending. No action starts until you turn the kill switch off.'
                : 'Turn it on to stop all changes by agents immediately.'}
            </Text>
          </div>
        </Group>
        <Group gap="xs">
          {may('intelligence.operate') && (
            <Button
              color={on ? 'green' : 'red'}
              variant={on ? 'filled' : 'light'}
              onClick={() => setTurning({ to: !on })}
            >
              {on ? 'Switch off' : 'Stop everything'}
            </Button>
          )}
        </Group>
      </Group>
      {turning && <Turn to={turning.to} onClose={() => setTurning(null)} />}
    </section>
  );
}

function Turn({ to, onClose }: { to: boolean; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const turn = useChange(killSwitch);
  return (
    <FormDialog
      title={to ? 'Stop everything?' : 'Turn the kill switch off?'}
      submit={to ? 'Stop everything' : 'Switch off'}
      colour={to ? 'red' : 'green'}
      explain={
        to
          ? 'No action starts until you turn the kill switch off. Agents keep observing and recommending.'
          : 'Changes can start again immediately, within the guardrails.'
      }
      error={turn.error}
      pending={turn.isPending}
      disabled={reason.trim() === ''}
      onClose={onClose}
      onSubmit={() =>
        turn.mutate(
          { on: to, reason: reason.trim() },
          {
            onSuccess: () => {
              announce(to ? 'The kill switch is on.' : 'The kill switch is off.');
              onClose();
            },
          },
        )
      }
    >
      <Textarea
        label="Reason"
        description="Kept in the audit log."
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
