// Attack chains in words.
import { percent } from '../../../display/amounts';
import { words } from '../../../display/wording';
import type { AttackChain } from './queries';

/** A probability from 0 to 1 as a percentage. */
export const likelihood = (probability: number): string => percent(100 * probability);

/** The stages that a chain reached, in the order in which it did. */
export function stages(chain: Pick<AttackChain, 'steps'>): string {
  return [...new Set(chain.steps.map((step) => words(step.stage)))].join(', ');
}

/** The likeliest next step with its probability. */
export function nextStep(chain: Pick<AttackChain, 'next'>): string {
  const [first] = chain.next;
  return first ? `${words(first.stage)}, ${likelihood(first.probability)}` : 'None';
}

/** The colour of a chain: the probability that it goes on. */
export function gravity(chain: Pick<AttackChain, 'probability' | 'predicted_at'>): string {
  if (chain.predicted_at) return chain.probability >= 0.8 ? 'critical' : 'high';
  return chain.probability >= 0.2 ? 'medium' : 'low';
}
