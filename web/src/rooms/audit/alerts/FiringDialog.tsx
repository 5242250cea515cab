import { Button, Group, List, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { announce } from '../../../display/announce';
import { EntryLink } from '../../../display/EntryLink';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { handleFiring, useChange, type Firing } from './queries';
import { useReturnFocus } from '../../../display/useReturnFocus';

/** Values of the fields that a rule groups by. */
export function groupInWords({ group }: Pick<Firing, 'group'>): string {
  const values = Object.entries(group).map(([field, value]) => `${field} ${value ?? 'not given'}`);
  return values.length === 0 ? 'All entries together' : values.join(', ');
}

const SHOWN = 20;

/** A firing with its entries, and the steps that people take. */
export function FiringDialog({
  firing,
  may,
  onClose,
}: {
  firing: Firing;
  may: boolean;
  onClose: () => void;
}) {
  useReturnFocus();
  const handle = useChange(handleFiring);
  const [assignee, setAssignee] = useState(firing.assignee ?? '');
  const [note, setNote] = useState('');
  const step = (name: 'acknowledge' | 'assign' | 'resolve', said: string, given = {}) =>
    handle.mutate(
      { id: firing.id, step: name, version: firing.version, ...given },
      {
        onSuccess: () => {
          announce(said);
          if (name !== 'assign') onClose();
        },
      },
    );
  return (
    <Modal opened onClose={onClose} size="lg" title={firing.rule_name}>
      <Stack gap="md">
        <Facts
          of={[
            ['Status', <Status key="status" of={firing.status} />],
            ['Severity', <Status key="severity" of={firing.severity} />],
            ['Group', groupInWords(firing)],
            ['Entries', firing.count],
            ['First', <When key="first" at={firing.first_at} form="full" />],
            ['Last', <When key="last" at={firing.last_at} form="full" />],
            ['Assigned to', firing.assignee ?? 'No one'],
            ...(firing.note ? [['Note', firing.note] as [string, string]] : []),
            ...(firing.silenced
              ? [['Notified', 'No one (the rule was muted)'] as [string, string]]
              : []),
          ]}
        />
        <div>
          <Text size="sm" fw={600}>
            Entries that caused it
          </Text>
          <List size="sm" aria-label="Entries that caused it">
            {firing.entries.slice(0, SHOWN).map(({ event_id, timestamp }) => (
              <List.Item key={event_id}>
                <EntryLink id={event_id}>
                  <When at={timestamp} form="full" />
                </EntryLink>
              </List.Item>
            ))}
          </List>
          {firing.count > SHOWN && (
            <Text size="xs" className="muted">
              {firing.count - SHOWN} more
            </Text>
          )}
        </div>
        <ProblemAlert error={handle.error} />
        {may && firing.status !== 'resolved' && (
          <>
            <Group align="flex-end">
              <TextInput
                label="Assign to"
                placeholder="E-mail address"
                value={assignee}
                onChange={(event) => setAssignee(event.currentTarget.value)}
                style={{ flex: 1 }}
              />
              <Button
                variant="default"
                loading={handle.isPending}
                onClick={() => step('assign', 'Assigned', { assignee })}
              >
                Assign
              </Button>
            </Group>
            <Textarea
              label="Note"
              placeholder="What it was"
              value={note}
              onChange={(event) => setNote(event.currentTarget.value)}
              autosize
              minRows={2}
              maxLength={2000}
            />
            <Group justify="flex-end">
              {firing.status === 'open' && (
                <Button
                  variant="default"
                  loading={handle.isPending}
                  onClick={() => step('acknowledge', 'Acknowledged')}
                >
                  Acknowledge
                </Button>
              )}
              <Button
                loading={handle.isPending}
                onClick={() => step('resolve', 'Resolved', { note: note || undefined })}
              >
                Resolve
              </Button>
            </Group>
          </>
        )}
      </Stack>
    </Modal>
  );
}
