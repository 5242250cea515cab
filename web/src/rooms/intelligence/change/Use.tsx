import { Group, Progress, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Guardrails } from '../../../api/bodies';
import { count, plural } from '../../../display/amounts';
import { lengthInWords } from './calendar';
import { Panel } from '../../../display/Panel';
import { actionsQuery } from '../queries';
import { used } from './policy';

/** How much of the limits is used up. */
export function Use({ of: guardrails }: { of: Guardrails }) {
  const { data, dataUpdatedAt } = useQuery(actionsQuery);
  if (!data) return null;
  const limit = guardrails.blast_radius.max_actions_per_day;
  const { today, cooling, running } = used(data.items, guardrails.cool_down_s, dataUpdatedAt);
  const share = limit > 0 ? Math.min(100, (today / limit) * 100) : 100;
  return (
    <Panel title="In use" note="Of all agents and people together">
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        <div>
          <Group justify="space-between"><Text size="sm" className="muted">Changes in 24 hours</Text><Text size="sm" fw={600} className="numeral">{count(today)} of {count(limit)}</Text></Group>
          <Progress value={share} size={6} mt={8} color={share >= 100 ? 'red' : share >= 80 ? 'yellow' : undefined} aria-label="Changes in 24 hours, share of the limit" />
        </div>
        <div><Text size="sm" className="muted">Cooling down</Text><Text size="sm" fw={600}>{cooling === 0 ? 'No resource' : plural(cooling, 'resource')}</Text><Text size="xs" className="muted">Left alone for {lengthInWords(Math.round(guardrails.cool_down_s / 60))} after a change</Text></div>
        <div><Text size="sm" className="muted">Under way</Text><Text size="sm" fw={600}>{running === 0 ? 'Nothing' : plural(running, 'change')}</Text></div>
      </SimpleGrid>
    </Panel>
  );
}
