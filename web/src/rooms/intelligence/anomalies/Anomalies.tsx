import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconActivity, IconAdjustments, IconFilterOff } from '@tabler/icons-react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { anomalyFilters } from '../../../addresses';
import { useMay } from '../../../api/session';
import { count, plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Select } from '../../../display/Select';
import { Status } from '../../../display/Status';
import { TypedFilter } from '../../../display/TypedFilter';
import { When } from '../../../display/When';
import { options, sentence, words } from '../../../display/wording';
import { PRIORITY_ORDER } from '../priorities';
import { useNamed } from '../named-resources';
import { MOST } from '../queries';
import { isNoise } from './entries';
import { byIncident, furtherMembers, type AnomalyRow } from './incidents';
import { anomaliesQuery } from './queries';

const AnomalySettingsDialog = lazyComponent(
  () => import('./AnomalySettingsDialog'),
  'AnomalySettingsDialog',
);

const route = getRouteApi('/app/intelligence/anomalies/');
export const CLASSES = ['cost', 'performance', 'security', 'operational'];

const COLUMNS: Column<AnomalyRow>[] = [
  {
    id: 'title',
    header: 'Anomaly',
    sortBy: (row) => row.title,
    csv: {
      Anomaly: (row) => row.title,
      Resource: (row) => row.resource.name,
      'Resource identifier': (row) => row.resource.id,
      Kind: (row) => row.resource.kind,
      Provider: (row) => row.resource.provider,
      Account: (row) => row.resource.account,
      Region: (row) => row.resource.region,
    },
    cell: (row) => (
      <div style={{ minWidth: 220, maxWidth: 380 }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/intelligence/anomalies/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.title}
        </Anchor>
        <Text size="xs" className="muted" truncate title={placeOf(row)}>
          {placeOf(row)}
        </Text>
        <Members of={row} />
      </div>
    ),
  },
  {
    id: 'severity',
    header: 'Severity',
    sortBy: (row) => PRIORITY_ORDER.indexOf(row.severity),
    cell: (row) => <Status of={row.severity} />,
  },
  { id: 'class', header: 'Class', sortBy: (row) => row.type, cell: (row) => words(row.type) },
  {
    id: 'status',
    header: 'Status',
    sortBy: (row) => row.status,
    cell: (row) => <Status of={row.status} />,
  },
  {
    id: 'cause',
    header: 'Likely cause',
    cell: (row) => (
      <div style={{ minWidth: 180, maxWidth: 320 }}>
        <Text size="sm" lineClamp={2} title={row.likely_cause}>
          {sentence(row.likely_cause)}
        </Text>
      </div>
    ),
  },
  {
    id: 'started',
    header: 'Began',
    sortBy: (row) => row.started_at,
    cell: (row) => <When at={row.started_at} />,
  },
];

/** The anomalies of an incident, folded below its row. */
function Members({ of: row }: { of: AnomalyRow }) {
  const { members, members_total } = row;
  if (members.length === 0) return null;
  const further = furtherMembers(row);
  return (
    <details onClick={(event) => event.stopPropagation()}>
      <Text component="summary" size="xs" className="muted" style={{ cursor: 'pointer' }}>
        {plural(members_total, 'anomaly', 'anomalies')} of one incident
      </Text>
      <Stack component="ul" gap={4} m={0} pl={18}>
        {members.map(({ id, title }) => (
          <li key={id}>
            <Anchor
              size="xs"
              renderRoot={(props) => (
                <Link to="/intelligence/anomalies/$id" params={{ id }} {...props} />
              )}
            >
              {title}
            </Anchor>
          </li>
        ))}
        {further && <li className="muted">{further}</li>}
      </Stack>
    </details>
  );
}

function placeOf({ resource: { name, id, kind, provider, region } }: AnomalyRow): string {
  return [name || id, words(kind), provider && words(provider), region].filter(Boolean).join(' · ');
}

