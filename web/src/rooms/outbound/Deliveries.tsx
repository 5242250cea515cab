import { Button, Code, Group, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Delivery } from '../../api/bodies';
import { announce } from '../../display/announce';
import { count, plural } from '../../display/amounts';
import { Copyable } from '../../display/Copyable';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import classes from './Deliveries.module.css';
import { EVENT_NAMES } from './fields';
import { deliveriesQuery, DELIVERIES, replay, useChange, type Target } from './queries';

/** What was sent, each attempt with its answer; dead letters can be sent again. */
export function Deliveries({ of: target, may }: { of: Target; may: boolean }) {
  const { data, error, refetch } = useQuery(deliveriesQuery(target));
  const dead = data?.items.filter(({ status }) => status === 'dead_letter').length ?? 0;
  return (
    <Panel
      title="Deliveries"
      note={
        data && data.total > 0
          ? `${plural(data.total, 'message')} in thirty days${dead > 0 ? `, ${plural(dead, 'dead letter')}` : ''}`
          : undefined
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={120} />}
      {data?.items.length === 0 && (
        <Text size="sm" className="muted">
          Nothing sent yet. Send a test, or wait for the next event.
        </Text>
      )}
      <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
        {data?.items.map((delivery) => (
          <Row key={delivery.id} of={delivery} target={target} may={may} />
        ))}
      </Stack>
      {data && data.total > DELIVERIES && (
        <Text size="xs" className="muted" mt="sm">
          The newest {count(DELIVERIES)} are shown; the interface has all of them.
        </Text>
      )}
    </Panel>
  );
}

function Row({ of: delivery, target, may }: { of: Delivery; target: Target; may: boolean }) {
  const [opened, setOpened] = useState(false);
  const again = useChange(replay);
  const last = delivery.attempts.at(-1);
  return (
    <li className={classes.row}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <UnstyledButton
          className={classes.head}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          {opened ? (
            <IconChevronDown size={16} aria-hidden />
          ) : (
            <IconChevronRight size={16} aria-hidden />
          )}
          <span className={classes.what}>
            <Text span size="sm" fw={550}>
              {EVENT_NAMES[delivery.event] ?? words(delivery.event)}
            </Text>
            <Text span size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
              <When at={delivery.created_at} /> · {plural(delivery.tries, 'attempt')}
              {last && ` · ${answered(last)}`}
            </Text>
          </span>
        </UnstyledButton>
        <Status of={delivery.status} />
      </Group>
      {opened && (
        <div className={classes.body}>
          <Group gap={8} wrap="nowrap" mb={8}>
            <Text size="xs" className="muted">
              Identifier
            </Text>
            <Copyable value={delivery.id} label="Delivery identifier" />
          </Group>
          <Stack
            component="ol"
            gap={10}
            m={0}
            p={0}
            style={{ listStyle: 'none' }}
            aria-label="Attempts"
          >
            {delivery.attempts.map((attempt) => (
              <AttemptRow key={attempt.at} of={attempt} />
            ))}
          </Stack>
          {delivery.attempts.length === 0 && (
            <Text size="sm" className="muted">
              No attempts yet.
            </Text>
          )}
          {delivery.next_attempt_at && (
            <Text size="sm" className="muted" mt={8}>
              Next attempt <When at={delivery.next_attempt_at} />
            </Text>
          )}
          <ProblemAlert error={again.error} />
          {may && delivery.status !== 'pending' && (
            <Button
              mt="sm"
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={15} />}
              loading={again.isPending}
              onClick={() =>
                again.mutate(
                  { ...target, delivery: delivery.id },
                  { onSuccess: () => announce('Queued again with the same identifier.') },
                )
              }
            >
              Send again
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

type Attempt = Delivery['attempts'][number];

export function answered({ status, ok, error }: Attempt): string {
  if (status != null) return `answered ${status}`;
  return ok ? 'arrived' : (error ?? 'no answer');
}

function AttemptRow({ of: attempt }: { of: Attempt }) {
  return (
    <li>
      <Group gap={8}>
        <Status
          of={attempt.ok ? 'success' : 'failed'}
          label={
            attempt.status == null ? (attempt.ok ? 'Arrived' : 'No answer') : String(attempt.status)
          }
        />
        <Text size="xs" className="muted">
          <When at={attempt.at} />, took {count(attempt.duration_ms)} ms
        </Text>
      </Group>
      {attempt.error && (
        <Text size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {attempt.error}
        </Text>
      )}
      {attempt.answer && (
        <Code block mt={4} tabIndex={0} aria-label="Answer" style={{ maxHeight: 160 }}>
          {attempt.answer}
        </Code>
      )}
    </li>
  );
}
