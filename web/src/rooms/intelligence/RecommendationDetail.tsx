import { Alert, Anchor, Box, Grid, Group, Stack, Text } from '@mantine/core';
import { IconShieldX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Recommendation } from '../../api/bodies';
import { useMay } from '../../api/session';
import { Awaited } from '../../display/Awaited';
import { fullTime } from '../../display/instants';
import { lazyComponent } from '../../display/lazy';
import { Page } from '../../display/Page';
import { Panel } from '../../display/Panel';
import { Status } from '../../display/Status';
import { Trail } from '../../display/Trail';
import { words } from '../../display/wording';
import { guardrailPlace } from './change/policy';
import { WhyNot } from './change/WhyNot';
import { Answers } from './Answers';
import { useDismissals } from './dismissals';
import { DecidingModels } from './DecidingModels';
import { DecisionPath } from './DecisionPath';
import { factorsOf } from './factors';
import { PlanSteps } from './PlanSteps';
import { policiesOf } from './policy-difference';
import { PartOf } from './rollouts/PartOf';
import { About, Figures } from './Summary';
import { Usage } from './Usage';
import { actionsQuery, recommendationQuery } from './queries';

const ActionProgress = lazyComponent(() => import('./ActionProgress'), 'ActionProgress');
const EntryHistory = lazyComponent(() => import('./EntryHistory'), 'EntryHistory');
const LeastRules = lazyComponent(() => import('./GroupRules'), 'LeastRules');
const PolicyDifference = lazyComponent(() => import('./PolicyDifference'), 'PolicyDifference');
const route = getRouteApi('/app/intelligence/recommendations/$id');
const TRAIL = (
  <Trail
    of={[
      ['Intelligence Automation', '/intelligence'],
      ['Recommendations', '/intelligence/recommendations'],
    ]}
  />
);
const MOVING = ['executing', 'verifying', 'testing', 'approved'];

export function RecommendationDetail() {
  const { id } = route.useParams();
  const { asDismissed } = useDismissals();
  const { data, error, refetch } = useQuery({
    ...recommendationQuery(id),
    refetchInterval: ({ state }) => (MOVING.includes(state.data?.status ?? '') ? 1000 : 15_000),
  });
  if (!data)
    return <Awaited title="Recommendation" above={TRAIL} error={error} onRetry={refetch} />;
  return <Shown of={asDismissed(data)} />;
}

function Shown({ of: one }: { of: Recommendation }) {
  const may = useMay();
  const moving = MOVING.includes(one.status);
  const actions = useQuery({ ...actionsQuery, refetchInterval: moving ? 1000 : 10_000 });
  const own =
    actions.data?.items.filter(({ recommendation_id }) => recommendation_id === one.id) ?? [];
  const latest = own[0];
  return (
    <Page
      title={one.title}
      above={TRAIL}
      description={
        <Group component="span" gap={8} display="inline-flex">
          <Status of={latest?.status === 'rolling_back' ? latest.status : one.status} />
          <Status of={one.priority} label={`${words(one.priority)} priority`} />
          <Text span size="sm">
            {words(one.kind)}
          </Text>
        </Group>
      }
      actions={may('intelligence.operate') ? <Answers of={one} /> : undefined}
    >
      <ApplicabilityNote of={one} />
      <PartOf id={one.id} />
      <StatusNote of={one} />
      {latest && <ActionProgress action={latest} />}
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 4 }} order={{ base: 2, lg: 2 }}>
          <Stack gap="lg">
            <Box visibleFrom="lg">
              <Figures of={one} />
            </Box>
            <About of={one} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }} order={{ base: 1, lg: 1 }}>
          <Stack gap="lg">
            <Box hiddenFrom="lg">
              <Figures of={one} />
            </Box>
            <Panel title="Why" note={one.explanation.action}>
              <Stack component="ul" gap={8} m={0} pl={18}>
                {factorsOf(one).map((factor) => (
                  <Text component="li" size="sm" key={factor}>
                    {factor}
                  </Text>
                ))}
              </Stack>
              {one.not_measured.length > 0 && (
                <Alert color="yellow" variant="light" mt="md" title="No data for">
                  {one.not_measured.map(words).join(', ')}
                </Alert>
              )}
            </Panel>
            {one.reason_codes.includes('wider_than_used') && (
              <LeastRules resource={one.resource.id} />
            )}
            <WhyNot of={one} />
            {may('estate.view') && !UNMEASURED.includes(one.resource.type) && <Usage of={one} />}
            <DecidingModels models={one.explanation.models} />
            <DecisionPath checks={one.explanation.decision_path} />
            {policiesOf(one.plan) && <PolicyDifference plan={one.plan} />}
            {one.plan ? (
              <PlanSteps plan={one.plan} resource={one.resource} />
            ) : (
              <Panel title="Plan">
                <Text size="sm" className="muted">
                  This is advice only. Apply it yourself; Reeve cannot make this change.
                </Text>
              </Panel>
            )}
            {may('audit.search') && (
              <EntryHistory
                id={one.id}
                moves={`${one.status} ${own.map((action) => `${action.status}${action.steps.length}`).join()}`}
              />
            )}
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

