import { Alert, Group, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Guardrails, GuardrailsStatus } from '../../../api/bodies';
import { useMay } from '../../../api/session';
import { count, plural } from '../../../display/amounts';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { BreakerReset } from '../BreakerReset';
import { lengthInWords } from '../change/calendar';
import { used } from '../change/policy';
import { actionsQuery, guardrailsStatusQuery } from '../queries';
import { ErrorBudgets } from './ErrorBudgets';

/** How far the guardrails are used up, by the figures they decide by. */
export function InUse({ of: guardrails }: { of: Guardrails }) {
  const { data, error, refetch } = useQuery(guardrailsStatusQuery);
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton h={160} radius="lg" />;
  return (
    <>
      <Counts of={data} guardrails={guardrails} />
      <ErrorBudgets of={data} />
    </>
  );
}

function Counts({ of: status, guardrails }: { of: GuardrailsStatus; guardrails: Guardrails }) {
  const may = useMay();
  const { circuit_breaker: breaker, actions_today: today, max_actions_per_day: most } = status;
  const open = breaker.state === 'open';
  const failures = `${count(breaker.failures)} of ${count(breaker.limit)}`;
  return (
    <Panel
      title="In use"
      note="Across all agents and people"
      actions={may('intelligence.configure') && <BreakerReset open={open} />}
    >
      <Stack gap="md">
        {open && (
          <Alert
            color="red"
            variant="light"
            icon={<IconBolt size={18} />}
            title="The circuit breaker is open: no change begins"
          >
            <Text size="sm">
              The last {plural(breaker.failures, 'change')} failed or had to be rolled back. Look at
              them under Actions; once the cause is known,{' '}
              {may('intelligence.configure')
                ? 'reset it'
                : 'an operator or administrator can reset it'}
              .
            </Text>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="lg">
          <Meter
            label="Circuit breaker"
            name="Failures in a row, share of the limit"
            value={`${failures} failures`}
            share={shareOf(breaker.failures, breaker.limit)}
          >
            {open ? 'Open' : 'Closed'};{' '}
            {breaker.reset_at ? (
              <>
                last reset <When at={breaker.reset_at} form="ago" />
              </>
            ) : (
              'it was never reset'
            )}
          </Meter>
          <Meter
            label="Changes in 24 hours"
            name="Changes in 24 hours, share of the limit"
            value={`${count(today)} of ${count(most)}`}
            share={shareOf(today, most)}
          >
            {today >= most
              ? 'Limit reached. The next change can start when the oldest is 24 hours old'
              : `${plural(most - today, 'more', 'more')} may begin`}
          </Meter>
          <Actions cool_down_s={guardrails.cool_down_s} />
        </SimpleGrid>
      </Stack>
    </Panel>
  );
}

function shareOf(used: number, most: number): number {
  return most > 0 ? Math.min(100, (used / most) * 100) : 100;
}

function Meter({
  label,
  name,
  value,
  share,
  children,
}: {
  label: string;
  name: string;
  value: string;
  share: number;
  children: ReactNode;
}) {
  return (
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" className="muted">
          {label}
        </Text>
        <Text size="sm" fw={600} className="numeral" style={{ whiteSpace: 'nowrap' }}>
          {value}
        </Text>
      </Group>
      <Progress
        value={share}
        size={6}
        my={8}
        color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : undefined}
        aria-label={name}
      />
      <Text size="xs" className="muted">
        {children}
      </Text>
    </div>
  );
}

/** What the list of actions tells: the status does not count these. */
function Actions({ cool_down_s }: { cool_down_s: number }) {
  const { data, dataUpdatedAt } = useQuery(actionsQuery);
  if (!data) return null;
  const { cooling, running } = used(data.items, cool_down_s, dataUpdatedAt);
  return (
    <>
      <div>
        <Text size="sm" className="muted">
          Cooling down
        </Text>
        <Text size="sm" fw={600}>
          {cooling === 0 ? 'No resource' : plural(cooling, 'resource')}
        </Text>
        <Text size="xs" className="muted">
          Not changed again for {lengthInWords(Math.round(cool_down_s / 60))}
        </Text>
      </div>
      <div>
        <Text size="sm" className="muted">
          In progress
        </Text>
        <Text size="sm" fw={600}>
          {running === 0 ? 'Nothing' : plural(running, 'change')}
        </Text>
      </div>
    </>
  );
}
