import { expect, test } from 'vitest';
import { before, entriesQuery, isNoise } from './entries';

test('searches begin ten minutes before an anomaly, or ask for its entries', () => {
  expect(before('2026-11-24T11:40:35.701Z')).toBe('2026-11-24T11:30:35.701Z');
  expect(entriesQuery(['a', 'b'])).toBe('event_id:("a" OR "b")');
});

test('resolved anomalies of low severity are noise, open ones are not', () => {
  expect(isNoise({ severity: 'low', status: 'resolved' })).toBe(true);
  expect(isNoise({ severity: 'low', status: 'open' })).toBe(false);
  expect(isNoise({ severity: 'medium', status: 'resolved' })).toBe(false);
});
