import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { IconFlask, IconPlayerPlay, IconSettings, IconStethoscope } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Agent } from '../../api/bodies';
import { percentOf } from '../../api/quantities';
import { useMay } from '../../api/session';
import { announce } from '../../display/announce';
import { count, percent, plural } from '../../display/amounts';
import { took } from '../../display/instants';
import { Facts } from '../../display/Facts';
import { lazyComponent } from '../../display/lazy';
import { usePhone } from '../../display/usePhone';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { cronInWords } from '../../display/schedules';
import { Status } from '../../display/Status';
import { When } from '../../display/When';
import { words } from '../../display/wording';
import { Autonomy } from './agents/Autonomy';
import { skippedInWords } from './agents/skipped';
import { FINDINGS } from './agents/type-words';
import { Commitments } from './agents/Commitments';
import { EmergencyActions } from './agents/EmergencyActions';
import { HeldChanges } from './change/HeldChanges';
import { agentTypesQuery, runAgent, useChange } from './queries';

const DryRun = lazyComponent(() => import('./agents/DryRun'), 'DryRun');
const AgentDiagnosis = lazyComponent(() => import('./change/AgentDiagnosis'), 'AgentDiagnosis');

/** An agent: what it covers, how far it has learned, what its last run saw and skipped. */
export function AgentCard({ agent, onConfigure }: { agent: Agent; onConfigure: () => void }) {
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const [trying, setTrying] = useState(false);
  const run = useChange(runAgent);
  const phone = usePhone();
  const running = agent.status.state === 'running' || run.isPending;
  const { status } = agent;
  const types = useQuery(agentTypesQuery).data;
  const findings = types?.items.find(({ name }) => name === agent.agent_type)?.findings;
  const judges = !findings || findings === 'runs';
  return (
    <Panel
      title={agent.name}
      note={words(agent.agent_type)}
      actions={
        <Group gap={6}>
          {running && <Status of="running" />}
          <Status of={agent.mode} size="lg" />
        </Group>
      }
    >
      <Stack gap="md">
        {!(phone && status.learning_percent >= 100) && <Learning agent={agent} />}
        {phone ? (
          <details>
            <summary className="fold">Scope and schedule</summary>
            <AgentFacts agent={agent} />
          </details>
        ) : (
          <AgentFacts agent={agent} />
        )}
        <Autonomy agent={agent} folded={phone} />
        {judges ? (
          <LastRun agent={agent} folded={phone} />
        ) : (
          <Text size="sm">{FINDINGS[findings]}</Text>
        )}
        <EmergencyActions agent={agent} folded={phone} />
        <Commitments portfolios={status.last_run?.portfolios ?? []} />
        <ProblemAlert error={run.error} />
        <Group gap="xs">
          {judges && may('intelligence.operate') && (
            <Button
              size="xs"
              leftSection={<IconPlayerPlay size={15} />}
              variant="light"
              loading={running}
              onClick={() =>
                run.mutate(agent.id, {
                  onSuccess: (done) =>
                    announce(
                      `Checked ${plural(done.resources_seen, 'resource')}, created or updated ${plural(done.recommendations, 'recommendation')}.`,
                    ),
                })
              }
            >
              Run now
            </Button>
          )}
          {judges && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconFlask size={15} />}
              onClick={() => setTrying(true)}
            >
              Dry run
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconStethoscope size={15} />}
            onClick={() => setAsking(true)}
          >
            Why it does not act
          </Button>
          {may('intelligence.configure') && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconSettings size={15} />}
              onClick={onConfigure}
            >
              Configure
            </Button>
          )}
        </Group>
        {trying && <DryRun agent={agent} onClose={() => setTrying(false)} />}
        {asking && <AgentDiagnosis agent={agent} onClose={() => setAsking(false)} />}
      </Stack>
    </Panel>
  );
}

function Learning({ agent }: { agent: Agent }) {
  const { learning_days, learning_percent } = agent.status;
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm" fw={500}>
          Learning
        </Text>
        <Text size="sm" className="muted numeral">
          {count(Math.floor(learning_days))} of {agent.learning_period.replace('d', '')} days
        </Text>
      </Group>
      <Progress
        value={learning_percent}
        size={6}
        mt={6}
        aria-label={`Learning progress of ${agent.name}`}
      />
    </div>
  );
}

