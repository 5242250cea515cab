import { Button, Group, Modal, Stack, Text, Textarea, ThemeIcon } from '@mantine/core';
import { IconHandStop, IconShieldCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { ProblemAlert } from '../../display/ProblemAlert';
import { killSwitch, useChange } from './queries';

/** Stops everything, at once, for everybody; with a reason, both ways. */
export function KillSwitch({ on }: { on: boolean }) {
  const may = useMay();
  // What the open dialog is about to do; kept while it closes, so that its words do not flip under the reader.
  const [turning, setTurning] = useState({ to: !on, opened: false });
  const off = !turning.to;
  const [reason, setReason] = useState('');
  const turn = useChange(killSwitch);
  const leave = () => {
    setReason('');
    turn.reset();
    setTurning((now) => ({ ...now, opened: false }));
  };
  return (
    <section className="panel" aria-label="Kill switch" style={{ borderColor: on ? 'var(--bad)' : undefined }}>
      <Group justify="space-between" p="md" px={18} gap="md">
        <Group gap="md" wrap="nowrap" style={{ flex: '1 1 300px' }}>
          <ThemeIcon size={40} radius="xl" variant="light" color={on ? 'red' : 'green'} aria-hidden>{on ? <IconHandStop size={22} /> : <IconShieldCheck size={22} />}</ThemeIcon>
          <div>
            <Text fw={600}>{on ? 'The kill switch is on: nothing is changed' : 'The kill switch is off'}</Text>
            <Text size="sm" className="muted">{on ? 'Agents go on observing and recommending. No action starts until it is switched off.' : 'Switching it on stops every agent from changing anything, at once.'}</Text>
          </div>
        </Group>
        <Group gap="xs">
          {may('intelligence.operate') && <Button color={on ? 'green' : 'red'} variant={on ? 'filled' : 'light'} onClick={() => setTurning({ to: !on, opened: true })}>{on ? 'Switch off' : 'Stop everything'}</Button>}
        </Group>
      </Group>
      <Modal opened={turning.opened} onClose={leave} title={<Text fw={600}>{off ? 'Let agents act again?' : 'Stop everything?'}</Text>}>
        <form onSubmit={(event) => {
          event.preventDefault();
          turn.mutate({ on: turning.to, reason: reason.trim() }, { onSuccess: () => { announce(off ? 'The kill switch is off.' : 'The kill switch is on.'); leave(); } });
        }}
        >
          <Stack>
            <Textarea label="Reason" description="It goes to the log." required autosize minRows={2} data-autofocus value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
            <ProblemAlert error={turn.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={leave}>Cancel</Button>
              <Button type="submit" color={off ? 'green' : 'red'} disabled={reason.trim() === ''} loading={turn.isPending}>{off ? 'Switch off' : 'Stop everything'}</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </section>
  );
}
