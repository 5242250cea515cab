import { Anchor, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import {
  IconActivity,
  IconBulb,
  IconChecks,
  IconPigMoney,
  IconRobot,
  IconSchool,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Dashboard, Model } from '../../api/bodies';
import { useMay } from '../../api/session';
import { Shares } from '../../charts/Shares';
import { count, money, percent, plural } from '../../display/amounts';
import { DataTable } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Tile } from '../../display/Tile';
import { words } from '../../display/wording';
import { NeedsYou } from './attention/NeedsYou';
import { Running } from './attention/Running';
import { LATEST_COLUMNS } from './columns';
import classes from './DashboardPage.module.css';
import { PRIORITY_ORDER } from './priorities';
import { shareInWords } from './confidence';
import { costsQuery, dashboardQuery, waitingQuery } from './queries';
import { Savings } from './Savings';
import { addedInWords, byPurpose } from './savings-words';

/** Rows of the table of recommendations. */
const LATEST = 5;

export function DashboardPage() {
  const may = useMay();
  const { data, error, refetch } = useQuery(dashboardQuery);
  return (
    <Stack gap="lg">
      <div className={classes.now}>
        <NeedsYou />
        <Stack gap="lg">
          <Running />
          {may('estate.view') && <CostByProvider />}
        </Stack>
      </div>
      {error && !data ? (
        <ProblemAlert error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Savings of={data} />
          <Tiles of={data} />
        </>
      )}
      <Latest
        purpose="saving"
        title="Save money"
        label="Latest recommendations"
        empty="No open recommendation saves money"
      />
      <Latest
        purpose="other"
        title="At risk"
        label="Recommendations for performance and availability"
        empty="Nothing else is recommended"
      />
      {(data || !error) && <Learning of={data} />}
    </Stack>
  );
}

function listed(counts: Record<string, number> | undefined, order: string[]): string {
  const names = [
    ...order.filter((name) => counts?.[name]),
    ...Object.keys(counts ?? {}).filter((name) => !order.includes(name)),
  ];
  return names
    .filter((name) => counts?.[name])
    .map((name) => `${count(counts?.[name] ?? 0)} ${words(name).toLowerCase()}`)
    .join(' · ');
}

function Tiles({ of: data }: { of: Dashboard | undefined }) {
  const loading = !data;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="md">
      <Tile
        label="Active agents"
        to="/intelligence/agents"
        loading={loading}
        icon={<IconRobot size={18} />}
        value={count(data?.active_agents ?? 0)}
        note={agentsInWords(data)}
      />
      <Tile
        label="Recommendations"
        to="/intelligence/recommendations"
        loading={loading}
        icon={<IconBulb size={18} />}
        value={count(data?.recommendations_open ?? 0)}
        note={
          listed(data?.recommendations_by_priority, PRIORITY_ORDER) || 'No open recommendations'
        }
      />
      <Tile
        label="Cost savings"
        to="/intelligence/recommendations"
        loading={loading}
        icon={<IconPigMoney size={18} />}
        value={
          <>
            {money(data?.savings_realised_monthly ?? 0)}{' '}
            <Text span fz="sm" fw={500} className="muted">
              a month measured
            </Text>
          </>
        }
        note={saved(data)}
      />
      <Tile
        label="Actions taken"
        to="/intelligence/actions"
        loading={loading}
        icon={<IconChecks size={18} />}
        value={count(data?.actions_taken ?? 0)}
        note={
          listed(data?.actions_by_status, ['succeeded', 'rolled_back', 'failed']) ||
          'None in the last 30 days'
        }
      />
      <Tile
        label="Learning progress"
        to="/intelligence/models"
        loading={loading}
        icon={<IconSchool size={18} />}
        value={learned(data)}
        note={finished(data)}
      />
      <Tile
        label="Anomalies detected"
        to="/intelligence/anomalies"
        loading={loading}
        icon={<IconActivity size={18} />}
        value={count(data?.anomalies_detected ?? 0)}
        note={`In the last 30 days, over ${plural(data?.resources ?? 0, 'resource')}`}
      />
    </SimpleGrid>
  );
}

/** Agents that only learn are told apart from those that act. */
function agentsInWords(data: Dashboard | undefined): string {
  const learning = data?.agents_by_mode.learning ?? 0;
  const acting = listed(data && { ...data.agents_by_mode, learning: 0 }, ['active', 'safe_mode']);
  const learn = learning ? `${count(learning)} in learning mode` : '';
  return [acting, learn].filter(Boolean).join(' · ') || 'None configured yet';
}

