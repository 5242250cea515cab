import { describe, expect, it } from 'vitest';
import type { Gate, Rollout, RolloutMember } from '../../../api/bodies';
import { hours, reached, shareOf, sharesOf, splitOf, stepsOf, wavesOf } from './course';

const member = (
  name: string,
  wave: number,
  state: RolloutMember['state'] = 'waiting',
): RolloutMember => ({
  recommendation_id: name,
  resource_id: name,
  name,
  wave,
  state,
  critical: true,
  detail: '',
  accepted: false,
});
const gate = (
  stage: Gate['stage'],
  verdict: Gate['verdict'],
  found: number,
  needed: number,
): Gate => ({
  stage,
  verdict,
  wave: 0,
  explanation: '',
  at: '2026-11-22T00:00:00.000Z',
  checks: [
    { check: 'changed', found, needed, relation: 'at_least', holds: found >= needed },
    { check: 'failed', found: 0, needed: 0, relation: 'at_most', holds: true },
  ],
});
const rollout = (change: Partial<Rollout>): Rollout => ({
  id: 'r',
  name: 'r',
  agent_id: 'a',
  type: 'right_size',
  status: 'running',
  stage: 'canary',
  wave: 0,
  stage_since: '',
  by: 'ann',
  created_at: '',
  updated_at: '',
  settings: {
    canary: 1,
    validation_s: 86_400,
    shares: [10, 25, 50],
    max_failures: 0,
    min_confidence: null,
  },
  members: [member('a', 0, 'held'), member('b', 2), member('c', 4), member('d', 4, 'left_out')],
  gates: [gate('simulation', 'opened', 3, 3), gate('canary', 'waiting', 0, 1)],
  ...change,
});

describe('the course of a rollout', () => {
  it('says where it stands and what comes', () => {
    const steps = stepsOf(rollout({}));
    expect(steps.map(({ standing }) => standing)).toEqual([
      'done',
      'now',
      'ahead',
      'ahead',
      'ahead',
    ]);
    expect(steps.map(({ words }) => words)).toEqual([
      '3 of 3 changed',
      '0 of 1 changed',
      'Watched for 24 hours',
      '1 resource, up to 50 %',
      '1 resource, the rest',
    ]);
    expect(steps.map(({ share }) => share)).toEqual([
      undefined,
      0,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [
      {
        status: 'held',
        stage: 'validation',
        gates: [gate('canary', 'overridden', 0, 1), gate('validation', 'held', 0, 1)],
      },
      'done overridden held ahead ahead',
    ],
    [{ status: 'stopped' }, 'done stopped ahead ahead ahead'],
    [{ status: 'completed', stage: 'full' }, 'done done done done done'],
    [
      { status: 'completed', stage: 'validation', members: [member('a', 0, 'held')] },
      'done done done passed passed',
    ],
    [
      { stage: 'full', members: [member('a', 0, 'held'), member('c', 4)] },
      'done done done passed now',
    ],
  ])('%j', (change, expected) =>
    expect(
      stepsOf(rollout(change as Partial<Rollout>))
        .map(({ standing }) => standing)
        .join(' '),
    ).toBe(expected),
  );

  it('groups by wave and counts what was reached', () => {
    expect(wavesOf(rollout({})).map(({ name, members }) => [name, members.length])).toEqual([
      ['Canary', 1],
      ['Up to 25 %', 1],
      ['The rest', 2],
    ]);
    expect(reached(rollout({}))).toEqual({ changed: 1, failed: 0, of: 3 });
  });

  it('measures a gate by the check furthest behind', () => {
    const both = gate('validation', 'waiting', 1, 1);
    both.checks.push({
      check: 'hours watched',
      found: 6,
      needed: 24,
      relation: 'at_least',
      holds: false,
    });
    expect(shareOf(both)).toBe(0.25);
    expect(shareOf(undefined)).toBe(0);
  });

  it.each([
    [1, 1, [10, 25, 50], [1]],
    [2, 1, [10, 25, 50], [1, 1]],
    [40, 1, [10, 25, 50], [1, 3, 6, 10, 20]],
    [10, 5, [10, 60], [5, 1, 4]],
    [0, 1, [], []],
  ])('splits %i with a canary of %i and shares %j', (total, canary, shares, expected) =>
    expect(splitOf(total, canary, shares)).toEqual(expected),
  );

  it('reads shares and spans', () => {
    expect(sharesOf('10, 25 %; 50')).toEqual([10, 25, 50]);
    expect(sharesOf('')).toEqual([]);
    expect(sharesOf('ten')).toBeUndefined();
    expect([hours(120), hours(86_400), hours(9000)]).toEqual([
      '2 minutes',
      '24 hours',
      '2.5 hours',
    ]);
  });
});