/** What is strange in the estate, one for one trouble. */
export function Anomalies() {
  const search = route.useSearch({ select: anomalyFilters, structuralSharing: true });
  const navigate = useNavigate();
  const may = useMay();
  const [settings, setSettings] = useState(false);
  const { resource: typed, ...filter } = search;
  const { data, error, refetch, ids, rows: named } = useNamed(anomaliesQuery, filter, typed);
  const set = (change: Partial<typeof search>) =>
    void navigate({
      to: '/intelligence/anomalies',
      search: (before) => ({ ...before, ...change, page: undefined }),
      replace: true,
    });
  const clear = () => void navigate({ to: '/intelligence/anomalies', search: {}, replace: true });
  const filtered = Object.values(search).some(Boolean);
  const [everything, setEverything] = useState(false);
  // Whoever filters asks for what there is.
  const found = named && byIncident(named);
  const noise = found && !filtered ? found.filter(isNoise).length : 0;
  const rows = noise > 0 && !everything ? found?.filter((row) => !isNoise(row)) : found;
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Group
          gap="sm"
          align="flex-end"
          role="search"
          className="filters"
          aria-label="Filter anomalies"
          flex="1 1 300px"
        >
          <Select
            label="Class"
            placeholder="Any"
            clearable
            w={150}
            data={options(CLASSES)}
            value={search.type ?? null}
            onChange={(value) => set({ type: value ?? undefined })}
          />
          <Select
            label="Status"
            placeholder="Any"
            clearable
            w={150}
            data={options(['open', 'acknowledged', 'resolved'])}
            value={search.status ?? null}
            onChange={(value) => set({ status: value ?? undefined })}
          />
          <TypedFilter
            label="Resource or person"
            placeholder="Name or identifier"
            w={220}
            value={search.resource}
            onChange={(resource) => set({ resource })}
          />
          {filtered && (
            <Button
              variant="subtle"
              color="gray"
              leftSection={<IconFilterOff size={16} />}
              onClick={clear}
            >
              Clear
            </Button>
          )}
        </Group>
        <Button
          variant="default"
          leftSection={<IconAdjustments size={16} />}
          onClick={() => setSettings(true)}
        >
          Detection settings
        </Button>
      </Group>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Group gap={8}>
            <Text size="sm" className="muted numeral" role="status">
              {data && found
                ? `${count(ids ? found.length : data.total - data.items.length + found.length)} found, newest first${noise > 0 && !everything ? `; ${count(noise)} of low severity are resolved and hidden` : ''}`
                : 'Loading …'}
            </Text>
            {noise > 0 && (
              <Anchor component="button" size="sm" onClick={() => setEverything(!everything)}>
                {everything ? 'Hide resolved ones of low severity' : 'Show all'}
              </Anchor>
            )}
          </Group>
          {data && data.total > MOST && (
            <Alert color="yellow">
              Only the newest {count(MOST)} are shown. Narrow the filters to see the rest.
            </Alert>
          )}
          <DataTable
            label="Anomalies"
            columns={COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            pageSize={25}
            onOpen={(row) =>
              void navigate({ to: '/intelligence/anomalies/$id', params: { id: row.id } })
            }
            empty={
              <EmptyState
                title={
                  filtered
                    ? 'Nothing matches these filters'
                    : noise > 0
                      ? 'Nothing needs you'
                      : 'No anomalies yet'
                }
                icon={<IconActivity size={22} />}
                action={
                  filtered ? (
                    <Button variant="light" mt="sm" onClick={clear}>
                      Clear filters
                    </Button>
                  ) : undefined
                }
              >
                {noise > 0
                  ? 'All anomalies are resolved and of low severity.'
                  : filtered
                    ? 'Remove a filter, or search by a part of the name of a resource or user.'
                    : 'Detection starts after two weeks of data. Choose what is checked under “Detection settings”.'}
              </EmptyState>
            }
          />
        </>
      )}
      {settings && (
        <AnomalySettingsDialog
          locked={!may('intelligence.configure')}
          onClose={() => setSettings(false)}
        />
      )}
    </Stack>
  );
}
