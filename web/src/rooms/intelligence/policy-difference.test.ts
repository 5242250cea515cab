import { expect, test } from 'vitest';
import type { Plan } from '../../api/bodies';
import { policiesOf } from './policy-difference';

const plan = (given: Record<string, unknown>) =>
  ({ change: { name: 'x', parameters: { with: given }, resource: 'r' } }) as unknown as Plan;

test('a plan that changes a policy shows both versions', () => {
  const given = { policy: 'own', former: { a: 1 }, tight: { a: 2 } };
  expect(policiesOf(plan(given))).toEqual({ name: 'own', before: { a: 1 }, after: { a: 2 } });
  const removed = { policy: 'own', former: { a: 1 } };
  expect(policiesOf(plan(removed))).toEqual({ name: 'own', before: { a: 1 }, after: {} });
  const denial = policiesOf(plan({ denial: { d: 1 } }));
  expect(denial).toEqual({ name: 'reeve-suspended', before: {}, after: { d: 1 } });
});

test('other plans show none', () => {
  expect(policiesOf(plan({ rules: [] }))).toBeUndefined();
  expect(policiesOf(null)).toBeUndefined();
});
