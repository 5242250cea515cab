import { expect, it } from 'vitest';
import { timeObjection } from './times-ahead';

const NOW = Date.parse('2026-05-10T12:00:00Z');

it.each([
  ['2026-05-10T11:00:00Z', 'Choose a time in the future.'],
  ['2026-05-10T13:00:00Z', undefined],
  ['2026-08-20T12:00:00Z', 'Choose a time within 90 days.'],
  [undefined, undefined],
])('%s: %s', (at, objection) => {
  expect(timeObjection(at, 90, NOW)).toBe(objection);
});
