import { Badge, type BadgeProps } from '@mantine/core';
import { words } from '../../../display/wording';
import { MEMBER_STATES, ROLLOUT_STATES, VERDICTS } from './states';

const KINDS = { rollout: ROLLOUT_STATES, member: MEMBER_STATES, verdict: VERDICTS };

/** A state of a rollout, of a resource in it or of a gate; `held` means another thing for each. */
export function RolloutStatus({
  of,
  kind,
  ...badge
}: BadgeProps & { of: string; kind: keyof typeof KINDS }) {
  const states: Record<string, { label: string; colour: string }> = KINDS[kind];
  const state = states[of];
  return (
    <Badge color={state?.colour ?? 'gray'} {...badge}>
      {state?.label ?? words(of)}
    </Badge>
  );
}
