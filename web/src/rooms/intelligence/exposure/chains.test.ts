import { describe, expect, it } from 'vitest';
import { gravity, nextStep, stages } from './chains';
import type { AttackChain } from './queries';

const step = (stage: string) => ({ stage }) as AttackChain['steps'][number];

describe('attack chains', () => {
  it('name each stage once', () =>
    expect(stages({ steps: ['access', 'evasion', 'access'].map(step) })).toBe('Access, Evasion'));

  it('name the likeliest next step', () => {
    expect(nextStep({ next: [{ stage: 'impact', probability: 0.41 }] })).toMatch(/^Impact, 41/);
    expect(nextStep({ next: [] })).toBe('None');
  });

  it('are graver once they were reported', () => {
    const at = '2026-11-01T00:00:00Z';
    const of = (probability: number, predicted_at: string | null) =>
      gravity({ probability, predicted_at });
    expect([of(0.9, at), of(0.5, at), of(0.3, null), of(0.1, null)]).toEqual([
      'critical',
      'high',
      'medium',
      'low',
    ]);
  });
});
