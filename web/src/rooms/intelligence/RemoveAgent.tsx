import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import type { Agent } from '../../api/bodies';
import { ProblemAlert } from '../../display/ProblemAlert';
import { removeAgent, useChange } from './queries';

export function RemoveAgent({ agent, onRemoved }: { agent: Agent; onRemoved: () => void }) {
  const remove = useChange(removeAgent);
  return (
    <Popover width={300} withArrow trapFocus>
      <Popover.Target><Button variant="subtle" color="red">Remove agent</Button></Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">Its open recommendations end. What it did stays in the log.</Text>
          <ProblemAlert error={remove.error} />
          <Group justify="flex-end"><Button size="xs" color="red" loading={remove.isPending} onClick={() => remove.mutate(agent.id, { onSuccess: onRemoved })}>Remove {agent.name}</Button></Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
