import {
  Anchor,
  Badge,
  Button,
  Grid,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Resource, Series } from '../../api/bodies';
import { useMay } from '../../api/session';
import { SampleChart } from '../../charts/SampleChart';
import { count, money } from '../../display/amounts';
import { Awaited } from '../../display/Awaited';
import { DataTable } from '../../display/DataTable';
import { Facts } from '../../display/Facts';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Status } from '../../display/Status';
import { Trail } from '../../display/Trail';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';
import { NARROW_COLUMNS } from '../intelligence/columns';
import { recommendationsQuery } from '../intelligence/queries';
import { BucketAccess, Stored } from './BucketUse';
import { Configuration, LastChange } from './Configuration';
import { WITH_FLOWS } from './flow-words';
import { History } from './History';
import { resourceQuery, samplesQuery } from './queries';
import { Relations } from './Relations';
import { CLASSIFIED, Workload } from './Workload';

const Flows = lazyComponent(() => import('./Flows'), 'Flows');
const DependencyMap = lazyComponent(
  () => import('../intelligence/dependencies/DependencyMap'),
  'DependencyMap',
);

/** Kinds that have metrics and that agents judge. */
const MEASURED = [
  'virtual_machine',
  'volume',
  'database',
  'bucket',
  'load_balancer',
  'scaling_group',
];

const route = getRouteApi('/app/estate/resources/$id');

export function ResourceDetail() {
  const { id } = route.useParams();
  const may = useMay();
  const { data, error, refetch } = useQuery(resourceQuery(id));
  const trail = <Trail of={[['Resources', '/estate/resources']]} />;
  if (!data) return <Awaited title="Resource" above={trail} error={error} onRetry={refetch} />;
  return (
    <Page
      title={data.name || data.id}
      above={trail}
      description={
        <Group component="span" display="inline-flex" gap={8}>
          <Status of={data.state} />
          {words(data.type)} · {words(data.provider)} {data.account} · {data.region}
        </Group>
      }
    >
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            {MEASURED.includes(data.type) && <Metrics id={id} name={data.name} />}
            {data.access && <BucketAccess of={data.access} />}
            {may('intelligence.view') && MEASURED.includes(data.type) && <Recommended id={id} />}
            {WITH_FLOWS.includes(data.type) && data.provider === 'aws' && (
              <Flows id={id} name={data.name || data.id} />
            )}
            <Relations id={id} name={data.name || data.id} kind={data.type} />
            {may('intelligence.view') && <Dependencies key={id} id={id} />}
            <Configuration id={id} />
            <LastChange id={id} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <About of={data} />
            <Protected of={data} />
            {may('intelligence.view') && CLASSIFIED.includes(data.type) && <Workload id={id} />}
            {may('audit.search') && <History id={id} />}
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** The dependency map, read once it is asked for. */
function Dependencies({ id }: { id: string }) {
  const [shown, setShown] = useState(false);
  if (shown) return <DependencyMap id={id} />;
  return (
    <Panel
      title="Dependencies"
      actions={
        <Button size="xs" variant="light" onClick={() => setShown(true)}>
          Show dependencies
        </Button>
      }
    >
      <Text size="sm" className="muted">
        What depends on this resource and what it needs, declared and observed.
      </Text>
    </Panel>
  );
}

function About({ of: one }: { of: Resource }) {
  const may = useMay();
  return (
    <Panel
      title="Resource"
      actions={
        <Group gap="md">
          {one.type === 'database' && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/estate/databases/$id" params={{ id: one.id }} {...props} />
              )}
            >
              Load and queries
            </Anchor>
          )}
          {may('intelligence.view') && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/intelligence/anomalies" search={{ resource: one.id }} {...props} />
              )}
            >
              Anomalies
            </Anchor>
          )}
          {may('audit.search') && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link to="/audit/search" search={{ resource_id: one.id }} {...props} />
              )}
            >
              In the log
            </Anchor>
          )}
        </Group>
      }
    >
      <Facts
        of={[
          [
            'Identifier',
            <span key="id" className="hash">
              {one.id}
            </span>,
          ],
          ['Service', words(one.service)],
          ['Size', one.instance_type],
          ['Storage', one.storage_gib ? `${count(one.storage_gib)} GiB` : undefined],
          ['Stored', one.contents && <Stored key="stored" of={one.contents} />],
          ['Purchase option', one.purchase && words(one.purchase)],
          ['Scaling group', one.group],
          ['Cost a month', money(one.monthly_cost)],
          ['Created', one.created_at && <When key="created" at={one.created_at} form="full" />],
          ['Last seen', <When key="seen" at={one.observed_at} form="ago" />],
          [
            'Tags',
            Object.keys(one.tags).length > 0 && (
              <Group key="tags" gap={4}>
                {Object.entries(one.tags).map(([name, value]) => (
                  <Badge key={name} color="gray">
                    {name}: {value}
                  </Badge>
                ))}
              </Group>
            ),
          ],
        ]}
      />
    </Panel>
  );
}

