import { Alert, Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconRefresh, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BillSource } from '../../api/bodies';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, plural } from '../../display/amounts';
import { Facts } from '../../display/Facts';
import { lazyComponent } from '../../display/lazy';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { billSourcesQuery, syncBillSource } from './bill-sources';
import { useChange } from './queries';

const BillSourceForm = lazyComponent(() => import('./BillSourceForm'), 'BillSourceForm');

/** Buckets that the cloud exports its bills to, as FOCUS files. */
export function BillSources() {
  const may = useMay();
  const { data, error, refetch } = useQuery(billSourcesQuery);
  const [editing, setEditing] = useState<BillSource | 'new' | null>(null);
  return (
    <Stack gap="md" mt="xl">
      <Group justify="space-between">
        <div>
          <Title order={2}>Bills from S3</Title>
          <Text size="sm" className="muted">
            FOCUS exports (CSV or Parquet), for savings at the prices that you pay.
          </Text>
        </div>
        {may('estate.manage') && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} />}
            onClick={() => setEditing('new')}
          >
            Add bucket
          </Button>
        )}
      </Group>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {data?.items.length === 0 && (
        <Text size="sm" className="muted">
          No bucket is read. Savings are computed at list prices.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        {data?.items.map((source) => (
          <SourceCard key={source.id} source={source} onChange={() => setEditing(source)} />
        ))}
      </SimpleGrid>
      {editing && (
        <BillSourceForm
          source={editing === 'new' ? undefined : editing}
          onClose={() => setEditing(null)}
        />
      )}
    </Stack>
  );
}

function SourceCard({ source, onChange }: { source: BillSource; onChange: () => void }) {
  const may = useMay();
  const sync = useChange(syncBillSource);
  const last = source.last_sync;
  const failing = (last?.problems.length ?? 0) > 0;
  const status = !source.enabled ? 'disabled' : failing ? 'failed' : last ? 'ready' : 'new';
  return (
    <Panel
      title={source.name}
      note={`s3://${source.bucket}/${source.prefix}`}
      actions={<Status of={status} size="lg" />}
    >
      <Stack gap="md">
        <Facts
          of={[
            ['Region', source.region],
            ['Last read', last && <When key="read" at={last.finished_at} form="ago" />],
            [
              'Bills',
              last &&
                `${plural(last.bills, 'file', 'files')}, ${count(last.read)} new or restated, ${count(last.dropped)} removed`,
            ],
            [
              'Newest bill',
              last?.newest_at && <When key="newest" at={last.newest_at} form="ago" />,
            ],
          ]}
        />
        {failing && (
          <Alert
            color="orange"
            variant="light"
            title={last?.denied ? 'Permission denied' : 'The last read had problems'}
          >
            {last?.problems.map((text) => (
              <Text size="sm" key={text}>
                {text}
              </Text>
            ))}
          </Alert>
        )}
        <ProblemAlert error={sync.error} />
        {may('estate.manage') && (
          <Group gap="xs">
            <Button
              variant="light"
              leftSection={<IconRefresh size={16} />}
              loading={sync.isPending}
              onClick={() =>
                sync.mutate(source.id, { onSuccess: () => announce('Reading started.') })
              }
            >
              Read now
            </Button>
            <Button variant="default" leftSection={<IconSettings size={16} />} onClick={onChange}>
              Change
            </Button>
          </Group>
        )}
      </Stack>
    </Panel>
  );
}
