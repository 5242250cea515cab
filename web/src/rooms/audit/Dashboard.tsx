import {
  Anchor,
  Grid,
  Group,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { IconAlertTriangle, IconBan, IconBell, IconListDetails } from '@tabler/icons-react';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { SearchFilters } from '../../addresses';
import type { Count, Stats } from '../../api/bodies';
import { useMay } from '../../api/session';
import { TimeBars } from '../../charts/TimeBars';
import { count } from '../../display/amounts';
import { DataTable } from '../../display/DataTable';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Tile } from '../../display/Tile';
import { BasicSearch } from './BasicSearch';
import { CompliancePanel } from './CompliancePanel';
import { RECENT_COLUMNS } from './columns';
import { Freshness } from './Freshness';
import { IntegrityPanel } from './IntegrityPanel';
import { NothingFound } from './NothingFound';
import { visibility } from './empty-search';
import { clockSkewQuery, entriesQuery, SECURITY_QUERY, statsQuery } from './queries';
import { Ranked } from './Ranked';
import { useRefresh, type Refresh } from './refresh';
import { SecurityEvents } from './SecurityEvents';
import { FAILED_QUERY, periodAt, searchOfResource, searchOfUser } from './summary';

const PERIODS = [
  { value: '24', label: '24 hours' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
];
const NONE: Count[] = [];
const RECENT = 15;
const ALERT = 'audit.alert.fire';
/** The statistics count an announced change once, by its outcome; searches behind their numbers leave out the intents as well. */
const OUTCOMES = 'NOT status:pending';

const counted = (filters: SearchFilters): SearchFilters => ({
  ...filters,
  query: filters.query ? `(${filters.query}) AND ${OUTCOMES}` : OUTCOMES,
});

/** The log at a glance. All panels are about one period, and each leads to the search that shows its entries. */
export function Dashboard() {
  const [hours, setHours] = useState('24');
  const [reads, setReads] = useState(false);
  const refresh = useRefresh();
  const { data: skew = 0 } = useQuery(clockSkewQuery);
  const period = useMemo<SearchFilters>(
    () => ({ ...periodAt(refresh.at + skew, Number(hours)), ...(reads ? { reads: 'yes' } : {}) }),
    [refresh.at, skew, hours, reads],
  );
  const stats = useQuery(statsQuery(period));
  const fetching = useIsFetching({ queryKey: ['audit'] }) > 0;
  const may = useMay();
  const limited = visibility(may);
  const data = stats.data;
  return (
    <Stack gap="lg">
      <Panel title="Search">
        <BasicSearch />
      </Panel>
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          value={hours}
          onChange={setHours}
          data={PERIODS}
          aria-label="Time range"
        />
        <Group gap="lg">
          <Switch
            label="Include reads of the log"
            checked={reads}
            onChange={(event) => setReads(event.currentTarget.checked)}
          />
          <Freshness of={refresh} fetching={fetching} />
        </Group>
      </Group>
      {limited && (
        <Text size="sm" className="muted">
          {limited}
        </Text>
      )}
      {stats.error && <ProblemAlert error={stats.error} onRetry={() => void stats.refetch()} />}
      <Tiles of={data} period={period} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Panel
            title="Activity over time"
            note={Number(hours) > 72 ? 'Entries by day' : 'Entries by hour'}
            actions={<All of={counted(period)} name="entries" />}
          >
            <TimeBars label="Entries over time" counts={data?.by_time ?? NONE} height={296} />
          </Panel>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <SecurityEvents period={period} />
        </Grid.Col>
      </Grid>
      <Recent period={period} total={data?.total} refresh={refresh} />
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
        <Panel title="By event type">
          <Ranked
            label="Entries by event type"
            of={data?.by_event_type}
            search={(event_type) => counted({ ...period, event_type })}
          />
        </Panel>
        <Panel title="By user">
          <Ranked
            label="Entries by user"
            of={data?.by_user}
            search={(value) => counted({ ...period, ...searchOfUser(value) })}
          />
        </Panel>
        <Panel title="By resource">
          <Ranked
            label="Entries by resource"
            of={data?.by_resource}
            search={(value) => counted({ ...period, ...searchOfResource(value) })}
          />
        </Panel>
      </SimpleGrid>
      {may('audit.reports') && <CompliancePanel at={refresh.at} />}
      <IntegrityPanel period={period} logSize={data?.log_size} onVerified={refresh.now} />
    </Stack>
  );
}

/** The link of a panel to the search that shows all of its entries. */
function All({ of: filters, name }: { of: SearchFilters; name: string }) {
  return (
    <Anchor
      size="sm"
      aria-label={`All ${name}`}
      renderRoot={(props) => <Link to="/audit/search" search={filters} {...props} />}
    >
      All
    </Anchor>
  );
}

function Tiles({ of: stats, period }: { of: Stats | undefined; period: SearchFilters }) {
  const loading = !stats;
  const security = useQuery(entriesQuery({ ...period, query: SECURITY_QUERY }, 5));
  const alerts = useQuery(entriesQuery({ ...period, event_type: ALERT }, 1));
  const failed = stats?.by_status
    .filter(({ value }) => value === 'failed' || value === 'denied')
    .reduce((sum, one) => sum + one.count, 0);
  const linked = (
    label: string,
    many: number | null | undefined,
    search: SearchFilters,
  ): ReactNode => (
    <Anchor
      inherit
      c="inherit"
      aria-label={`${label}: ${count(many ?? 0)}`}
      renderRoot={(props) => <Link to="/audit/search" search={search} {...props} />}
    >
      {count(many ?? 0)}
    </Anchor>
  );
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="md">
      <Tile
        label="Entries"
        loading={loading}
        icon={<IconListDetails size={18} />}
        value={linked('Entries', stats?.total, counted(period))}
        note="In this period"
      />
      <Tile
        label="Security events"
        loading={!security.data}
        icon={<IconAlertTriangle size={18} />}
        value={linked('Security events', security.data?.total, {
          ...period,
          query: SECURITY_QUERY,
        })}
        note="High severity, denied, failed sign-ins"
      />
      <Tile
        label="Failed or denied"
        loading={loading}
        icon={<IconBan size={18} />}
        value={linked('Failed or denied', failed, { ...period, query: FAILED_QUERY })}
        note="Actions that did not go through"
      />
      <Tile
        label="Alerts fired"
        loading={!alerts.data}
        icon={<IconBell size={18} />}
        value={linked('Alerts fired', alerts.data?.total, { ...period, event_type: ALERT })}
        note="Alert rules whose condition was met"
      />
    </SimpleGrid>
  );
}

