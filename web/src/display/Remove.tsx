import { ActionIcon, Button, Group, Popover, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ProblemAlert } from './ProblemAlert';

interface Props {
  what: string;
  explain: string;
  verb?: string;
  /** Whose answers are asked for again afterwards: the first part of their keys. */
  room: string;
  remove: () => Promise<unknown>;
}

/** A small bin that asks before it removes. */
export function Remove({ what, explain, verb = 'Remove', room, remove }: Props) {
  const queries = useQueryClient();
  const change = useMutation({ mutationFn: remove, onSettled: () => void queries.invalidateQueries({ queryKey: [room] }) });
  return (
    <Popover width={280} withArrow trapFocus position="bottom-end">
      <Popover.Target><ActionIcon aria-label={`${verb} ${what}`}><IconTrash size={16} /></ActionIcon></Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" ta="left">
          <Text size="sm">{explain}</Text>
          <ProblemAlert error={change.error} />
          <Group justify="flex-end"><Button size="xs" color="red" loading={change.isPending} onClick={() => change.mutate()}>{verb} {what}</Button></Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
