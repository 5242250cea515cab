// Factors of an explanation, in the order of the service: what was measured first, the confidence last.
import type { Recommendation } from '../../api/bodies';
import { sentence } from '../../display/wording';

/** The factors as sentences. A first word with a digit or a sign is a name or a unit, and stays as it is. */
export const factorsOf = (one: Pick<Recommendation, 'explanation'>): string[] =>
  one.explanation.explanation.factors.map((factor) =>
    /^[a-z]+[ ,:]/.test(factor) ? sentence(factor) : factor,
  );
