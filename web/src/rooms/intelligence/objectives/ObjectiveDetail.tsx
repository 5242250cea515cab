import { Anchor, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { useMay } from '../../../api/session';
import { count, measured, percent } from '../../../display/amounts';
import { Awaited } from '../../../display/Awaited';
import { EmptyState } from '../../../display/EmptyState';
import { Facts } from '../../../display/Facts';
import { lazyComponent } from '../../../display/lazy';
import { metricLabel, unitOf } from '../../../display/metric-names';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Remove } from '../../../display/Remove';
import { Tile } from '../../../display/Tile';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { BudgetLeft } from './BudgetLeft';
import { ObjectiveChart } from './ObjectiveChart';
import { State } from './ObjectivesPage';
import { courseQuery, objectiveQuery, removeObjective, type Objective } from './queries';
import { burnWords, serviceWords, shareWords, targetWords } from './wording';

const ObjectiveForm = lazyComponent(() => import('./ObjectiveForm'), 'ObjectiveForm');

const route = getRouteApi('/app/intelligence/objectives/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Objectives', '/intelligence/objectives'],
    ]}
  />
);

/** One objective: its budget, the metric beside the target, and the use of the budget over time. */
export function ObjectiveDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(objectiveQuery(id));
  if (!data) return <Awaited title="Objective" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={data} />;
}

function Shown({ of: objective }: { of: Objective }) {
  const [editing, setEditing] = useState(false);
  const navigate = useNavigate();
  const configures = useMay()('intelligence.configure');
  const budget = objective.standing?.budget;
  return (
    <Page
      title={objective.name}
      above={TRAIL}
      description={`${targetWords(objective)}, ${shareWords(objective)}`}
      actions={
        configures && (
          <>
            <Button
              variant="default"
              leftSection={<IconEdit size={16} />}
              onClick={() => setEditing(true)}
            >
              Change
            </Button>
            <Remove
              room="intelligence"
              what={objective.name}
              explain="Recommendations about it end. Its history stays in the audit log."
              remove={() => removeObjective(objective.id)}
              onRemoved={() => void navigate({ to: '/intelligence/objectives' })}
            />
          </>
        )
      }
    >
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <Tile label="State" value={<State of={objective} />} note={<Since of={objective} />} />
        <Tile
          label="Error budget"
          value={<BudgetLeft of={objective} />}
          note={
            budget &&
            `${count(budget.bad_periods)} of ${count(budget.periods)} periods missed the target`
          }
        />
        <Tile
          label="Use"
          value={budget ? burnWords(budget.burn_hour) : 'Not measured'}
          note={
            budget &&
            `what the window allows, over the last hour; ${burnWords(budget.burn_six_hours)} over six hours`
          }
        />
      </SimpleGrid>
      <Course of={objective} />
      {editing && <ObjectiveForm objective={objective} onClose={() => setEditing(false)} />}
    </Page>
  );
}

function Since({ of: { standing } }: { of: Objective }) {
  if (standing?.burning_since)
    return (
      <>
        since <When at={standing.burning_since} />
      </>
    );
  return standing ? (
    <>
      measured <When at={standing.measured_at} />
    </>
  ) : null;
}

function Course({ of: objective }: { of: Objective }) {
  const { data, error, refetch } = useQuery(courseQuery(objective.id));
  const unit = unitOf(objective.metric);
  const inUnit = useCallback((value: number) => measured(value, unit), [unit]);
  const lines = useMemo(() => {
    const line = (name: string, key: 'mean' | 'worst' | 'left_percent' | 'burn') => ({
      name,
      data: (data?.points ?? []).map((point): [string, number] => [point.at, point[key]]),
    });
    return {
      metric: [line('Worst', 'worst'), line('Mean', 'mean')],
      left: [line('Error budget left', 'left_percent')],
      burn: [line('Use', 'burn')],
    };
  }, [data]);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return null;

  const label = metricLabel(objective.metric) ?? objective.metric;
  return (
    <Stack gap="lg">
      {data.points.length === 0 ? (
        <Panel title={label}>
          <EmptyState title="Not measured">
            {data.resources.length === 0
              ? 'No resource of the service has this metric. Check the resource or the tag.'
              : 'No sample arrived in the window. Connect a metric source, or check the permissions of the connection.'}
          </EmptyState>
        </Panel>
      ) : (
        <>
          <Panel title={label} note="Mean and worst value of each stretch of the window.">
            <ObjectiveChart
              label={`${label} of ${objective.name}`}
              lines={lines.metric}
              limit={{ at: objective.target, name: `Target ${inUnit(objective.target)}` }}
              format={inUnit}
            />
          </Panel>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <Panel title="Error budget left">
              <ObjectiveChart
                label={`Error budget left of ${objective.name}`}
                lines={lines.left}
                limit={{ at: 0, name: 'Used up' }}
                format={percent}
              />
            </Panel>
            <Panel title="Use of the budget">
              <ObjectiveChart
                label={`Use of the error budget of ${objective.name}`}
                lines={lines.burn}
                limit={{ at: 1, name: 'Allowed' }}
                format={burnWords}
              />
            </Panel>
          </SimpleGrid>
        </>
      )}
      <Panel title="Settings">
        <Facts
          of={[
            ['Service', serviceWords(objective)],
            ['Measured at', <MeasuredAt key="at" of={data.resources} />],
            ['Changed', <When key="changed" at={objective.updated_at} form="full" />],
          ]}
        />
      </Panel>
    </Stack>
  );
}

function MeasuredAt({ of: resources }: { of: { id: string; name: string }[] }) {
  const may = useMay();
  if (resources.length === 0) return <Text size="sm">No resource</Text>;
  return (
    <>
      {resources.map(({ id, name }) => (
        <Text key={id} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {may('estate.view') ? (
            <Anchor
              inherit
              renderRoot={(props) => <Link to="/estate/resources/$id" params={{ id }} {...props} />}
            >
              {name || id}
            </Anchor>
          ) : (
            name || id
          )}
        </Text>
      ))}
    </>
  );
}
