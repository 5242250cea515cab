import { describe, expect, it } from 'vitest';
import type { Guardrails } from '../../../api/bodies';
import { initial, objections, wire } from './fields';

const guardrails = {
  cost_impact: { max_increase: '5%', max_decrease: '50%' },
  performance_impact: { max_degradation: '3%' },
  availability: { min_uptime: '99.9%' },
  rollback: { automatic: true, timeout: '5m', timeout_s: 300 },
  verification: { window: '24h', window_s: 86_400 },
  blast_radius: {
    max_actions_per_run: 5,
    max_actions_per_day: 20,
    max_share_per_day: '10%',
    rollout_from: 10,
  },
  approval_matrix: {
    medium_from: 100,
    high_above: 1000,
    low_impact: { signatures: [] },
    medium_impact: { signatures: ['manager'] },
    high_impact: { signatures: ['director', 'security'] },
  },
  cool_down: '24h',
  cool_down_s: 86_400,
  breaker_failures: 3,
  kill_switch: false,
  version: 4,
} as unknown as Guardrails;

describe('guardrail fields', () => {
  it('edit numbers and send the spelling of the wire', () => {
    expect(initial(guardrails).availability.min_uptime).toBe(99.9);
    const sent = wire(initial(guardrails), 4);
    expect(sent.cost_impact).toEqual({ max_increase: '5%', max_decrease: '50%' });
    expect([sent.availability?.min_uptime, sent.rollback?.timeout, sent.cool_down]).toEqual([
      '99.9%',
      '300s',
      '86400s',
    ]);
    expect(sent.version).toBe(4);
    expect(sent.approval_matrix).toMatchObject({
      medium_from: 100,
      high_impact: { signatures: ['director', 'security'] },
    });
  });
});

it('refuses numbers below zero where they were typed', () => {
  const values = initial(guardrails);
  expect(objections(values)).toEqual({});
  values.cost_impact.max_decrease = -5;
  values.breaker_failures = '-1';
  expect(objections(values)).toEqual({
    'cost_impact.max_decrease': 'Enter 0 or more',
    breaker_failures: 'Enter 0 or more',
  });
});
