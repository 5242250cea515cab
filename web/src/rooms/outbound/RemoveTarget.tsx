import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { ProblemAlert } from '../../display/ProblemAlert';
import { useChange } from './queries';

interface Props {
  what: string;
  explain: string;
  remove: () => Promise<unknown>;
  onRemoved: () => void;
}

export function RemoveTarget({ what, explain, remove, onRemoved }: Props) {
  const change = useChange(async () => {
    // Away from its page first: asking again for what is gone would be an error on the way out.
    await remove();
    onRemoved();
  });
  return (
    <Popover width={300} withArrow trapFocus>
      <Popover.Target><Button variant="subtle" color="red" size="xs">Remove {what}</Button></Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Text size="sm">{explain}</Text>
          <ProblemAlert error={change.error} />
          <Group justify="flex-end"><Button size="xs" color="red" loading={change.isPending} onClick={() => change.mutate(undefined)}>Remove it</Button></Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
