import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconEye, IconKey, IconPlus, IconRefresh, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MetricSource } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, plural } from '../../display/amounts';
import { CodeBlock } from '../../display/CodeBlock';
import { Facts } from '../../display/Facts';
import { lazyComponent } from '../../display/lazy';
import { Modal } from '../../display/Modal';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import {
  metricSourcesQuery,
  remoteWrite,
  rotateMetricToken,
  syncMetricSource,
} from './metric-sources';
import { useChange } from './queries';

const MetricPreview = lazyComponent(() => import('./MetricPreview'), 'MetricPreview');
const MetricSourceForm = lazyComponent(() => import('./MetricSourceForm'), 'MetricSourceForm');

interface Made {
  token: string;
  path: string;
}

/** Prometheus servers that push metrics to Reeve, or that Reeve queries. */
export function MetricSources() {
  const may = useMay();
  const { data, error, refetch } = useQuery(metricSourcesQuery);
  const [editing, setEditing] = useState<MetricSource | 'new' | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const [previewed, setPreviewed] = useState<MetricSource | null>(null);
  const onMade = (token: string, path: string) => {
    setEditing(null);
    setMade({ token, path });
  };
  return (
    <Stack gap="md" mt="xl">
      <Group justify="space-between">
        <div>
          <Title order={2}>Metrics from Prometheus</Title>
          <Text size="sm" className="muted">
            Memory and disk use that the cloud does not measure itself, for better sizes and fewer
            unknowns.
          </Text>
        </div>
        {may('estate.manage') && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => setEditing('new')}
          >
            Add Prometheus server
          </Button>
        )}
      </Group>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && (
        <Text size="sm" className="muted">
          No Prometheus server is connected.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((source) => (
          <SourceCard
            key={source.id}
            source={source}
            onChange={() => setEditing(source)}
            onPreview={() => setPreviewed(source)}
            onMade={onMade}
          />
        ))}
      </SimpleGrid>
      {editing && (
        <MetricSourceForm
          source={editing === 'new' ? undefined : editing}
          onMade={onMade}
          onClose={() => setEditing(null)}
        />
      )}
      {previewed && <MetricPreview source={previewed} onClose={() => setPreviewed(null)} />}
      {made && <TokenDialog made={made} onClose={() => setMade(null)} />}
    </Stack>
  );
}

/** The configuration with the new token, shown this once. */
function TokenDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const url = made.path.startsWith('/') ? `${window.location.origin}${made.path}` : made.path;
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title="Configure Prometheus"
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="yellow" variant="light" title="Copy it now">
          The token is shown only once. If you lose it, create a new one.
        </Alert>
        <CodeBlock label="Section of prometheus.yml" text={remoteWrite(url, made.token)} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface CardProps {
  source: MetricSource;
  onChange: () => void;
  onPreview: () => void;
  onMade: (token: string, path: string) => void;
}

function SourceCard({ source, onChange, onPreview, onMade }: CardProps) {
  const may = useMay();
  const sync = useChange(syncMetricSource);
  const rotate = useChange(rotateMetricToken);
  const { pushed, last_sync: last } = source;
  const queried = source.kind === 'query';
  const failing = queried && (last?.problems.length ?? 0) > 0;
  const begun = queried ? last : pushed?.last_at;
  const status = !source.enabled ? 'disabled' : failing ? 'failed' : begun ? 'ready' : 'new';
  return (
    <Panel
      title={source.name}
      note={queried ? 'Queried by Reeve' : 'Pushes to Reeve'}
      actions={<Status of={status} size="lg" />}
    >
      <Stack gap="md">
        <Facts
          of={[
            ['Address', source.url],
            ['Rules', plural(source.rules.length, 'rule', 'rules')],
            [
              'Last push',
              pushed &&
                (pushed.last_at ? (
                  <When key="push" at={pushed.last_at} form="ago" />
                ) : (
                  'None since Reeve started'
                )),
            ],
            [
              'Points received',
              pushed &&
                `${count(pushed.received)}, ${count(pushed.mapped)} of them of your resources`,
            ],
            [
              'No resource found for',
              pushed && pushed.unmatched > 0 && plural(pushed.unmatched, 'point', 'points'),
            ],
            ['Not stored', pushed && dropped(pushed)],
            ['Last query', last && <When key="query" at={last.finished_at} form="ago" />],
            [
              'Matched',
              last &&
                `${plural(last.mapped, 'series', 'series')}, ${count(last.unmapped)} without a resource`,
            ],
            [
              'Newest sample',
              last?.newest_at && <When key="newest" at={last.newest_at} form="ago" />,
            ],
          ]}
        />
        {failing && (
          <Alert
            color="orange"
            variant="light"
            title={last?.denied ? 'Credentials denied' : 'The last query had problems'}
          >
            {last?.problems.map((text) => (
              <Text size="sm" key={text}>
                {text}
              </Text>
            ))}
          </Alert>
        )}
        <ProblemAlert error={sync.error ?? rotate.error} />
        {may('estate.manage') && (
          <Group gap="xs">
            <Button variant="light" leftSection={<IconEye size={16} />} onClick={onPreview}>
              Preview matches
            </Button>
            {queried && (
              <Button
                variant="default"
                leftSection={<IconRefresh size={16} />}
                loading={sync.isPending}
                onClick={() =>
                  sync.mutate(source.id, { onSuccess: () => announce('Query started.') })
                }
              >
                Query now
              </Button>
            )}
            {!queried && (
              <Button
                variant="default"
                leftSection={<IconKey size={16} />}
                loading={rotate.isPending}
                onClick={() =>
                  rotate.mutate(source.id, {
                    onSuccess: (answer) => {
                      if (answer.token && answer.write_path)
                        onMade(answer.token, answer.write_path);
                    },
                  })
                }
              >
                New token
              </Button>
            )}
            <Button variant="default" leftSection={<IconSettings size={16} />} onClick={onChange}>
              Change
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}

/** Points that were left out, by reason. */
function dropped(pushed: NonNullable<MetricSource['pushed']>): string | undefined {
  const reasons: [number, string][] = [
    [pushed.too_old, 'too late'],
    [pushed.in_future, 'in the future'],
    [pushed.not_finite, 'not a number'],
    [pushed.over_limit, 'beyond the number of series'],
    [pushed.out_of_range, 'out of range'],
  ];
  return (
    reasons
      .filter(([number]) => number > 0)
      .map(([number, reason]) => `${count(number)} ${reason}`)
      .join(', ') || undefined
  );
}
