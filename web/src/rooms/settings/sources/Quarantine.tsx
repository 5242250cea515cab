import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { announce } from '../../../display/announce';
import { plural } from '../../../display/amounts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { dropEvent, quarantineQuery, retryEvent } from './queries';
import type { LogSource } from './queries';

/** Events of a source that could not become entries: each with its reason, to retry or to drop. */
export function Quarantine({ source, onClose }: { source: LogSource; onClose: () => void }) {
  const events = useQuery(quarantineQuery(source.id));
  const retry = useChange(retryEvent);
  const drop = useChange(dropEvent);
  return (
    <Modal opened onClose={onClose} size="lg" title={`Quarantine of ${source.name}`}>
      <Stack gap="md">
        <Text size="sm" className="muted">
          Mend the mapping or the source, then retry. A dropped event is in no log.
        </Text>
        <ProblemAlert error={events.error ?? retry.error ?? drop.error} />
        {events.data?.items.length === 0 && <Text size="sm">The quarantine is empty.</Text>}
        {events.data?.items.map((event) => (
          <Stack key={event.id} gap={4}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                {event.rejection.field && `${event.rejection.field}: `}
                {event.rejection.message}
              </Text>
              <Text size="xs" className="muted">
                <When at={event.received_at} form="ago" />
                {event.attempts > 0 && `, ${plural(event.attempts, 'retry', 'retries')}`}
              </Text>
            </Group>
            <Code block style={{ maxHeight: 160, overflow: 'auto' }} tabIndex={0}>
              {event.sample}
            </Code>
            <Group gap="xs">
              <Button
                size="xs"
                variant="default"
                disabled={!event.is_whole}
                loading={retry.isPending && retry.variables.event === event.id}
                onClick={() =>
                  retry.mutate(
                    { id: source.id, event: event.id },
                    {
                      onSuccess: ({ status }) =>
                        announce(
                          status === 'rejected'
                            ? 'The event is still not an entry.'
                            : 'The event is in the log.',
                        ),
                    },
                  )
                }
              >
                Retry
              </Button>
              <Button
                size="xs"
                variant="subtle"
                color="red"
                loading={drop.isPending && drop.variables.event === event.id}
                onClick={() => drop.mutate({ id: source.id, event: event.id })}
              >
                Drop
              </Button>
            </Group>
          </Stack>
        ))}
      </Stack>
    </Modal>
  );
}
