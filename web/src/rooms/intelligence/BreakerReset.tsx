import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { announce } from '../../display/announce';
import { ProblemAlert } from '../../display/ProblemAlert';
import { resetBreaker, useChange } from './queries';

/** After too many failures in a row nothing is applied until a person who knows the cause says so here. */
export function BreakerReset({ open }: { open: boolean }) {
  const [opened, setOpened] = useState(false);
  const [reason, setReason] = useState('');
  const reset = useChange(resetBreaker);
  const leave = () => {
    setOpened(false);
    setReason('');
    reset.reset();
  };
  return (
    <>
      <Button size="xs" variant={open ? 'filled' : 'default'} color={open ? 'red' : undefined} onClick={() => setOpened(true)}>Reset circuit breaker</Button>
      <Modal opened={opened} onClose={leave} title={<Text fw={600}>Reset the circuit breaker?</Text>}>
        <form onSubmit={(event) => {
          event.preventDefault();
          reset.mutate({ reason: reason.trim() }, { onSuccess: () => { announce('Earlier failures no longer count.'); leave(); } });
        }}
        >
          <Stack>
            <Text size="sm" className="muted">Failures before now no longer count, and changes can begin again.</Text>
            <Textarea label="Reason" description="It goes to the log." required autosize minRows={2} data-autofocus value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
            <ProblemAlert error={reset.error} />
            <Group justify="flex-end">
              <Button variant="default" onClick={leave}>Cancel</Button>
              <Button type="submit" disabled={reason.trim() === ''} loading={reset.isPending}>Reset</Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