/** What is predicted is told apart from what is measured. */
function saved(data: Dashboard | undefined): string {
  const waiting = data?.savings_unmeasured
    ? `${money(data.savings_unmeasured_monthly)} predicted for ${plural(data.savings_unmeasured, 'change')} not measured yet · `
    : '';
  return `${waiting}${money(data?.savings_open_monthly ?? 0)} a month more in open recommendations${addedInWords(data?.cost_added_open_monthly)}${data?.savings_open_unpriced ? `, ${count(data.savings_open_unpriced)} more without a known amount` : ''}`;
}

function finished(data: Dashboard | undefined): string {
  const agents = data?.learning ?? [];
  if (agents.length === 0) return 'No agents yet';
  const done = agents.filter(({ percent: share }) => share >= 100).length;
  const total = (of: 'held' | 'outcomes') => agents.reduce((sum, one) => sum + one[of], 0);
  return `${count(done)} of ${plural(agents.length, 'agent')} finished the learning period · ${heldInWords(total('held'), total('outcomes'))}`;
}

function heldInWords(held: number, outcomes: number): string {
  return outcomes === 0
    ? 'no outcomes yet'
    : shareInWords(held, outcomes, 'applied change', 'held');
}

function learned(data: Dashboard | undefined): string {
  if (!data || data.learning.length === 0) return '0 %';
  return percent(data.learning.reduce((sum, one) => sum + one.percent, 0) / data.learning.length);
}

function CostByProvider() {
  const { data, error } = useQuery(costsQuery);
  const shares =
    data &&
    Object.entries(data.by_provider)
      .sort((a, b) => b[1] - a[1])
      .map(([name, dollars]) => ({
        key: name,
        name: words(name),
        size: dollars,
        shown: `${money(dollars)} · ${percent(data.monthly ? (dollars / data.monthly) * 100 : 0)}`,
      }));
  return (
    <Panel
      title="Monthly cost by provider"
      note={
        data
          ? `${money(data.monthly)} in all${data.not_priced ? `, ${plural(data.not_priced, 'resource')} without a known price` : ''}`
          : undefined
      }
    >
      {error ? (
        <ProblemAlert error={error} />
      ) : (
        <Shares
          label="Monthly cost by provider"
          shares={shares}
          none="No resources yet. Add a connection and sync it."
        />
      )}
    </Panel>
  );
}

function Learning({ of: data }: { of: Dashboard | undefined }) {
  return (
    <Panel
      title="Learning progress by agent"
      note="Completed share of the learning period, and the applied changes that held"
    >
      {data?.learning.length === 0 && (
        <Text size="sm" className="muted">
          No agents yet. Create one under Agents.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg" verticalSpacing="md">
        {data?.learning.map((one) => (
          <div key={one.agent_id}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={500}>
                {one.name}
              </Text>
              <Text size="sm" className="muted numeral">
                {percent(one.percent)} · {heldInWords(one.held, one.outcomes)}
              </Text>
            </Group>
            <Text size="xs" className="muted">
              {trained(one.models)}
            </Text>
            <Progress
              value={one.percent}
              size={6}
              mt={6}
              aria-label={`Learning progress of ${one.name}`}
            />
          </div>
        ))}
      </SimpleGrid>
    </Panel>
  );
}

function trained(models: Model[]): string {
  if (models.length === 0) return 'No model trained yet';
  const each = models.map(
    ({ name, accuracy }) => `${words(name).toLowerCase()} ${percent(accuracy)}`,
  );
  return `${plural(models.length, 'model')} trained, accuracy on days not used for training: ${each.join(', ')}`;
}

/** One of two lists: what saves money, by amount, and what protects a resource and mostly costs something, by urgency. */
function Latest({
  purpose,
  title,
  label,
  empty,
}: {
  purpose: 'saving' | 'other';
  title: string;
  label: string;
  empty: string;
}) {
  const navigate = useNavigate();
  const { data, error } = useQuery(waitingQuery);
  return (
    <Panel
      title={title}
      flush
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link to="/intelligence/recommendations" {...props} />}
        >
          All recommendations
        </Anchor>
      }
    >
      {error ? (
        <ProblemAlert error={error} />
      ) : (
        <DataTable
          bare
          label={label}
          columns={LATEST_COLUMNS}
          rows={data && byPurpose(data.items)[purpose].slice(0, LATEST)}
          rowId={(row) => row.id}
          onOpen={(row) =>
            void navigate({ to: '/intelligence/recommendations/$id', params: { id: row.id } })
          }
          empty={
            <EmptyState title={empty}>
              Run an agent under Agents, or wait for its next run.
            </EmptyState>
          }
        />
      )}
    </Panel>
  );
}
