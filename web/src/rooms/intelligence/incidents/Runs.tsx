import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowBackUp, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { announce } from '../../../display/announce';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { Select } from '../../../display/Select';
import { Status } from '../../../display/Status';
import { When } from '../../../display/When';
import { useChange } from '../queries';
import { ACTIONS, STATES, STATE_COLOURS } from './labels';
import {
  playbooksQuery,
  rollBackRun,
  runPlaybook,
  runsQuery,
  type Incident,
  type Run,
  type RunStep,
} from './queries';

/** Playbooks that were run on an incident, and a choice of one to run. */
export function Runs({ of: one, may }: { of: Incident; may: boolean }) {
  const { data, error, refetch } = useQuery(runsQuery(one.id));
  return (
    <Panel
      title="Playbooks"
      note="Each change is a recommendation with its own approval, and can be rolled back."
    >
      <Stack gap="lg">
        <ProblemAlert error={error} onRetry={() => void refetch()} />
        {may && one.next_statuses.some((next) => next !== 'open') && <RunOne of={one} />}
        {data?.items.map((run) => (
          <RunShown key={run.id} of={run} may={may} />
        ))}
        {data?.items.length === 0 && (
          <Text size="sm" className="muted">
            No playbook was run.
          </Text>
        )}
      </Stack>
    </Panel>
  );
}

function RunOne({ of: one }: { of: Incident }) {
  const playbooks = useQuery(playbooksQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const run = useChange(runPlaybook);
  const all = playbooks.data?.items ?? [];
  const option = ({ name, title }: { name: string; title: string }) => ({
    value: name,
    label: title,
  });
  const fits = all.filter(({ name }) => one.playbooks.includes(name));
  const others = all.filter(({ name }) => !one.playbooks.includes(name));
  const name = chosen ?? fits[0]?.name ?? null;
  const described = all.find((playbook) => playbook.name === name);
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <div style={{ flex: 1, minWidth: 200 }}>
          <Select
            label="Playbook"
            data={[...fits, ...others].map(option)}
            value={name}
            onChange={setChosen}
          />
        </div>
        <Button
          leftSection={<IconPlayerPlay size={16} />}
          loading={run.isPending}
          disabled={!name}
          onClick={() =>
            name &&
            run.mutate(
              { id: one.id, playbook: name },
              { onSuccess: () => announce('Playbook started.') },
            )
          }
        >
          Run playbook
        </Button>
      </Group>
      {described && (
        <Text size="xs" className="muted">
          {described.description}
        </Text>
      )}
      <ProblemAlert error={run.error} />
    </Stack>
  );
}

function RunShown({ of: run, may }: { of: Run; may: boolean }) {
  const back = useChange(rollBackRun);
  const rolledBack = run.rollback?.ended_at;
  return (
    <section aria-label={`Run of ${run.title}`}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div style={{ minWidth: 0 }}>
          <Text size="sm" fw={550} style={{ overflowWrap: 'anywhere' }}>
            {run.title}
          </Text>
          <Text size="xs" className="muted">
            Started by {run.started_by === 'system' ? 'Reeve' : run.started_by},{' '}
            <When at={run.started_at} form="full" />
            {run.rollback && (
              <>
                {' '}
                · {rolledBack ? 'Rolled back' : 'Being rolled back'} for {run.rollback.by}
              </>
            )}
          </Text>
        </div>
        {may && run.can_roll_back && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={14} />}
            loading={back.isPending}
            onClick={() =>
              back.mutate(
                { id: run.incident_id, run: run.id },
                { onSuccess: () => announce('Rollback started.') },
              )
            }
          >
            Roll back
          </Button>
        )}
      </Group>
      <ProblemAlert error={back.error} />
      <Stack
        component="ol"
        gap={8}
        m={0}
        mt="sm"
        p={0}
        style={{ listStyle: 'none' }}
        aria-label={`Steps of ${run.title}`}
      >
        {run.steps.map((step, at) => (
          <StepShown key={at} of={step} />
        ))}
      </Stack>
    </section>
  );
}

function StepShown({ of: step }: { of: RunStep }) {
  return (
    <li>
      <Group gap="xs">
        <Status of={STATE_COLOURS[step.state]} label={STATES[step.state]} />
        <Text size="sm">{ACTIONS[step.action]}</Text>
      </Group>
      {(step.detail || step.message) && (
        <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
          {[step.message, step.detail].filter(Boolean).join(' · ')}
        </Text>
      )}
      {step.targets.map((target) => (
        <Text
          key={`${target.resource_id} ${target.recommendation_id ?? ''}`}
          size="xs"
          style={{ overflowWrap: 'anywhere' }}
        >
          {target.recommendation_id ? (
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link
                  to="/intelligence/recommendations/$id"
                  params={{ id: target.recommendation_id ?? '' }}
                  {...props}
                />
              )}
            >
              {target.name}
            </Anchor>
          ) : (
            target.name
          )}
          : {STATES[target.state]}
          {target.detail && `, ${target.detail}`}
        </Text>
      ))}
    </li>
  );
}
