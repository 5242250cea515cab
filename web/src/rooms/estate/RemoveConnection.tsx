import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import type { Connection } from '../../api/bodies';
import { ProblemAlert } from '../../display/ProblemAlert';
import { removeConnection, useChange } from './queries';

export function RemoveConnection({ connection, onRemoved }: { connection: Connection; onRemoved: () => void }) {
  const remove = useChange(removeConnection);
  return (
    <Popover width={300} withArrow trapFocus>
      <Popover.Target><Button variant="subtle" color="red">Remove</Button></Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">Its resources disappear from the estate. What happened to them stays in the log.</Text>
          <ProblemAlert error={remove.error} />
          <Group justify="flex-end"><Button size="xs" color="red" loading={remove.isPending} onClick={() => remove.mutate(connection.id, { onSuccess: onRemoved })}>Remove {connection.name}</Button></Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
