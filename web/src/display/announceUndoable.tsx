import { Button, Group, Text } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { asProblem } from '../api/problem';
import { notify } from './announce';

const LONG_ENOUGH_MS = 15_000;

/** Says that something went well, and for a while offers to take it back. Returns the function that closes the notice. */
export function announceUndoable(
  message: string,
  undo: () => Promise<unknown>,
  forMs = LONG_ENOUGH_MS,
): () => void {
  const id = randomId();
  const close = () =>
    void import('@mantine/notifications').then(({ notifications }) => notifications.hide(id));
  notify({
    id,
    color: 'green',
    autoClose: forMs,
    message: (
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text inherit style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        <Button
          size="compact-sm"
          variant="light"
          style={{ flexShrink: 0 }}
          onClick={() => {
            close();
            undo().catch((error: unknown) =>
              notify({
                color: 'red',
                title: 'Undo failed',
                message: asProblem(error).message,
                autoClose: false,
              }),
            );
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
  return close;
}
