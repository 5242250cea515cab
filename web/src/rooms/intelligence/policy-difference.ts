// The policy that a plan changes, before and after it.
import type { Plan } from '../../api/bodies';

interface Policies {
  name: string;
  before: unknown;
  after: unknown;
}

/** The two versions of the policy; undefined for a plan that changes no policy of a principal. */
export function policiesOf(plan: Plan | null | undefined): Policies | undefined {
  const given = (plan?.change?.parameters as { with?: Record<string, unknown> } | undefined)?.with;
  if (!given) return undefined;
  if (typeof given.policy === 'string' && given.former)
    return { name: given.policy, before: given.former, after: given.tight ?? {} };
  if (given.denial) return { name: 'reeve-suspended', before: {}, after: given.denial };
  return undefined;
}
