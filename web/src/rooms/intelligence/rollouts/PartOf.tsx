import { Alert, Anchor, Text } from '@mantine/core';
import { IconRocket } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MEMBER_STATES, ROLLOUT_STATES } from './states';
import { waveName } from './course';
import { rolloutsQuery } from './queries';

/** The rollout, not ended, that carries a recommendation. */
export function PartOf({ id }: { id: string }) {
  const { data } = useQuery(rolloutsQuery({ status: 'running,held,stopped' }));
  const rollout = data?.items.find(({ members }) =>
    members.some((member) => member.recommendation_id === id && member.state !== 'left_out'),
  );
  const member = rollout?.members.find(({ recommendation_id }) => recommendation_id === id);
  if (!rollout || !member) return null;
  const to = { to: '/intelligence/rollouts/$id', params: { id: rollout.id } } as const;
  return (
    <Alert color="indigo" variant="light" icon={<IconRocket size={18} />} title="Part of a rollout">
      <Text size="sm">
        <Anchor inherit fw={600} renderRoot={(props) => <Link {...to} {...props} />}>
          {rollout.name}
        </Anchor>
        , {(ROLLOUT_STATES[rollout.status]?.label ?? rollout.status).toLowerCase()}. Stage:{' '}
        {waveName(member.wave, rollout).toLowerCase()}. Here:{' '}
        {(MEMBER_STATES[member.state]?.label ?? member.state).toLowerCase()}.
      </Text>
    </Alert>
  );
}
