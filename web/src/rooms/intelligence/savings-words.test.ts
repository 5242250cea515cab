import { expect, test } from 'vitest';
import { addedInWords, byPurpose, unknownSaving } from './savings-words';

const savings = (expected_monthly: number | null, current_monthly_cost: number | null = null) => ({
  expected_monthly,
  current_monthly_cost,
  monthly: expected_monthly,
  monthly_after_discounts: null,
  basis: null,
  currency: 'USD',
});
const impact = (cost: string) => ({ cost, performance: 'none', security: 'none' });

test('an unknown saving says what is known of it', () => {
  const lost = {
    kind: 'idle_resource_cleanup' as const,
    savings: savings(null, 320),
    impact: impact('the snapshot has no known price'),
  };
  expect(unknownSaving(lost)).toBe('Up to $320');
  expect(
    unknownSaving({
      ...lost,
      kind: 'spot_instances' as const,
      impact: impact('not claimed, since spot prices move'),
    }),
  ).toBe('Not claimed');
  expect(unknownSaving({ ...lost, savings: savings(null) })).toBe('Price unknown');
});

test('what saves comes by its amount, what costs more stands in a list of its own', () => {
  const row = (id: string, saved: number | null) => ({ id, savings: savings(saved) });
  const { saving, other } = byPurpose([
    row('throttled', -199),
    row('small', 5),
    row('spot', null),
    row('large', 320),
  ]);
  expect(saving.map(({ id }) => id)).toEqual(['large', 'small']);
  expect(other.map(({ id }) => id)).toEqual(['throttled', 'spot']);
});

test('added cost is told and no added cost is not', () => {
  expect(addedInWords(756)).toBe(', others add $756 a month');
  expect(addedInWords(0)).toBe('');
});
