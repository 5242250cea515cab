import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import {
  IconMailX,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconRotate,
  IconSend,
  IconSettings,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { count, plural } from '../../../display/amounts';
import { EmptyState } from '../../../display/EmptyState';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { FORMATS, KINDS } from './kinds';
import {
  integrationsQuery,
  pauseIntegration,
  resumeIntegration,
  testIntegration,
  type Integration,
} from './queries';

const IntegrationForm = lazyComponent(() => import('./IntegrationForm'), 'IntegrationForm');
const DeadLetters = lazyComponent(() => import('./DeadLetters'), 'DeadLetters');
const ReplayForm = lazyComponent(() => import('./ReplayForm'), 'ReplayForm');

type Opened = { what: 'form' | 'letters' | 'replay'; integration: Integration };

/** Streams to other platforms: how they fare, and what a person does about them. */
export function Integrations() {
  const { data, error, refetch } = useQuery(integrationsQuery);
  const [adding, setAdding] = useState(false);
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <Page
      title="Integrations"
      description="Entries of the audit log, streamed to other platforms as they arrive. The log is the buffer: a receiver that is down gets everything later, in order."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
          Add a stream
        </Button>
      }
    >
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && (
        <EmptyState title="No stream yet" icon={<IconPlugConnected size={22} />}>
          Add a stream to send entries to Splunk, Kafka, Azure Event Hubs, a syslog server or any
          HTTPS endpoint. It begins with the next entry; a replay sends older ones.
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((integration) => (
          <StreamCard
            key={integration.id}
            integration={integration}
            onOpen={(what) => setOpened({ what, integration })}
          />
        ))}
      </SimpleGrid>
      {adding && <IntegrationForm onClose={() => setAdding(false)} />}
      {opened?.what === 'form' && (
        <IntegrationForm integration={opened.integration} onClose={close} />
      )}
      {opened?.what === 'letters' && (
        <DeadLetters integration={opened.integration} onClose={close} />
      )}
      {opened?.what === 'replay' && <ReplayForm integration={opened.integration} onClose={close} />}
    </Page>
  );
}

const HEALTH: Record<Integration['status']['health'], { label: string; status: string }> = {
  healthy: { label: 'Healthy', status: 'success' },
  behind: { label: 'Behind', status: 'medium' },
  failing: { label: 'Failing', status: 'failed' },
  paused: { label: 'Paused', status: 'disabled' },
};

/** Distance to the end of the log, in words. */
function lagOf({ lag_entries, lag_s }: Integration['status']) {
  if (lag_entries === 0) return 'None';
  return `${plural(lag_entries, 'entry', 'entries')}, ${count(Math.round(lag_s))} s`;
}

function StreamCard({
  integration,
  onOpen,
}: {
  integration: Integration;
  onOpen: (what: Opened['what']) => void;
}) {
  const { status, paused } = integration;
  const test = useChange(testIntegration);
  const pause = useChange(paused ? resumeIntegration : pauseIntegration);
  const health = HEALTH[status.health];
  return (
    <Panel
      title={integration.name}
      note={KINDS[integration.type].label}
      actions={<Status of={health.status} label={health.label} size="lg" />}
    >
      <Stack gap="md">
        <Facts
          of={[
            ['Receiver', <span style={{ overflowWrap: 'anywhere' }}>{integration.receiver}</span>],
            ['Sends', `${integration.query || 'All entries'} as ${FORMATS[integration.format]}`],
            ['Lag', lagOf(status)],
            ['Throughput', `${status.entries_per_s.toFixed(1)} entries a second`],
            ['Sent', plural(status.sent_entries, 'entry', 'entries')],
            [
              'Last confirmed',
              status.last_sent_at && <When key="last" at={status.last_sent_at} form="ago" />,
            ],
            ['Dead letters', status.dead_letters > 0 && count(status.dead_letters)],
          ]}
        />
        {!integration.is_confirmed && (
          <Text size="xs" className="muted">
            Syslog is not acknowledged: what was being written when a connection broke may be lost.
            A replay sends it again.
          </Text>
        )}
        <Failure status={status} />
        {test.data && (
          <Alert
            color={test.data.delivered ? 'green' : 'red'}
            variant="light"
            title={test.data.delivered ? 'The receiver took the test entry' : 'The test failed'}
          >
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {test.data.error ?? 'The entry is marked as a test and is not in the log.'}
            </Text>
          </Alert>
        )}
        <ProblemAlert error={test.error ?? pause.error} />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconSend size={16} />}
            loading={test.isPending}
            aria-label={`Test ${integration.name}`}
            onClick={() => test.mutate(integration.id)}
          >
            Test
          </Button>
          <Button
            variant="default"
            leftSection={paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />}
            loading={pause.isPending}
            aria-label={`${paused ? 'Resume' : 'Pause'} ${integration.name}`}
            onClick={() => pause.mutate(integration.id)}
          >
            {paused ? 'Resume' : 'Pause'}
          </Button>
          <Button
            variant="default"
            leftSection={<IconRotate size={16} />}
            onClick={() => onOpen('replay')}
          >
            Replay
          </Button>
          {status.dead_letters > 0 && (
            <Button
              variant="default"
              leftSection={<IconMailX size={16} />}
              onClick={() => onOpen('letters')}
            >
              Dead letters
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconSettings size={16} />}
            aria-label={`Change ${integration.name}`}
            onClick={() => onOpen('form')}
          >
            Change
          </Button>
        </Group>
      </Stack>
    </Panel>
  );
}

/** The last failure: in red while it lasts. */
function Failure({ status }: { status: Integration['status'] }) {
  const failure = status.last_failure;
  if (!failure) return null;
  const lasts = status.failures > 0;
  return (
    <Alert
      color={lasts ? 'red' : 'gray'}
      variant="light"
      title={lasts ? (failure.needs_person ? 'Check the settings' : 'Failing') : 'Last failure'}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {failure.message} (<When at={failure.at} form="ago" />)
      </Text>
      {status.retry_at && (
        <Text size="xs" className="muted">
          Next attempt <When at={status.retry_at} form="ago" />
        </Text>
      )}
    </Alert>
  );
}
