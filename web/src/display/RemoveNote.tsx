import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { cloneElement } from 'react';
import { useOpenedAtOnce, type OpenedProps } from './lazy';
import { ProblemAlert } from './ProblemAlert';

export interface Removal {
  what: string;
  explain: string;
  verb: string;
  /** Whose answers are asked for again afterwards: the first part of their keys. */
  room: string;
  remove: () => Promise<unknown>;
  /** On a page of its own: a button with words, and where to go once it is removed. */
  onRemoved?: () => void;
}

/** The note in which a removal is confirmed. */
export function RemoveNote({
  target,
  what,
  explain,
  verb,
  room,
  remove,
  onRemoved,
}: OpenedProps & Removal) {
  const { opened, setOpened, button } = useOpenedAtOnce();
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
    <Popover
      width={280}
      withArrow
      trapFocus
      position="bottom-end"
      opened={opened}
      onChange={setOpened}
    >
      <Popover.Target>
        {cloneElement(target, { ref: button, onClick: () => setOpened(!opened) })}
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm" ta="left">
          <Text size="sm">{explain}</Text>
          <ProblemAlert error={change.error} />
          <Group justify="flex-end">
            <Button
              size="xs"
              color="red"
              loading={change.isPending}
              onClick={() => change.mutate()}
            >
              {verb} {what}
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
