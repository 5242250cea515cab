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
  /** On a page of its own: a button with words, and where to go once it is removed. */
  onRemoved?: () => void;
}

/** A small bin, or a button, that asks before it removes. */
export function Remove({ what, explain, verb = 'Remove', room, remove, onRemoved }: Props) {
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: async () => {
      await remove();
      // Away from its page first: asking again for what is gone would be an error on the way out.
      onRemoved?.();
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: [room] }),
  });
  return (
    <Popover width={280} withArrow trapFocus position="bottom-end">
      <Popover.Target>
        {onRemoved ? <Button variant="default" leftSection={<IconTrash size={16} />}>{verb}</Button> : <ActionIcon aria-label={`${verb} ${what}`}><IconTrash size={16} /></ActionIcon>}
      </Popover.Target>
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
