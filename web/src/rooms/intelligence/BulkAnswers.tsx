import { Button, Group, Text } from '@mantine/core';
import { IconClockPause, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Recommendation } from '../../api/bodies';
import { plural } from '../../display/amounts';
import { lazyComponent } from '../../display/lazy';
import { ANSWERABLE } from './bulk';

const BulkDialog = lazyComponent(() => import('./BulkDialog'), 'BulkDialog');

interface Props {
  chosen: Recommendation[];
  /** Called with the recommendations that are still to be answered. */
  onChosen: (ids: Set<string>) => void;
}

/** Dismisses or snoozes the chosen recommendations. */
export function BulkAnswers({ chosen, onChosen }: Props) {
  const [dialog, setDialog] = useState<'dismiss' | 'snooze'>();
  const answerable = chosen.filter(({ status }) => ANSWERABLE.includes(status));
  if (chosen.length === 0) return null;
  const left = chosen.length - answerable.length;
  return (
    <Group
      role="region"
      aria-label="Selected recommendations"
      className="panel"
      px="md"
      py={8}
      gap="sm"
    >
      <Text size="sm" fw={550}>
        {chosen.length} selected
      </Text>
      {left > 0 && (
        <Text size="sm" className="muted">
          {plural(left, 'has', 'have')} ended or {left === 1 ? 'is' : 'are'} in progress and{' '}
          {left === 1 ? 'stays' : 'stay'} as {left === 1 ? 'it is' : 'they are'}
        </Text>
      )}
      <Group gap="xs" ml="auto">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconX size={14} />}
          disabled={answerable.length === 0}
          onClick={() => setDialog('dismiss')}
        >
          Dismiss selected
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconClockPause size={14} />}
          disabled={answerable.length === 0}
          onClick={() => setDialog('snooze')}
        >
          Snooze selected
        </Button>
        <Button size="xs" variant="subtle" color="gray" onClick={() => onChosen(new Set())}>
          Clear selection
        </Button>
      </Group>
      {dialog && (
        <BulkDialog
          kind={dialog}
          chosen={answerable}
          onDone={(failed) => onChosen(new Set(failed))}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Group>
  );
}
