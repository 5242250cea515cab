import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconFilterOff, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Resource } from '../../api/bodies';
import { resourceFilters } from '../../addresses';
import { useMay } from '../../api/session';
import { count, money } from '../../display/amounts';
import { DataTable, type Column } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Page } from '../../display/Page';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Select } from '../../display/Select';
import { Status } from '../../display/Status';
import { TypedFilter } from '../../display/TypedFilter';
import { options, words } from '../../display/wording';
import { connectionsQuery, kindsQuery, MOST, resourcesCsv, resourcesQuery } from './queries';

const route = getRouteApi('/app/estate/resources');

const PRICED = new Set(['virtual_machine', 'volume', 'database', 'bucket', 'load_balancer']);

const COLUMNS: Column<Resource>[] = [
  {
    id: 'name',
    header: 'Resource',
    sortBy: (row) => row.name,
    csv: { Resource: (row) => row.name || row.id },
    cell: (row) => (
      <div style={{ minWidth: 160, maxWidth: 230 }}>
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/estate/resources/$id" params={{ id: row.id }} {...props} />
          )}
        >
          {row.name || row.id}
        </Anchor>
        <Text size="xs" className="muted" truncate title={row.id}>
          {row.id}
        </Text>
      </div>
    ),
  },
  {
    id: 'kind',
    header: 'Kind',
    minor: true,
    sortBy: (row) => row.type,
    cell: (row) => words(row.type),
  },
  {
    id: 'size',
    header: 'Size',
    sortBy: (row) => row.instance_type ?? '',
    csv: {
      Size: (row) => row.instance_type,
      'Storage (GiB)': (row) => row.storage_gib,
    },
    cell: (row) => row.instance_type ?? (row.storage_gib ? `${count(row.storage_gib)} GiB` : ''),
  },
  {
    id: 'state',
    header: 'State',
    sortBy: (row) => row.state,
    cell: (row) => <Status of={row.state} />,
  },
  {
    id: 'cloud',
    header: 'Cloud',
    sortBy: (row) => `${row.provider} ${row.account}`,
    csv: {
      Provider: (row) => row.provider,
      Account: (row) => row.account,
      Region: (row) => row.region,
    },
    cell: (row) => (
      <div style={{ maxWidth: 190 }}>
        <Text size="sm">{words(row.provider)}</Text>
        <Text size="xs" className="muted" truncate title={row.account}>
          {row.region} · {row.account}
        </Text>
      </div>
    ),
  },
  {
    id: 'purchase',
    header: 'Purchase option',
    minor: true,
    sortBy: (row) => row.purchase ?? '',
    cell: (row) => (row.purchase ? words(row.purchase) : ''),
  },
  {
    id: 'cost',
    header: 'Cost a month',
    align: 'right',
    sortBy: (row) => row.monthly_cost ?? -1,
    csv: { 'Cost a month (USD)': (row) => row.monthly_cost },
    cell: (row) =>
      row.monthly_cost == null ? (
        <Text span size="sm" className="muted">
          {PRICED.has(row.type) ? 'not known' : ''}
        </Text>
      ) : (
        money(row.monthly_cost)
      ),
  },
];

export function Resources() {
  const search = route.useSearch({ select: resourceFilters, structuralSharing: true });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(resourcesQuery(search));
  const manages = useMay()('estate.manage');
  const connections = useQuery(connectionsQuery);
  const kinds = useQuery(kindsQuery);
  const set = (change: Partial<typeof search>) =>
    void navigate({
      to: '/estate/resources',
      search: (before) => ({ ...before, ...change, page: undefined }),
      replace: true,
    });
  const clear = () => void navigate({ to: '/estate/resources', search: {}, replace: true });
  const filtered = Object.values(search).some(Boolean);
  const cost = data?.items.reduce((sum, one) => sum + (one.monthly_cost ?? 0), 0);
  return (
    <Page title="Resources" description="Resources of all connections, with their monthly cost.">
      <Stack gap="md">
        <Group
          gap="sm"
          align="flex-end"
          role="search"
          className="filters"
          aria-label="Filter resources"
        >
          <TypedFilter
            label="Find"
            placeholder="Name, identifier or tag"
            leftSection={<IconSearch size={16} />}
            w={{ base: '100%', xs: 260 }}
            value={search.text}
            onChange={(text) => set({ text })}
          />
          <Select
            label="Cloud"
            placeholder="Any"
            clearable
            w={150}
            data={options(['aws', 'azure', 'gcp', 'database'])}
            value={search.provider ?? null}
            onChange={(value) => set({ provider: value ?? undefined })}
          />
          <Select
            label="Kind"
            placeholder="Any"
            clearable
            w={170}
            searchable
            data={
              kinds.data?.items.map(({ type, plural }) => ({ value: type, label: plural })) ?? []
            }
            value={search.type ?? null}
            onChange={(value) => set({ type: value ?? undefined })}
          />
          <Select
            label="Connection"
            placeholder="Any"
            clearable
            w={190}
            data={connections.data?.items.map(({ id, name }) => ({ value: id, label: name })) ?? []}
            value={search.connection ?? null}
            onChange={(value) => set({ connection: value ?? undefined })}
          />
          <TypedFilter
            label="Query"
            placeholder="type:volume configuration.encrypted:false -tags.owner:*"
            w={{ base: '100%', sm: 420 }}
            value={search.query}
            onChange={(query) => set({ query })}
          />
          <Button
            component="a"
            variant="default"
            href={resourcesCsv(search)}
            download
            leftSection={<IconDownload size={16} />}
          >
            CSV
          </Button>
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
        {error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} />
        ) : (
          <>
            <Text size="sm" className="muted numeral" role="status">
              {data ? `${count(data.total)} found · ${money(cost)} a month` : 'Loading …'}
            </Text>
            {data && data.total > MOST && (
              <Alert color="yellow">
                Only the first {count(MOST)} are shown. Narrow the filters to see the rest.
              </Alert>
            )}
            <DataTable
              label="Resources"
              columns={COLUMNS}
              rows={data?.items}
              rowId={(row) => `${row.connection_id} ${row.id}`}
              pageSize={25}
              sortedBy={{ id: 'cost', desc: true }}
              onOpen={(row) =>
                void navigate({ to: '/estate/resources/$id', params: { id: row.id } })
              }
              empty={
                <EmptyState
                  title={filtered ? 'Nothing matches these filters' : 'No resources yet'}
                  action={
                    filtered ? (
                      <Button variant="light" mt="sm" onClick={clear}>
                        Clear filters
                      </Button>
                    ) : undefined
                  }
                >
                  {filtered
                    ? 'Remove a filter.'
                    : manages
                      ? 'Add a connection under Connections and sync it.'
                      : 'Ask an operator or administrator to connect a cloud account.'}
                </EmptyState>
              }
            />
          </>
        )}
      </Stack>
    </Page>
  );
}
