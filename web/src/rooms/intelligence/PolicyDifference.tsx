import type { Plan } from '../../api/bodies';
import { Difference } from '../audit/Difference';
import { policiesOf } from './policy-difference';

/** The policy before and after a plan that narrows, removes or adds one. */
export function PolicyDifference({ plan }: { plan: Plan | null | undefined }) {
  const policies = policiesOf(plan);
  if (!policies) return null;
  return (
    <Difference
      title={`Policy ${policies.name}`}
      before={policies.before}
      after={policies.after}
      sides={['Policy now', 'Policy afterwards']}
    />
  );
}
