import { expect, it } from 'vitest';
import { running } from './running-totals';

it('adds up what was spent, and goes on from there with what is expected', () => {
  const days = [
    { day: '2026-11-01', amount: 10 },
    { day: '2026-11-02', amount: 5 },
    { day: '2026-11-03', amount: 7 },
  ];
  const ahead = [
    { day: '2026-11-03', amount: 6 },
    { day: '2026-11-04', amount: 6 },
  ];
  expect(running(days, ahead, '2026-11-02')).toEqual({
    spent: [
      ['2026-11-01', 10],
      ['2026-11-02', 15],
    ],
    expected: [
      ['2026-11-02', 15],
      ['2026-11-03', 22],
      ['2026-11-04', 28],
    ],
  });
  expect(running([], [], undefined)).toEqual({ spent: [], expected: [] });
});