/** Kinds of resources without metrics of their own. */
const UNMEASURED = ['account', 'bucket', 'security_group', 'snapshot'];

/** What the Apply button would say: blocked and by what, or advice; with the exception that was granted. */
function ApplicabilityNote({ of: one }: { of: Recommendation }) {
  const { applicability: now, exception } = one;
  if (exception) {
    return (
      <Alert
        color="petrol"
        title={`Exception granted: ${guardrailPlace(exception.guardrail).name}`}
      >
        Up to {exception.value} % for this plan, once, until {fullTime(exception.expires_at)}.
        Granted by {exception.granted_by.join(' and ')}: “{exception.reason}”
      </Alert>
    );
  }
  if (now?.state === 'blocked') {
    const { name, to } = guardrailPlace(now.blocked_by ?? '');
    return (
      <Alert color="orange" icon={<IconShieldX size={18} />} title="Can't be applied now">
        <Text size="sm">
          <Anchor inherit fw={600} renderRoot={(props) => <Link to={to} {...props} />}>
            {name}
          </Anchor>
          : {now.reason}
          {now.can_be_excepted && '. Raise the limit, or request an exception for this plan.'}
        </Text>
      </Alert>
    );
  }
  if (now?.state === 'advice_only')
    return (
      <Alert color="gray" title="Advice only">
        Reeve cannot apply it automatically. Apply it manually; dismiss it or give feedback when it
        is done.
      </Alert>
    );
  return null;
}

function StatusNote({ of: one }: { of: Recommendation }) {
  if (one.status === 'pending_approval') {
    return (
      <Alert color="yellow" title="Waiting for approval">
        {one.scheduled_for
          ? `Runs at ${fullTime(one.scheduled_for)}, after the last approval.`
          : 'Starts automatically after the last approval.'}{' '}
        See{' '}
        <Anchor size="sm" renderRoot={(props) => <Link to="/intelligence/approvals" {...props} />}>
          Approvals
        </Anchor>
        .
      </Alert>
    );
  }
  if (one.status === 'scheduled' && one.scheduled_for)
    return <Alert color="indigo" title={`Scheduled for ${fullTime(one.scheduled_for)}`} />;
  if (one.status === 'snoozed' && one.snoozed_until)
    return (
      <Alert color="gray" title={`Snoozed until ${fullTime(one.snoozed_until)}`}>
        {one.status_reason}
      </Alert>
    );
  if (
    one.status_reason &&
    ['dismissed', 'failed', 'rolled_back', 'superseded', 'expired'].includes(one.status)
  ) {
    return (
      <Alert color={one.status === 'failed' ? 'red' : 'gray'} title={words(one.status)}>
        {one.status_reason}
      </Alert>
    );
  }
  return null;
}