function AgentFacts({ agent }: { agent: Agent }) {
  const { status } = agent;
  const everywhere = (names: string[], all: string) => (names.length ? names.join(', ') : all);
  return (
    <Facts
      of={[
        [
          'Covers',
          `${everywhere(agent.scope.accounts ?? [], 'All accounts')} · ${everywhere(agent.scope.services ?? [], 'all services')}`,
        ],
        ['Acts from', `${percent(percentOf(agent.confidence_threshold))} confidence`],
        ['Change control', <HeldChanges key="held" agent={agent} />],
        [
          'Schedule',
          agent.schedule
            ? `${cronInWords(agent.schedule) ?? agent.schedule} (${agent.schedule_time_zone ?? 'UTC'})`
            : undefined,
        ],
        ['Active early', agent.learning_waived],
        ['Open', plural(status.open_recommendations, 'recommendation')],
        ['Next run', status.next_run_at ? <When key="next" at={status.next_run_at} /> : undefined],
      ]}
    />
  );
}

/** The last run; `folded` leaves its reasons and the changes since then behind a line to open. */
function LastRun({ agent, folded }: { agent: Agent; folded: boolean }) {
  const last = agent.status.last_run;
  if (!last)
    return (
      <Text size="sm" className="muted">
        Not run yet.
      </Text>
    );
  const rest = (
    <>
      <ChangeRun run={agent.status.last_change_run} />
      <Skipped
        of={last.skipped.filter((one) => one.of === 'resources')}
        what="resource"
        rest="without a recommendation, and why"
      />
      <Skipped
        of={last.skipped.filter((one) => one.of === 'recommendations')}
        what="recommendation"
        rest="not applied by the agent, and why"
      />
    </>
  );
  return (
    <div>
      <Text size="sm">
        <b>Last run</b> <When at={last.started_at} form="ago" />, took{' '}
        {took(last.started_at, last.finished_at)}: {plural(last.resources_seen, 'resource')} looked
        at{typeof last.resources_judged === 'number' && `, ${count(last.resources_judged)} judged`},{' '}
        {plural(last.recommendations, 'recommendation')}, {count(last.applied)} applied.
      </Text>
      {last.error && (
        <Text size="sm" c="red" mt={4}>
          {last.error}
        </Text>
      )}
      {folded ? (
        <details style={{ marginTop: 6 }}>
          <summary className="fold">What it left out, and changes since then</summary>
          {rest}
        </details>
      ) : (
        rest
      )}
    </div>
  );
}

/** The last run over what changed since the full run, of an agent that runs after each sync. */
function ChangeRun({ run }: { run: Agent['status']['last_change_run'] }) {
  if (!run) return null;
  return (
    <>
      <Text size="sm" mt={4}>
        <b>Changes since then</b>, last judged <When at={run.started_at} form="ago" />:{' '}
        {plural(run.resources_judged ?? 0, 'resource')},{' '}
        {plural(run.recommendations, 'recommendation')}, {count(run.applied)} applied.
      </Text>
      {run.error && (
        <Text size="sm" c="red" mt={4}>
          {run.error}
        </Text>
      )}
    </>
  );
}

type Reasons = NonNullable<Agent['status']['last_run']>['skipped'];

/** Resources or recommendations that led to nothing, by reason; resources with links to the first of them. */
function Skipped({ of: reasons, what, rest }: { of: Reasons; what: string; rest: string }) {
  const may = useMay();
  if (reasons.length === 0) return null;
  return (
    <details style={{ marginTop: 6 }}>
      <summary className="fold">
        {plural(
          reasons.reduce((sum, one) => sum + one.count, 0),
          what,
        )}{' '}
        {rest}
      </summary>
      <Stack component="ul" gap={4} my={8} pl={18}>
        {reasons.map((one) => (
          <Text
            component="li"
            size="sm"
            className="muted"
            key={one.reason}
            style={{ overflowWrap: 'anywhere' }}
          >
            <span className="numeral">{count(one.count)}</span>: {skippedInWords(one)}.{' '}
            {(one.resources ?? []).map(({ id, name }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                {may('estate.view') ? (
                  <Anchor
                    size="sm"
                    renderRoot={(props) => (
                      <Link to="/estate/resources/$id" params={{ id }} {...props} />
                    )}
                  >
                    {name || id}
                  </Anchor>
                ) : (
                  name || id
                )}
              </span>
            ))}
            {one.resources &&
              one.count > one.resources.length &&
              ` and ${count(one.count - one.resources.length)} more`}
          </Text>
        ))}
      </Stack>
    </details>
  );
}
