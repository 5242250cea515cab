import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMe } from '../../../api/session';
import { announce } from '../../../display/announce';
import { Facts } from '../../../display/Facts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { FiringEntries } from './FiringEntries';
import { handleFiring, useChange, type Firing } from './queries';
import { useReturnFocus } from '../../../display/useReturnFocus';

/** Values of the fields that a rule groups by. */
export function groupInWords({ group }: Pick<Firing, 'group'>): string {
  const values = Object.entries(group).map(([field, value]) => `${field} ${value ?? 'not given'}`);
  return values.length === 0 ? 'All entries together' : values.join(', ');
}

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
  const me = useMe();
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
        <FiringEntries of={firing} />
        <ProblemAlert error={handle.error} />
        {!may && firing.status !== 'resolved' && (
          <Text size="sm" className="muted">
            Audit administrators and administrators assign, acknowledge and resolve alerts.
          </Text>
        )}
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
              {me && firing.assignee !== me.email && (
                <Button
                  variant="default"
                  loading={handle.isPending}
                  onClick={() => {
                    setAssignee(me.email);
                    step('assign', 'Assigned', { assignee: me.email });
                  }}
                >
                  Assign to me
                </Button>
              )}
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
