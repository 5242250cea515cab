import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconUrgent } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Agent, EmergencyKind, EmergencyLane, StandingApproval } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count, percent, plural } from '../../../display/amounts';
import { lazyComponent } from '../../../display/lazy';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { emergenciesQuery, signStandingApproval } from './emergency-queries';
import { approvalState, preapprovalInWords } from './emergency-words';
import { useChange } from '../queries';

const StandingApprovalForm = lazyComponent(
  () => import('./StandingApprovalForm'),
  'StandingApprovalForm',
);
const EndApproval = lazyComponent(() => import('./StandingApprovalForm'), 'EndApproval');

/** What an agent does about events that cannot wait, and what people approved beforehand; `folded` behind its title. */
export function EmergencyActions({ agent, folded }: { agent: Agent; folded?: boolean }) {
  const { data: lane, error, refetch } = useQuery(emergenciesQuery(agent.id));
  if (error && !lane) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!lane?.kinds.length) return null;
  if (folded)
    return (
      <details>
        <summary className="fold">Emergency actions</summary>
        <Lane agent={agent} lane={lane} />
      </details>
    );
  return (
    <Stack gap="xs">
      <Group gap={6}>
        <IconUrgent size={18} aria-hidden />
        <Title order={3} size="h4">
          Emergency actions
        </Title>
      </Group>
      <Lane agent={agent} lane={lane} />
    </Stack>
  );
}

/** Limits, kinds and what was done lately. */
function Lane({ agent, lane }: { agent: Agent; lane: EmergencyLane }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Limits: {count(lane.acts_in_hour)} of {plural(lane.acts_per_hour, 'change')} an hour,{' '}
        {percent(lane.share_of_group_percent)} of a group in 24 hours.
      </Text>
      <details>
        <Text component="summary" size="sm" className="muted">
          What a standing approval permits
        </Text>
        <Text size="sm" className="muted">
          With it, a finding of these kinds is applied at once: cool-down, maintenance windows and
          the limits per run and per day do not apply. The kill switch, all other guardrails and
          exclusions do. Without one it waits for people.
        </Text>
      </details>
      {lane.kinds.map((kind) => (
        <Kind key={kind.rule} agent={agent} kind={kind} lane={lane} />
      ))}
      <Lately lane={lane} />
    </Stack>
  );
}

function Kind({ agent, kind, lane }: { agent: Agent; kind: EmergencyKind; lane: EmergencyLane }) {
  const [giving, setGiving] = useState(false);
  const own = lane.approvals.filter(({ rule }) => rule === kind.rule);
  const lasting = own.find(({ state }) => state !== 'ended');
  const earlier = own.length - (lasting ? 1 : 0);
  return (
    <div>
      <Group justify="space-between" align="flex-start">
        <div style={{ flex: '1 1 240px' }}>
          <Text size="sm" fw={550}>
            {words(kind.rule)}
          </Text>
          <Text size="sm" className="muted">
            {kind.description}
          </Text>
          <details>
            <Text component="summary" size="sm" className="muted">
              What wakes it
            </Text>
            <Text size="sm" className="muted">
              {kind.events.join('; ')}. {preapprovalInWords(kind)}
            </Text>
          </details>
        </div>
        {!lasting && kind.can_approve && (
          <Button size="xs" variant="default" onClick={() => setGiving(true)}>
            Approve beforehand
          </Button>
        )}
      </Group>
      {lasting ? (
        <Approval agent={agent} approval={lasting} />
      ) : (
        <Text size="sm" mt={4}>
          No standing approval
          {earlier > 0 && ` (${plural(earlier, 'earlier one', 'earlier ones')})`}.
        </Text>
      )}
      {giving && (
        <StandingApprovalForm agent={agent} kind={kind} onClose={() => setGiving(false)} />
      )}
    </div>
  );
}

function Approval({ agent, approval }: { agent: Agent; approval: StandingApproval }) {
  const may = useMay();
  const [ending, setEnding] = useState(false);
  const sign = useChange(signStandingApproval);
  const { label, status, explain } = approvalState(approval);
  const signers = approval.signed.map(({ signature, by }) => `${words(signature)}: ${by}`);
  const ends =
    may('intelligence.operate') ||
    may('approve.manager') ||
    may('approve.director') ||
    may('approve.security');
  return (
    <Stack gap={4} mt={6}>
      <Group gap="xs">
        <Status of={status} label={label} />
        <Text size="sm">
          until <When at={approval.until} form="full" />, signed by {signers.join(', ')}
        </Text>
      </Group>
      <Text size="sm" className="muted" style={{ overflowWrap: 'anywhere' }}>
        {explain} Reason: {approval.reason}
      </Text>
      <ProblemAlert error={sign.error} />
      <Group gap="xs">
        {approval.can_sign && (
          <Button
            size="xs"
            loading={sign.isPending}
            onClick={() => sign.mutate({ agent_id: agent.id, id: approval.id })}
          >
            Sign
          </Button>
        )}
        {ends && (
          <Button size="xs" variant="default" onClick={() => setEnding(true)}>
            End
          </Button>
        )}
      </Group>
      {ending && <EndApproval agent={agent} approval={approval} onClose={() => setEnding(false)} />}
    </Stack>
  );
}

function Lately({ lane }: { lane: EmergencyLane }) {
  if (!lane.actions.length)
    return (
      <Text size="sm" className="muted">
        No emergency action in the last 30 days.
      </Text>
    );
  return (
    <details>
      <summary className="fold">
        {plural(lane.actions.length, 'emergency action')} in the last 30 days
      </summary>
      <Stack gap={4} mt={6}>
        {lane.actions.map((action) => (
          <Group gap="xs" key={action.id}>
            <Status of={action.status} />
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <Link
                to="/intelligence/recommendations/$id"
                params={{ id: action.recommendation_id }}
              >
                {words(action.rule)}
              </Link>{' '}
              on {action.resource_id}, <When at={action.started_at} form="ago" />
            </Text>
          </Group>
        ))}
      </Stack>
    </details>
  );
}
