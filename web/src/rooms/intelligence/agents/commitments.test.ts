import { expect, test } from 'vitest';
import type { CommitmentLevel } from '../../../api/bodies';
import { risk, safeLevel } from './commitments';

const level = (more: Partial<CommitmentLevel>): CommitmentLevel => ({
  hourly: 7.2,
  coverage_percent: 80,
  utilisation_percent: 96,
  savings_monthly: 2044,
  on_demand_monthly: 900,
  losing_weeks_percent: 0,
  room_percent: 25,
  ...more,
});

test('the safe level is advice, or says that none pays off', () => {
  expect(safeLevel({ safe: level({}) })).toBe('commit $7.20 an hour to save $2,044 a month');
  expect(safeLevel({ safe: level({ hourly: 0, savings_monthly: 0 }) })).toContain('no commitment');
});

test('the risk of a level is told in weeks and in room', () => {
  expect(risk(level({}), 672)).toMatch(
    /^In none of 4 weeks it would have cost more than on demand\. It still saves until use falls by 25\s?%\.$/,
  );
  expect(risk(level({ losing_weeks_percent: 50, room_percent: -3 }), 672)).toMatch(
    /^In 2 of 4 weeks .+ Use is below break-even already\.$/,
  );
  expect(risk(level({ hourly: 0 }), 672)).toContain('nothing is at risk');
});
