import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Agent, Rollout } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { plural } from '../../../display/amounts';
import { DataTable, type Column } from '../../../display/DataTable';
import { EmptyState } from '../../../display/EmptyState';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Select } from '../../../display/Select';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { agentsQuery } from '../queries';
import { RolloutStatus } from './RolloutStatus';
import { reached, STAGES, type Stage } from './course';
import { rolloutsQuery } from './queries';
import { ROLLOUT_STATES } from './states';

const RolloutForm = lazyComponent(() => import('./RolloutForm'), 'RolloutForm');

const route = getRouteApi('/app/intelligence/rollouts');

function StageOf({ of: rollout }: { of: Rollout }) {
  const at = STAGES.indexOf(rollout.stage as Stage) + 1;
  const progress =
    rollout.status === 'completed'
      ? 'All stages passed'
      : `${words(rollout.stage)}, stage ${at} of ${STAGES.length}`;
  return (
    <div style={{ minWidth: 130 }}>
      <Text size="sm">{progress}</Text>
      <div style={{ display: 'flex', gap: 3, marginTop: 4, maxWidth: 150 }} aria-hidden>
        {STAGES.map((stage, index) => (
          <span
            key={stage}
            style={{
              flex: 1,
              height: 4,
              borderRadius: 2,
              background:
                index < at || rollout.status === 'completed'
                  ? `var(--mantine-color-${ROLLOUT_STATES[rollout.status]?.colour ?? 'gray'}-6)`
                  : 'var(--line)',
            }}
          />
        ))}
      </div>
    </div>
  );
}

function columns(agents: Agent[]): Column<Rollout>[] {
  return [
    {
      id: 'name',
      header: 'Rollout',
      sortBy: (row) => row.name,
      cell: (row) => (
        <div style={{ minWidth: 200, maxWidth: 380 }}>
          <Anchor
            size="sm"
            fw={550}
            c="inherit"
            renderRoot={(props) => (
              <Link to="/intelligence/rollouts/$id" params={{ id: row.id }} {...props} />
            )}
          >
            {row.name}
          </Anchor>
          <Text size="xs" className="muted">
            {words(row.type)} ·{' '}
            {agents.find(({ id }) => id === row.agent_id)?.name ?? 'an agent that is gone'}
          </Text>
        </div>
      ),
    },
    {
      id: 'status',
      header: 'Status',
      sortBy: (row) => row.status,
      cell: (row) => <RolloutStatus kind="rollout" of={row.status} />,
    },
    {
      id: 'stage',
      header: 'Stage',
      sortBy: (row) => STAGES.indexOf(row.stage as Stage),
      cell: (row) => <StageOf of={row} />,
    },
    {
      id: 'reached',
      header: 'Changed',
      sortBy: (row) => reached(row).changed,
      cell: (row) => {
        const { changed, failed, of } = reached(row);
        return (
          <Text size="sm" className="numeral">
            {changed} of {of}
            {failed > 0 && (
              <Text span inherit c="var(--bad)">
                , {failed} failed
              </Text>
            )}
          </Text>
        );
      },
    },
    {
      id: 'begun',
      header: 'Begun',
      sortBy: (row) => row.created_at,
      cell: (row) => (
        <div>
          <Text size="sm">
            <When at={row.created_at} />
          </Text>
          <Text size="xs" className="muted">
            {row.by_agent == null ? row.by : 'by its agent'}
          </Text>
        </div>
      ),
    },
    {
      id: 'moved',
      header: 'Last update',
      sortBy: (row) => row.updated_at,
      cell: (row) => <When at={row.updated_at} form="ago" />,
    },
  ];
}

/** One kind of change, carried to many resources in stages. */
export function Rollouts() {
  const { status } = route.useSearch();
  const navigate = useNavigate();
  const may = useMay();
  const [starting, setStarting] = useState(false);
  const { data, error, refetch } = useQuery(rolloutsQuery({ status }));
  const { data: agents } = useQuery(agentsQuery);
  const table = useMemo(() => columns(agents?.items ?? []), [agents]);
  const start = may('intelligence.operate') ? (
    <Button leftSection={<IconRocket size={16} />} onClick={() => setStarting(true)}>
      Start a rollout
    </Button>
  ) : undefined;
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Select
          label="Status"
          placeholder="Any"
          clearable
          w={190}
          value={status ?? null}
          data={Object.entries(ROLLOUT_STATES).map(([value, { label }]) => ({ value, label }))}
          onChange={(value) =>
            void navigate({
              to: '/intelligence/rollouts',
              search: (before) => ({ ...before, status: value ?? undefined, page: undefined }),
              replace: true,
            })
          }
        />
        {start}
      </Group>
      {error ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Text size="sm" className="muted" role="status">
            {data ? `${plural(data.total, 'rollout')}, newest first` : 'Loading …'}
          </Text>
          <DataTable
            label="Rollouts"
            columns={table}
            rows={data?.items}
            rowId={(row) => row.id}
            pageSize={25}
            onOpen={(row) =>
              void navigate({ to: '/intelligence/rollouts/$id', params: { id: row.id } })
            }
            empty={
              <EmptyState
                title={status ? 'No rollout is in this state' : 'No rollouts yet'}
                icon={<IconRocket size={22} />}
              >
                {status
                  ? 'Choose another state, or all states.'
                  : `A rollout applies one kind of change to many resources: simulation, canary, then in percentages, with a check after each stage. ${start ? 'Start one here, or from recommendations of one type.' : 'Operators and administrators can start one.'}`}
              </EmptyState>
            }
          />
        </>
      )}
      {starting && <RolloutForm onClose={() => setStarting(false)} />}
    </Stack>
  );
}
