import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Action, Rollout } from '../../../api/bodies';
import { count, plural } from '../../../display/amounts';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { ActionStatus } from '../ActionStatus';
import { actionsQuery, agentsQuery, recommendationsQuery } from '../queries';
import { rolloutsQuery } from '../rollouts/queries';
import { RolloutStatus } from '../rollouts/RolloutStatus';

const MOVING = ['running', 'rolling_back'];

/** Current activity: changes, rollouts, agents at work, and the next scheduled runs. */
export function Running() {
  const actions = useQuery(actionsQuery);
  const rollouts = useQuery(rolloutsQuery({}));
  const agents = useQuery(agentsQuery);
  const scheduled = useQuery(recommendationsQuery({ status: 'scheduled', limit: 1 }));
  const moving = actions.data?.items.filter(({ status }) => MOVING.includes(status)) ?? [];
  const rolling = rollouts.data?.items.filter(({ status }) => status === 'running') ?? [];
  const read = actions.data && rollouts.data;
  const learning = agents.data?.items.filter(({ mode }) => mode === 'learning').length ?? 0;
  const active = (agents.data?.items.length ?? 0) - learning;
  const waiting = scheduled.data?.total ?? 0;
  return (
    <Panel
      title="Running now"
      actions={
        <Anchor size="sm" renderRoot={(props) => <Link to="/intelligence/actions" {...props} />}>
          All actions
        </Anchor>
      }
    >
      <Stack gap="md">
        <ProblemAlert
          error={actions.data ? undefined : actions.error}
          onRetry={() => void actions.refetch()}
        />
        <ProblemAlert
          error={rollouts.data ? undefined : rollouts.error}
          onRetry={() => void rollouts.refetch()}
        />
        {moving.map((action) => (
          <Moving key={action.id} of={action} />
        ))}
        {rolling.map((rollout) => (
          <Rolling key={rollout.id} of={rollout} />
        ))}
        {read && moving.length + rolling.length === 0 && (
          <Text size="sm">No change is running.</Text>
        )}
        {agents.data && (
          <Text size="sm" className="muted">
            <Anchor size="sm" renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}>
              {plural(active, 'agent')}
            </Anchor>{' '}
            active{learning > 0 && `, ${count(learning)} in learning mode`}.{' '}
            {waiting > 0 && (
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    to="/intelligence/recommendations"
                    search={{ status: 'scheduled' }}
                    {...props}
                  />
                )}
              >
                {plural(waiting, 'change is', 'changes are')} scheduled.
              </Anchor>
            )}
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

function Moving({ of: action }: { of: Action }) {
  const done = action.steps.filter(({ rollback, ok }) => !rollback && ok != null).length;
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          style={{ overflowWrap: 'anywhere' }}
          renderRoot={(props) => (
            <Link
              to="/intelligence/recommendations/$id"
              params={{ id: action.recommendation_id }}
              {...props}
            />
          )}
        >
          {action.title}
        </Anchor>
        <ActionStatus of={action} />
      </Group>
      <Progress
        value={action.steps_total ? (done / action.steps_total) * 100 : 0}
        size={6}
        my={6}
        aria-label={`Progress of ${action.title}`}
      />
      <Text size="xs" className="muted">
        Step {Math.min(done + 1, action.steps_total)} of {action.steps_total}, started{' '}
        <When at={action.started_at} form="ago" />
      </Text>
    </div>
  );
}

function Rolling({ of: rollout }: { of: Rollout }) {
  return (
    <div>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Anchor
          size="sm"
          fw={550}
          c="inherit"
          renderRoot={(props) => (
            <Link to="/intelligence/rollouts/$id" params={{ id: rollout.id }} {...props} />
          )}
        >
          {rollout.name}
        </Anchor>
        <RolloutStatus of={rollout.status} kind="rollout" />
      </Group>
      <Text size="xs" className="muted">
        Stage {words(rollout.stage).toLowerCase()}, since{' '}
        <When at={rollout.stage_since} form="ago" />
      </Text>
    </div>
  );
}
