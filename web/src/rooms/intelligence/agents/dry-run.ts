// The decisions of a dry run, grouped and in words.
import { words } from '../../../display/wording';

export interface Decision {
  recommendation_id: string;
  title: string;
  impact_level: string;
  outcome: string;
  reason?: string | null;
  detail?: string | null;
  signatures: string[];
}

const OUTCOMES: [outcome: string, title: string, colour: string][] = [
  ['applies', 'Would be applied at once', 'green'],
  ['requests_approval', 'Approval would be requested', 'yellow'],
  ['rollout', 'Would be carried by a rollout', 'indigo'],
  ['blocked', 'Blocked by a guardrail', 'orange'],
  ['left_to_people', 'Would wait for a person', 'gray'],
];

/** Reasons why an agent does not apply a recommendation. */
export const REASONS: Record<string, string> = {
  mode_learning: 'the agent is in learning mode',
  auto_apply_disabled: 'automatic changes are off',
  learning_period: 'the learning period has not ended',
  low_confidence: 'confidence below the threshold',
  above_max_impact: 'impact above the maximum for automatic changes',
  cost_not_known: 'cost unknown',
  performance_not_measured: 'effect on performance not measured',
  iac_managed: 'owned by infrastructure as code',
  needs_approval: 'needs approval, which safe mode does not request',
  advice_only: 'advice without a plan',
  not_its_own: 'found by an agent of another type',
  not_open: 'not open any more',
  begins_rollout: 'a staged rollout begins, because there are many of its kind',
  needs_person: 'in use until a day that the finding names: people decide',
  not_reversible: 'it cannot be undone, and no signature is required for it',
  in_rollout: 'a rollout of its kind is running',
  rollout_aborted: 'the last rollout of its kind was aborted',
};

export function reasonInWords({ outcome, reason, signatures }: Decision): string {
  if (outcome === 'requests_approval')
    return `signed by ${signatures.map((name) => words(name).toLowerCase()).join(' and ')}`;
  return reason ? (REASONS[reason] ?? words(reason).toLowerCase()) : '';
}

/** The decisions by outcome, what changes something first; outcomes without any are left out. */
export function grouped<One extends Decision>(decisions: One[]) {
  return OUTCOMES.map(([outcome, title, colour]) => ({
    outcome,
    title,
    colour,
    items: decisions.filter((one) => one.outcome === outcome),
  })).filter(({ items }) => items.length > 0);
}
