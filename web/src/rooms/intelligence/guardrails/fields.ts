// The guardrails' form: numbers under the names of the wire's fields, so that a refused field finds its input.
import type { Guardrails } from '../../../api/bodies';
import { asPercent, asSeconds, percentOf } from '../../../api/quantities';
import type { components } from '../../../api/schema';

type Amount = number | string;

interface Signers {
  signatures: components['schemas']['Signature'][];
}

export interface GuardrailFields {
  cost_impact: { max_increase: Amount; max_decrease: Amount };
  performance_impact: { max_degradation: Amount };
  availability: { min_uptime: Amount };
  rollback: { automatic: boolean; timeout: Amount };
  verification: { window: Amount };
  blast_radius: {
    max_actions_per_run: Amount;
    max_actions_per_day: Amount;
    max_share_per_day: Amount;
  };
  cool_down: Amount;
  breaker_failures: Amount;
  approval_matrix: {
    medium_from: Amount;
    high_above: Amount;
    low_impact: Signers;
    medium_impact: Signers;
    high_impact: Signers;
  };
}

export function initial(guardrails: Guardrails): GuardrailFields {
  const { cost_impact: cost, blast_radius: radius, approval_matrix: matrix } = guardrails;
  return {
    cost_impact: {
      max_increase: percentOf(cost.max_increase),
      max_decrease: percentOf(cost.max_decrease),
    },
    performance_impact: {
      max_degradation: percentOf(guardrails.performance_impact.max_degradation),
    },
    availability: { min_uptime: percentOf(guardrails.availability.min_uptime) },
    rollback: { automatic: guardrails.rollback.automatic, timeout: guardrails.rollback.timeout_s },
    verification: { window: guardrails.verification.window_s },
    blast_radius: {
      max_actions_per_run: radius.max_actions_per_run,
      max_actions_per_day: radius.max_actions_per_day,
      max_share_per_day: percentOf(radius.max_share_per_day),
    },
    cool_down: guardrails.cool_down_s,
    breaker_failures: guardrails.breaker_failures,
    approval_matrix: {
      medium_from: matrix.medium_from,
      high_above: matrix.high_above,
      low_impact: {
        signatures: matrix.low_impact.signatures as components['schemas']['Signature'][],
      },
      medium_impact: {
        signatures: matrix.medium_impact.signatures as components['schemas']['Signature'][],
      },
      high_impact: {
        signatures: matrix.high_impact.signatures as components['schemas']['Signature'][],
      },
    },
  };
}

/** The limits as they are sent; what the form does not show stays. */
export function wire(
  fields: GuardrailFields,
  version: number,
): components['schemas']['GuardrailsPut'] {
  const { cost_impact: cost, blast_radius: radius } = fields;
  return {
    version,
    cost_impact: {
      max_increase: asPercent(cost.max_increase),
      max_decrease: asPercent(cost.max_decrease),
    },
    performance_impact: { max_degradation: asPercent(fields.performance_impact.max_degradation) },
    availability: { min_uptime: asPercent(fields.availability.min_uptime) },
    rollback: { automatic: fields.rollback.automatic, timeout: asSeconds(fields.rollback.timeout) },
    verification: { window: asSeconds(fields.verification.window) },
    blast_radius: {
      max_actions_per_run: Number(radius.max_actions_per_run),
      max_actions_per_day: Number(radius.max_actions_per_day),
      max_share_per_day: asPercent(radius.max_share_per_day),
    },
    cool_down: asSeconds(fields.cool_down),
    breaker_failures: Number(fields.breaker_failures),
    approval_matrix: {
      ...fields.approval_matrix,
      medium_from: Number(fields.approval_matrix.medium_from),
      high_above: Number(fields.approval_matrix.high_above),
    },
  };
}

/** Numbers of the form, by their names in it. */
const AMOUNTS: [field: string, of: (values: GuardrailFields) => Amount][] = [
  ['cost_impact.max_increase', ({ cost_impact: cost }) => cost.max_increase],
  ['cost_impact.max_decrease', ({ cost_impact: cost }) => cost.max_decrease],
  ['performance_impact.max_degradation', ({ performance_impact: of }) => of.max_degradation],
  ['availability.min_uptime', ({ availability }) => availability.min_uptime],
  ['blast_radius.max_actions_per_run', ({ blast_radius: radius }) => radius.max_actions_per_run],
  ['blast_radius.max_actions_per_day', ({ blast_radius: radius }) => radius.max_actions_per_day],
  ['blast_radius.max_share_per_day', ({ blast_radius: radius }) => radius.max_share_per_day],
  ['breaker_failures', ({ breaker_failures }) => breaker_failures],
  ['approval_matrix.medium_from', ({ approval_matrix: matrix }) => matrix.medium_from],
  ['approval_matrix.high_above', ({ approval_matrix: matrix }) => matrix.high_above],
];

/** Objections by field: a number below zero is refused where it was typed, and never turned into another one. */
export const objections = (values: GuardrailFields): Record<string, string> =>
  Object.fromEntries(
    AMOUNTS.filter(([, of]) => Number(of(values)) < 0).map(([field]) => [field, 'Enter 0 or more']),
  );