function Recent({
  period,
  total,
  refresh,
}: {
  period: SearchFilters;
  total: number | undefined;
  refresh: Refresh;
}) {
  const navigate = useNavigate();
  const recent = useQuery(entriesQuery(counted(period), RECENT));
  const freshness = refresh.paused
    ? 'Refreshing is paused.'
    : 'The page refreshes every 30 seconds.';
  return (
    <Panel
      title="Recent activity"
      note={
        total === undefined
          ? undefined
          : `The newest ${count(Math.min(RECENT, total))} of ${count(total)} entries in this period`
      }
      flush
      actions={<All of={counted(period)} name="recent activity" />}
    >
      {recent.error ? (
        <ProblemAlert error={recent.error} />
      ) : (
        <DataTable
          bare
          compact
          label="Recent activity"
          columns={RECENT_COLUMNS}
          rows={recent.data?.items}
          rowId={(row) => row.event_id}
          onOpen={(row) =>
            void navigate({ to: '/audit/$eventId', params: { eventId: row.event_id } })
          }
          empty={
            <NothingFound
              filters={period}
              at={refresh.at}
              freshness={freshness}
              onWiden={(search) => void navigate({ to: '/audit/search', search })}
              onRefresh={refresh.now}
            />
          }
        />
      )}
    </Panel>
  );
}
