import { expect, test } from 'vitest';
import { stepsOf } from './savings-steps';

const at = (text: string) => Date.parse(text);

test('nothing is saved before the end of the day of a change', () => {
  const now = at('2026-05-05T09:00:00Z');
  expect(
    stepsOf(
      [
        { day: '2026-05-01', dollars: 40 },
        { day: '2026-05-03', dollars: 65 },
      ],
      now,
    ),
  ).toEqual([
    [at('2026-05-01T00:00:00Z'), 0],
    [at('2026-05-02T00:00:00Z'), 40],
    [at('2026-05-04T00:00:00Z'), 65],
    [now, 65],
  ]);
});

test('the sum of today counts from now', () => {
  const now = at('2026-05-03T12:00:00Z');
  const steps = stepsOf([{ day: '2026-05-03', dollars: 10 }], now);
  expect(steps).toEqual([
    [at('2026-05-03T00:00:00Z'), 0],
    [now, 10],
    [now, 10],
  ]);
  expect(stepsOf([], now)).toEqual([]);
});
