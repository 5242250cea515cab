import { expect, test } from 'vitest';
import { blocks, duration, effectValue, greatestCost, ownCost } from './figures';

test('durations have three digits and the unit that fits', () => {
  expect([0.0412, 12.345, 1834, 600_000, 9e6].map(duration)).toEqual(
    ['0.0412 ms', '12.3 ms', '1.83 s', '10 min', '2.5 h'].map((text) =>
      text.replace(' ', '\u00a0'),
    ),
  );
});

test('a figure of advice has its unit', () => {
  expect(effectValue(412_000, 'planner_cost')).toBe('412K planner cost');
  expect(effectValue(1024 ** 3, 'bytes')).toBe('1\u00a0GiB');
  expect(effectValue(12.34, 'percent')).toBe('12.3\u00a0%');
  expect(blocks(128)).toBe('1\u00a0MiB');
});

test('the cost of a step is without the steps below', () => {
  const step = { operation: 'Sort', details: [], startup_cost: 0, rows: 1, width_bytes: 8 };
  const scan = { ...step, operation: 'Seq Scan', total_cost: 90, children: [] };
  const sort = { ...step, total_cost: 100, children: [scan] };
  expect([ownCost(sort), ownCost(scan), greatestCost(sort)]).toEqual([10, 90, 90]);
});
