import { expect, test } from 'vitest';
import { days, kept, length } from './periods';

const policy = {
  name: 'authentication',
  event_types: ['authentication.*'],
  hot_days: 90,
  warm_days: 365,
  cold_years: 7,
};

test('the whole time is said in years and days', () => {
  expect(kept(policy)).toBe('8 years and 90 days');
  expect(kept({ ...policy, hot_days: 30, warm_days: 90, cold_years: 0 })).toBe('120 days');
  expect(kept({ ...policy, hot_days: 365, warm_days: 0, cold_years: 0 })).toBe('1 year');
});

test('a tier without a period is none', () => {
  expect(length(policy, 'cold')).toBe('7 years');
  expect(length({ ...policy, warm_days: 0 }, 'warm')).toBe('none');
  expect(length({ ...policy, hot_days: 1 }, 'hot')).toBe('1 day');
});

test('the bar has the days of each tier', () => {
  expect(days(policy)).toEqual({ hot: 90, warm: 365, cold: 2555 });
});
