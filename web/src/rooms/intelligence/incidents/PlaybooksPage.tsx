import { Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { words } from '../../../display/wording';
import { ACTIONS } from './labels';
import { playbooksQuery, type Playbook } from './queries';

const PlaybookDialog = lazyComponent(() => import('./PlaybookDialog'), 'PlaybookDialog');

/** Playbooks that come with Reeve, and those of people. */
export function PlaybooksPage() {
  const { data, error, refetch } = useQuery(playbooksQuery);
  const [edited, setEdited] = useState<Playbook | 'new'>();
  const may = useMay();
  const configures = may('intelligence.configure');
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;

  return (
    <Stack gap="lg">
      {configures && (
        <Group justify="flex-end">
          <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited('new')}>
            Write a playbook
          </Button>
        </Group>
      )}
      {data?.items.map((playbook) => (
        <Panel
          key={playbook.name}
          title={playbook.title}
          note={[
            playbook.is_builtin ? 'Comes with Reeve' : `Written by ${playbook.changed_by ?? ''}`,
            trigger(playbook),
          ].join(' · ')}
          actions={
            configures &&
            !playbook.is_builtin && (
              <Button size="xs" variant="default" onClick={() => setEdited(playbook)}>
                Edit
              </Button>
            )
          }
        >
          <Stack gap="xs">
            <Text size="sm">{playbook.description}</Text>
            <Group gap="xs">
              {playbook.trigger.automatic && <Status of="active" label="Automatic" />}
              {playbook.steps.map((step, at) => (
                <Status key={at} of="idle" label={`${at + 1}. ${ACTIONS[step.action]}`} />
              ))}
            </Group>
          </Stack>
        </Panel>
      ))}
      {edited && (
        <PlaybookDialog
          of={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Stack>
  );
}

/** Incidents that a playbook is for, in words. */
function trigger({ trigger: of }: Playbook): string {
  return [
    `From severity ${of.severity}`,
    (of.subjects ?? []).map(words).join(', '),
    (of.techniques ?? []).join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
}
