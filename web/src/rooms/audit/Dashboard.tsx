import { Anchor, Grid, Group, SegmentedControl, SimpleGrid, Stack, Switch } from '@mantine/core';
import { IconAlertTriangle, IconListDetails, IconLock, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Count, Stats } from '../../api/bodies';
import { TimeBars } from '../../charts/TimeBars';
import { Shares } from '../../charts/Shares';
import { count, shortCount } from '../../display/amounts';
import { DataTable } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Tile } from '../../display/Tile';
import type { SearchFilters } from '../../addresses';
import { useAgentNames } from './Names';
import { RECENT_COLUMNS } from './columns';
import { recentQuery, statsQuery } from './queries';
import { Freshness } from './Freshness';
import { tail } from './naming';
import { SecurityEvents } from './SecurityEvents';

const PERIODS = [{ value: '24', label: '24 hours' }, { value: '168', label: '7 days' }, { value: '720', label: '30 days' }];
const PERIOD_NAMES: Record<string, string> = { 24: '24h', 168: '7d', 720: '30d' };

export function Dashboard() {
  const [hours, setHours] = useState('24');
  const [reads, setReads] = useState(false);
  const stats = useQuery(statsQuery(Number(hours), reads));
  const start = PERIOD_NAMES[hours];
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <SegmentedControl value={hours} onChange={setHours} data={PERIODS} aria-label="Period" />
        <Switch label="Include reads of the log" checked={reads} onChange={(event) => setReads(event.currentTarget.checked)} />
      </Group>
      {stats.error && <ProblemAlert error={stats.error} onRetry={() => void stats.refetch()} />}
      <Tiles of={stats.data} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Panel title="Activity over time" note={Number(hours) > 72 ? 'Entries by day' : 'Entries by hour'}>
            <TimeBars label="Entries over time" counts={stats.data?.by_time ?? NONE} height={296} />
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}><SecurityEvents /></Grid.Col>
      </Grid>
      <Recent reads={reads} />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
        <Panel title="By event type"><Ranked label="Entries by event type" of={stats.data?.by_event_type} search={(value) => ({ event_type: value, start })} /></Panel>
        <Panel title="By user"><Ranked label="Entries by user" of={stats.data?.by_user} search={(value) => ({ user: value, start })} /></Panel>
        <Panel title="By resource"><Ranked label="Entries by resource" of={stats.data?.by_resource} search={(value) => ({ resource_id: value, start })} /></Panel>
      </SimpleGrid>
    </Stack>
  );
}

const NONE: Count[] = [];

function Tiles({ of: stats }: { of: Stats | undefined }) {
  const loading = !stats;
  const failed = stats?.by_status.filter(({ value }) => value !== 'success' && value !== 'pending').reduce((sum, one) => sum + one.count, 0) ?? 0;
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
      <Tile label="Entries" loading={loading} icon={<IconListDetails size={18} />} value={shortCount(stats?.total ?? 0)} note="In this period" />
      <Tile label="Security events" loading={loading} icon={<IconAlertTriangle size={18} />} value={shortCount(stats?.security_events ?? 0)} note="Of high or critical severity" />
      <Tile label="Failed or denied" loading={loading} icon={<IconUsers size={18} />} value={shortCount(failed)} note="Actions that did not go through" />
      <Tile label="Signed log" loading={loading} icon={<IconLock size={18} />} value={count(stats?.log_size ?? 0)} note="Entries under the newest checkpoint" />
    </SimpleGrid>
  );
}

function Recent({ reads }: { reads: boolean }) {
  const navigate = useNavigate();
  const recent = useQuery(recentQuery(reads));
  return (
    <Panel title="Recent activity" flush actions={<Freshness at={recent.dataUpdatedAt} fetching={recent.isFetching} onRefresh={() => void recent.refetch()} />}>
      {recent.error ? <ProblemAlert error={recent.error} /> : (
        <DataTable
          bare label="Recent activity" columns={RECENT_COLUMNS} rows={recent.data?.items} rowId={(row) => row.event_id}
          onOpen={(row) => void navigate({ to: '/audit/$eventId', params: { eventId: row.event_id } })}
          empty={<EmptyState title="Nothing recorded yet">Entries appear here as they arrive. You see only those that your role may see.</EmptyState>}
        />
      )}
    </Panel>
  );
}

function Ranked({ label, of: counts, search }: { label: string; of: Count[] | undefined; search: (value: string) => SearchFilters }) {
  const names = useAgentNames();
  const shares = counts?.slice(0, 8).map(({ value, count: many }) => ({
    key: value,
    name: <Anchor size="sm" c="inherit" title={value} renderRoot={(props) => <Link to="/audit/search" search={search(value)} {...props} />}>{names.get(value) ?? tail(value)}</Anchor>,
    size: many,
    shown: count(many),
  }));
  return <Shares label={label} shares={shares} none="Nothing in this period." />;
}
