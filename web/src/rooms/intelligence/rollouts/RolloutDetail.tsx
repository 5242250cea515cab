import { Alert, Anchor, Grid, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Rollout } from '../../../api/bodies';
import { percentOf } from '../../../api/quantities';
import { useMay } from '../../../api/session';
import { percent } from '../../../display/amounts';
import { Awaited } from '../../../display/Awaited';
import { Facts } from '../../../display/Facts';
import { Page } from '../../../display/Page';
import { Panel } from '../../../display/Panel';
import { Trail } from '../../../display/Trail';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import { agentsQuery } from '../queries';
import { EntryHistory } from '../EntryHistory';
import { Gates } from './Gates';
import { Members } from './Members';
import { RolloutStatus } from './RolloutStatus';
import { Stages } from './Stages';
import { Steering } from './Steering';
import { hours } from './course';
import { rolloutQuery } from './queries';

const route = getRouteApi('/app/intelligence/rollouts/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Rollouts', '/intelligence/rollouts'],
    ]}
  />
);

export function RolloutDetail() {
  const { id } = route.useParams();
  const { data, error, refetch } = useQuery(rolloutQuery(id));
  if (!data) return <Awaited title="Rollout" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={data} />;
}

function Shown({ of: rollout }: { of: Rollout }) {
  const may = useMay();
  return (
    <Page
      title={rollout.name}
      above={TRAIL}
      description={
        <Group component="span" gap={8} display="inline-flex">
          <RolloutStatus kind="rollout" of={rollout.status} />
          <Text span size="sm">
            {words(rollout.type)}
          </Text>
        </Group>
      }
      actions={may('intelligence.operate') ? <Steering of={rollout} /> : undefined}
    >
      {rollout.reason && <Why of={rollout} />}
      <Stages of={rollout} />
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            <Gates of={rollout} />
            <Members of={rollout} />
            {may('audit.search') && (
              <EntryHistory
                member="rollout_id"
                id={rollout.id}
                moves={`${rollout.status} ${rollout.stage} ${rollout.wave} ${rollout.gates.length}`}
              />
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <About of={rollout} />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

const TITLES: Record<string, [title: string, colour: string]> = {
  held: ['On hold at a gate. Continue or abort the rollout', 'red'],
  stopped: ['Stopped. Resume the rollout to continue', 'yellow'],
  aborted: ['Aborted', 'gray'],
};

function Why({ of: { status, reason } }: { of: Rollout }) {
  const [title, colour] = TITLES[status] ?? [words(status), 'gray'];
  return (
    <Alert color={colour} variant="light" title={title}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {sentence(reason ?? '')}
      </Text>
    </Alert>
  );
}

function About({ of: rollout }: { of: Rollout }) {
  const { data: agents } = useQuery(agentsQuery);
  const agent = agents?.items.find(({ id }) => id === rollout.agent_id);
  const { canary, validation_s, shares, max_failures, min_confidence } = rollout.settings;
  return (
    <Panel title="Settings">
      <Facts
        of={[
          [
            'Agent',
            agent ? (
              <Anchor
                key="agent"
                size="sm"
                renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}
              >
                {agent.name}
              </Anchor>
            ) : (
              agents && 'a removed agent'
            ),
          ],
          ['Canary', canary],
          ['Watched for', validation_s == null ? undefined : hours(validation_s)],
          [
            'Shares',
            shares?.length
              ? shares.map((share) => `${share} %`).join(', then ')
              : 'none: all at once after the canary',
          ],
          ['Failures allowed', max_failures],
          [
            'Minimum confidence',
            min_confidence == null
              ? `${agent ? percent(percentOf(agent.confidence_threshold)) : 'that'} of the agent`
              : percent(min_confidence),
          ],
          ['Started by', rollout.by_agent == null ? rollout.by : 'its agent'],
          ['Begun', <When key="begun" at={rollout.created_at} form="full" />],
          ['This stage since', <When key="since" at={rollout.stage_since} form="full" />],
          ['Last update', <When key="moved" at={rollout.updated_at} form="ago" />],
        ]}
      />
    </Panel>
  );
}
