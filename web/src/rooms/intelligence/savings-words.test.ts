import { expect, test } from 'vitest';
import { addedInWords, byPurpose, totalsInWords, unknownSaving } from './savings-words';

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
  const told = (cost: string) =>
    unknownSaving({ kind: 'storage_optimization', savings: savings(null), impact: impact(cost) });
  expect(told('saves at most $1,050.00 a month (AWS price pages): snapshots share')).toBe(
    'Up to $1,050',
  );
  expect(told('none')).toBe('None');
  expect(told('the saving is not known: S3 does not count them apart')).toBe('Not known');
});

test('what saves comes by its amount, what costs more by its urgency in a list of its own', () => {
  const row = (id: string, saved: number | null, priority: 'low' | 'high' | 'critical') => ({
    id,
    priority,
    savings: savings(saved),
  });
  const { saving, other } = byPurpose([
    row('throttled', -199, 'high'),
    row('small', 5, 'critical'),
    row('spot', null, 'low'),
    row('exposed', 0, 'critical'),
    row('large', 320, 'low'),
  ]);
  expect(saving.map(({ id }) => id)).toEqual(['large', 'small']);
  expect(other.map(({ id }) => id)).toEqual(['exposed', 'throttled', 'spot']);
});

test('the totals of a list claim no saving of $0', () => {
  const none = { total: 2, savings_monthly: 0, cost_added_monthly: 411, savings_unpriced: 0 };
  expect(totalsInWords(none)).toBe('2 found · they add $411 a month');
  expect(totalsInWords({ ...none, cost_added_monthly: 0 })).toBe('2 found');
  expect(totalsInWords({ ...none, savings_monthly: 320, savings_unpriced: 1 })).toBe(
    '2 found · $320 a month could be saved, others add $411 a month · 1 without a known amount',
  );
});

test('added cost is told and no added cost is not', () => {
  expect(addedInWords(756)).toBe(', others add $756 a month');
  expect(addedInWords(0)).toBe('');
});
