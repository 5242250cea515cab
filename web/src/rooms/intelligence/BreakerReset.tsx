import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { announce } from '../../display/announce';
import { FormDialog } from '../../display/FormDialog';
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
      <Button
        size="xs"
        variant={open ? 'filled' : 'default'}
        color={open ? 'red' : undefined}
        onClick={() => setOpened(true)}
      >
        Reset circuit breaker
      </Button>
      {opened && (
        <FormDialog
          title="Reset the circuit breaker?"
          explain="Resets the failure count to 0, so that changes can start again."
          submit="Reset"
          error={reset.error}
          pending={reset.isPending}
          disabled={reason.trim() === ''}
          onClose={leave}
          onSubmit={() =>
            reset.mutate(
              { reason: reason.trim() },
              {
                onSuccess: () => {
                  announce('Circuit breaker reset.');
                  leave();
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
      )}
    </>
  );
}
