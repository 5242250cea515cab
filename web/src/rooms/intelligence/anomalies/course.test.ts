import type { components } from '../../../api/schema';
import { describe, expect, it } from 'vitest';
import { courseOf, deviation, factorText, shownSpan } from './course';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 20, hour)).toISOString();

describe('the course of an anomaly', () => {
  it('shows what was recorded as it was recorded, then what is missing', () => {
    const responses = ['alert', 'investigate', 'recommend', 'learn', 'learn'].map(
      (stage, index) => ({
        stage: stage as components['schemas']['ResponseStage'],
        at: at(index),
        detail: `${stage} ${index}`,
      }),
    );
    expect(courseOf({ responses }).map(({ stage, detail }) => detail ?? `no ${stage}`)).toEqual([
      'alert 0',
      'investigate 1',
      'recommend 2',
      'learn 3',
      'learn 4',
      'no execute',
    ]);
    expect(courseOf({ responses: [] }).map(({ stage }) => stage)).toEqual([
      'alert',
      'investigate',
      'recommend',
      'execute',
      'learn',
    ]);
  });

  it.each([
    ['a short one: a day before, six hours after', [0, 1], 72, [-24, 7]],
    ['a long one: three times as long before, as long after', [0, 12], 72, [-36, 24]],
    ['one that goes on: to now and no further', [0, 1], 3, [-24, 3]],
  ])('%s', (_, [begun = 0, last = 0], now, [from = 0, to = 0]) => {
    expect(shownSpan({ started_at: at(begun), last_at: at(last) }, Date.parse(at(now)))).toEqual({
      from: at(from),
      to: at(to),
    });
  });

  it.each([
    [312.4, '312 % above'],
    [-40, '40 % below'],
    [1900, '20 times as much'],
    [null, ''],
  ])('%d', (percent, words) => {
    expect(deviation(percent)).toBe(words);
  });
});

it('a threshold says which way it was moved', () => {
  expect(factorText(1)).toBe('Edge of the expected range (default)');
  expect(factorText(2.2000000000000002)).toBe('Raised to 2.2 × the expected range');
  expect(factorText(0.81)).toBe('Lowered to 0.81 × the expected range');
});
