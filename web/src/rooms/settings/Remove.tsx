import { ActionIcon, Button, Group, Popover, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { ProblemAlert } from '../../display/ProblemAlert';
import { useChange } from './queries';

interface Props {
  what: string;
  explain: string;
  verb?: string;
  remove: () => Promise<unknown>;
}

/** A small bin that asks before it removes. */
export function Remove({ what, explain, verb = 'Remove', remove }: Props) {
  const change = useChange(remove);
  return (
    <Popover width={280} withArrow trapFocus position="bottom-end">
      <Popover.Target><ActionIcon aria-label={`${verb} ${what}`}><IconTrash size={16} /></ActionIcon></Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" ta="left">
          <Text size="sm">{explain}</Text>
          <ProblemAlert error={change.error} />
          <Group justify="flex-end"><Button size="xs" color="red" loading={change.isPending} onClick={() => change.mutate(undefined)}>{verb} {what}</Button></Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
