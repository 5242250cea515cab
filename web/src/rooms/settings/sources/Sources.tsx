import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconKey, IconPlugConnected, IconPlus, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { count, plural } from '../../../display/amounts';
import { CodeBlock } from '../../../display/CodeBlock';
import { EmptyState } from '../../../display/EmptyState';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { Modal } from '../../../display/Modal';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { KINDS, sampleCurl } from './kinds';
import { rotateToken, sourcesQuery } from './queries';
import type { LogSource } from './queries';

const SourceForm = lazyComponent(() => import('./SourceForm'), 'SourceForm');
const Quarantine = lazyComponent(() => import('./Quarantine'), 'Quarantine');

interface Made {
  source: LogSource;
  token: string;
}

/** Systems whose events become entries of the log. */
export function Sources() {
  const sources = useQuery(sourcesQuery);
  const [editing, setEditing] = useState<LogSource | 'new' | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const [kept, setKept] = useState<LogSource | null>(null);
  const onMade = (source: LogSource, token: string) => {
    setEditing(null);
    setMade({ source, token });
  };
  return (
    <Page
      title="Sources"
      description="Other systems whose events become entries of the log. The token of a source appends through it and opens nothing else."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing('new')}>
          Add a source
        </Button>
      }
    >
      {sources.error && !sources.data && (
        <ProblemAlert error={sources.error} onRetry={() => void sources.refetch()} />
      )}
      {sources.data?.items.length === 0 && (
        <EmptyState title="No source yet" icon={<IconPlugConnected size={22} />}>
          Add a source, and push events with its token.
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {sources.data?.items.map((source) => (
          <SourceCard
            key={source.id}
            source={source}
            onChange={() => setEditing(source)}
            onQuarantine={() => setKept(source)}
            onMade={onMade}
          />
        ))}
      </SimpleGrid>
      {editing && (
        <SourceForm
          source={editing === 'new' ? undefined : editing}
          onMade={onMade}
          onClose={() => setEditing(null)}
        />
      )}
      {kept && <Quarantine source={kept} onClose={() => setKept(null)} />}
      {made && <TokenDialog made={made} onClose={() => setMade(null)} />}
    </Page>
  );
}

interface CardProps {
  source: LogSource;
  onChange: () => void;
  onQuarantine: () => void;
  onMade: (source: LogSource, token: string) => void;
}

function SourceCard({ source, onChange, onQuarantine, onMade }: CardProps) {
  const rotate = useChange(rotateToken);
  return (
    <Panel
      title={source.name}
      note={KINDS[source.kind]}
      actions={<Status of={source.health} size="lg" />}
    >
      <Stack gap="md">
        <Facts
          of={[
            ['Entries', count(source.accepted)],
            [
              'Newest event',
              source.last_event_at && <When key="newest" at={source.last_event_at} form="ago" />,
            ],
            ['Known already', source.duplicates > 0 && plural(source.duplicates, 'event')],
            ['In quarantine', source.quarantined > 0 && plural(source.quarantined, 'event')],
            [
              'Silent since',
              source.silent_since && <When key="silent" at={source.silent_since} form="ago" />,
            ],
            ['Reads', source.queue ? source.queue.url : source.push_path],
          ]}
        />
        {source.last_error && source.health === 'degraded' && (
          <Alert color="orange" variant="light" title="The last problem">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {source.last_error}
              {source.last_error_at && (
                <>
                  {' '}
                  (<When at={source.last_error_at} form="ago" />)
                </>
              )}
            </Text>
          </Alert>
        )}
        <ProblemAlert error={rotate.error} />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconKey size={16} />}
            loading={rotate.isPending}
            onClick={() =>
              rotate.mutate(source.id, { onSuccess: ({ token }) => onMade(source, token) })
            }
          >
            New token
          </Button>
          <Button variant="default" leftSection={<IconSettings size={16} />} onClick={onChange}>
            Change
          </Button>
          {source.quarantined > 0 && (
            <Button variant="default" onClick={onQuarantine}>
              Quarantine
            </Button>
          )}
        </Group>
      </Stack>
    </Panel>
  );
}

/** The command with the new token, shown this once. */
function TokenDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const url = `${window.location.origin}${made.source.push_path}`;
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`Push events of ${made.source.name}`}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" variant="light" title="Copy it now">
          The token is shown only once. It appends through this source and opens nothing else.
        </Alert>
        <CodeBlock label="Sample command" text={sampleCurl(made.source.kind, url, made.token)} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
