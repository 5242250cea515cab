import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { lazyOpened } from './lazy';
import type { Removal } from './RemoveNote';

const RemoveNote = lazyOpened(() => import('./RemoveNote'), 'RemoveNote', 'dialog');

/** A small bin, or a button, that asks before it removes. */
export function Remove({ verb = 'Remove', ...removal }: Omit<Removal, 'verb'> & { verb?: string }) {
  const button = removal.onRemoved ? (
    <Button variant="default" leftSection={<IconTrash size={16} />}>
      {verb}
    </Button>
  ) : (
    <ActionIcon aria-label={`${verb} ${removal.what}`}>
      <IconTrash size={16} />
    </ActionIcon>
  );
  return <RemoveNote target={button} verb={verb} {...removal} />;
}
