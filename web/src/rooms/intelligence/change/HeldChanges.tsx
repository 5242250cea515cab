import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Agent } from '../../../api/bodies';
import { fullTime, shortTime } from '../../../display/instants';
import { useNow } from '../../../display/useNow';
import { guardrailsQuery } from '../queries';
import { concerns, freezeState, opening } from './calendar';
import { policyOf } from './policy';

/** Which windows, freezes and direction concern an agent's scope at this moment. */
export function HeldChanges({ agent }: { agent: Agent }) {
  const { data } = useQuery(guardrailsQuery);
  const now = useNow();
  if (!data) return null;
  const { maintenance_windows, freezes, direction } = policyOf(data);
  const frozen = freezes.filter(
    (freeze) => freezeState(freeze, now) === 'holds' && concerns(freeze, agent),
  );
  const said = frozen.map(({ name, until }) => `Frozen by “${name}” until ${fullTime(until)}`);
  for (const window of maintenance_windows.filter((one) => concerns(one, agent))) {
    const next = opening(window, now);
    if (!next) said.push(`Window “${window.name}”`);
    else
      said.push(
        next.from.getTime() <= now
          ? `Window “${window.name}” is open until ${shortTime(next.until.toISOString())}`
          : `Window “${window.name}” opens ${shortTime(next.from.toISOString())}`,
      );
  }
  if (direction !== 'both')
    said.push(direction === 'up_only' ? 'Capacity only goes up' : 'Capacity only goes down');
  if (said.length === 0)
    return (
      <Text span inherit>
        Changes at any time
      </Text>
    );
  return (
    <Anchor
      size="sm"
      c="inherit"
      renderRoot={(props) => <Link to="/intelligence/change-control" {...props} />}
    >
      {said.join('. ')}
    </Anchor>
  );
}
