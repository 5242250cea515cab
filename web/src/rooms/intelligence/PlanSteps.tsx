import { Badge, Flex, Group, Stack, Text } from '@mantine/core';
import type { Plan, Recommendation } from '../../api/bodies';
import { Copyable } from '../../display/Copyable';
import { Named } from '../../display/Named';
import { Panel } from '../../display/Panel';
import { words } from '../../display/wording';

/** The resource of a plan, by the name that steps tell it by. */
type Subject = Pick<Recommendation['resource'], 'id' | 'name'>;

/** The plan, exactly as it would run. */
export function PlanSteps({ plan, resource }: { plan: Plan; resource: Subject }) {
  return (
    <Panel
      title="Plan"
      note="An approval covers exactly these steps"
      actions={<PlanMarks plan={plan} />}
    >
      <Steps plan={plan} resource={resource} />
      <Losses plan={plan} />
      <PlanHash hash={plan.hash} />
    </Panel>
  );
}

/** The hash that an approval covers, folded away: it matters to those who compare it with the log. */
export function PlanHash({ hash }: { hash: string }) {
  return (
    <details>
      <Text component="summary" size="xs" className="muted" mt="sm" style={{ cursor: 'pointer' }}>
        Plan hash
      </Text>
      <Copyable value={hash} label="Plan hash" />
    </details>
  );
}

export function PlanMarks({ plan }: { plan: Plan }) {
  return (
    <Group gap={6}>
      <Badge color={plan.reversible ? 'green' : 'red'}>
        {plan.reversible ? 'Reversible' : 'Not reversible'}
      </Badge>
      <Badge color={plan.restart_needed ? 'yellow' : 'gray'}>
        {plan.restart_needed ? 'Restart needed' : 'No restart'}
      </Badge>
    </Group>
  );
}

/** Losses and interruptions beside the purpose of the change: an approval covers them. */
export function Losses({ plan }: { plan: Plan }) {
  if (plan.losses.length === 0) return null;
  return (
    <section aria-label="What is lost">
      <Text size="sm" fw={550} mt="md" mb={6}>
        What is lost
      </Text>
      <Stack component="ul" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
        {plan.losses.map((loss) => (
          <Group component="li" key={loss.kind} gap="sm" wrap="nowrap" align="flex-start">
            <Badge color={loss.lasting ? 'red' : 'gray'} style={{ flexShrink: 0 }}>
              {loss.lasting ? 'For good' : 'For a while'}
            </Badge>
            <Text size="sm">{loss.detail}</Text>
          </Group>
        ))}
      </Stack>
    </section>
  );
}

export function Steps({ plan, resource }: { plan: Plan; resource: Subject }) {
  return (
    <Stack component="ol" gap={10} m={0} p={0} style={{ listStyle: 'none' }}>
      {plan.steps.map((step, index) => (
        <Group
          component="li"
          key={`${index}-${step.kind}`}
          gap="sm"
          wrap="nowrap"
          align="flex-start"
        >
          <Text className="muted numeral" size="sm" w={18} ta="right" style={{ flexShrink: 0 }}>
            {index + 1}
          </Text>
          {/* On a phone the words go below their kind: paths of resources need the width. */}
          <Flex
            direction={{ base: 'column', xs: 'row' }}
            columnGap="sm"
            rowGap={4}
            style={{ minWidth: 0 }}
          >
            <Badge color="gray" w={104} style={{ flexShrink: 0 }}>
              {words(step.kind)}
            </Badge>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              <Named text={step.description} resource={resource} />
            </Text>
          </Flex>
        </Group>
      ))}
    </Stack>
  );
}