/** Reasons for which some changes are never made to the resource, whatever its load says. */
function Protected({ of: one }: { of: Resource }) {
  const protections = one.protections ?? [];
  if (protections.length === 0) return null;
  return (
    <Panel title="Left alone" note="Changes that Reeve never makes here">
      <Stack gap="sm">
        {protections.map(({ code, reason, changes }) => (
          <div key={code}>
            <Text size="sm">{sentence(reason)}</Text>
            <Text size="xs" className="muted">
              Not done:{' '}
              {changes.length
                ? changes.map((change) => words(change).toLowerCase()).join(', ')
                : 'any change'}
            </Text>
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

function Metrics({ id, name }: { id: string; name: string }) {
  const [days, setDays] = useState('7');
  const { data, error } = useQuery(samplesQuery(id, Number(days)));
  const groups = useMemo(() => byUnit(data?.series ?? []), [data]);
  return (
    <Panel
      title="Metrics"
      note={
        data
          ? `${count(data.series.reduce((sum, { data_points }) => sum + data_points, 0))} samples`
          : undefined
      }
      actions={
        <SegmentedControl
          size="xs"
          value={days}
          onChange={setDays}
          data={['1', '7', '14', '30'].map((value) => ({
            value,
            label: value === '1' ? '1 day' : `${value} days`,
          }))}
          aria-label="Period"
        />
      }
    >
      {error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={240} />}
      {data && groups.length === 0 && (
        <Text size="sm" className="muted">
          Nothing was measured in this period. Reeve never reads that as idle.
        </Text>
      )}
      <Stack gap="lg">
        {groups.map(([unit, series]) => (
          <SampleChart
            key={unit}
            label={`${series.map(({ metric }) => words(metric)).join(', ')} of ${name}`}
            series={series}
            height={unit === 'percent' ? 240 : 160}
          />
        ))}
      </Stack>
    </Panel>
  );
}

function byUnit(series: Series[]): [string, Series[]][] {
  const groups = new Map<string, Series[]>();
  for (const one of series.filter(({ points }) => points.length > 0))
    groups.set(one.unit, [...(groups.get(one.unit) ?? []), one]);
  return [...groups].sort(([a], [b]) => Number(b === 'percent') - Number(a === 'percent'));
}

function Recommended({ id }: { id: string }) {
  const navigate = useNavigate();
  const { data, error } = useQuery(recommendationsQuery({ resource: id, limit: 50 }));
  return (
    <Panel title="Recommendations" flush>
      {error ? (
        <ProblemAlert error={error} />
      ) : (
        <DataTable
          bare
          label="Recommendations for this resource"
          columns={NARROW_COLUMNS}
          rows={data?.items}
          rowId={(row) => row.id}
          onOpen={(row) =>
            void navigate({ to: '/intelligence/recommendations/$id', params: { id: row.id } })
          }
          empty={
            <Text size="sm" className="muted" px={18} pb={16}>
              None for this resource.
            </Text>
          }
        />
      )}
    </Panel>
  );
}
