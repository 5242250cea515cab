import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconFilterOff, IconRocket } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { recommendationFilters } from '../../addresses';
import { useMay } from '../../api/session';
import { count, plural } from '../../display/amounts';
import { DataTable } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { lazyComponent } from '../../display/lazy';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Select } from '../../display/Select';
import { TypedFilter } from '../../display/TypedFilter';
import { options } from '../../display/wording';
import { APPLICABILITY } from './Applicable';
import { BulkAnswers } from './BulkAnswers';
import { ALL_COLUMNS } from './columns';
import { PRIORITY_ORDER } from './priorities';
import { useDismissals } from './dismissals';
import { useNamed } from './named-resources';
import { MOST, recommendationsQuery, TYPES } from './queries';
import { totalsInWords } from './savings-words';

const RolloutForm = lazyComponent(() => import('./rollouts/RolloutForm'), 'RolloutForm');
const route = getRouteApi('/app/intelligence/recommendations');

const WAITING = 'open,pending_approval,approved,scheduled,snoozed,executing,verifying,testing';
const STATUSES = [
  { value: WAITING, label: 'Not ended' },
  ...options([
    'open',
    'pending_approval',
    'approved',
    'scheduled',
    'testing',
    'snoozed',
    'executing',
    'verifying',
    'succeeded',
    'rolled_back',
    'failed',
    'dismissed',
    'superseded',
    'expired',
  ]),
];

export function Recommendations() {
  const search = route.useSearch({ select: recommendationFilters, structuralSharing: true });
  const navigate = useNavigate();
  const may = useMay();
  const [rolling, setRolling] = useState(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const status = search.status ?? WAITING;
  const least = Number(search.min_confidence);
  const filter = {
    status: status === 'all' ? undefined : status,
    priority: search.priority,
    type: search.type,
    min_confidence: Number.isFinite(least) && search.min_confidence ? least : undefined,
    account: search.account,
    applicability: search.applicability,
  };
  const {
    data,
    error,
    refetch,
    ids,
    rows: named,
  } = useNamed(recommendationsQuery, filter, search.resource);
  const { asDismissed } = useDismissals();
  const rows = named?.map(asDismissed);
  const set = (change: Partial<typeof search>) => {
    void navigate({
      to: '/intelligence/recommendations',
      search: (before) => ({ ...before, ...change, page: undefined }),
      replace: true,
    });
  };
  const filtered = Object.values(search).some(Boolean);
  const clear = () =>
    void navigate({ to: '/intelligence/recommendations', search: {}, replace: true });

  return (
    <Stack gap="md">
      <Group
        gap="sm"
        align="flex-end"
        role="search"
        className="filters"
        aria-label="Filter recommendations"
      >
        <Select
          label="Status"
          data={[...STATUSES, { value: 'all', label: 'All' }]}
          value={status}
          onChange={(value) => set({ status: !value || value === WAITING ? undefined : value })}
          allowDeselect={false}
          w={160}
        />
        <Select
          label="Priority"
          data={options(PRIORITY_ORDER)}
          value={search.priority ?? null}
          onChange={(value) => set({ priority: value ?? undefined })}
          placeholder="Any"
          clearable
          w={115}
        />
        <Select
          label="Can be applied"
          data={options(APPLICABILITY)}
          value={search.applicability ?? null}
          onChange={(value) => set({ applicability: value ?? undefined })}
          placeholder="Any"
          clearable
          w={135}
        />
        <Select
          label="Type"
          data={options(TYPES)}
          value={search.type ?? null}
          onChange={(value) => set({ type: value ?? undefined })}
          placeholder="Any"
          clearable
          searchable
          w={160}
        />
        <TypedFilter
          label="Minimum confidence"
          w={135}
          value={search.min_confidence}
          onChange={(value) => set({ min_confidence: value })}
          percent
        />
        <TypedFilter
          label="Account"
          w={115}
          value={search.account}
          onChange={(value) => set({ account: value })}
        />
        <TypedFilter
          label="Resource"
          placeholder="Name or identifier"
          w={165}
          value={search.resource}
          onChange={(value) => set({ resource: value })}
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
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Group justify="space-between" gap="sm">
            <Text size="sm" className="muted numeral" role="status">
              {data
                ? ids
                  ? `${count(rows?.length ?? 0)} found, of ${plural(ids.size, 'resource')}`
                  : totalsInWords(data)
                : 'Loading …'}
            </Text>
            {search.type &&
              may('intelligence.operate') &&
              (data?.items.filter(
                ({ plan, status: now, agent_id }) => plan && agent_id && now === 'open',
              ).length ?? 0) > 1 && (
                <Button
                  variant="light"
                  leftSection={<IconRocket size={16} />}
                  onClick={() => setRolling(true)}
                >
                  Start a staged rollout
                </Button>
              )}
          </Group>
          <BulkAnswers
            chosen={rows?.filter(({ id }) => chosen.has(id)) ?? []}
            onChosen={setChosen}
          />
          {data && data.total > MOST && (
            <Alert color="yellow">
              Only the first {count(MOST)} are shown. Narrow the filters to see the rest.
            </Alert>
          )}
          <DataTable
            label="Recommendations"
            columns={ALL_COLUMNS}
            rows={rows}
            rowId={(row) => row.id}
            pageSize={25}
            selection={
              may('intelligence.operate')
                ? { ids: chosen, onChange: setChosen, name: ({ title }) => title }
                : undefined
            }
            onOpen={(row) =>
              void navigate({ to: '/intelligence/recommendations/$id', params: { id: row.id } })
            }
            empty={
              <EmptyState
                title={filtered ? 'Nothing matches these filters' : 'No recommendations yet'}
                action={
                  filtered ? (
                    <Button variant="light" mt="sm" onClick={clear}>
                      Clear filters
                    </Button>
                  ) : undefined
                }
              >
                {filtered
                  ? 'Remove a filter, or include every status.'
                  : `Recommendations appear when an agent has enough data. ${may('intelligence.operate') ? 'Run an agent under Agents.' : 'An operator can run one.'}`}
              </EmptyState>
            }
          />
        </>
      )}
      {rolling && <RolloutForm type={search.type} onClose={() => setRolling(false)} />}
    </Stack>
  );
}
