import { describe, expect, it } from 'vitest';
import { durationInWords, fitting, secondsOf, spanInWords, type Unit } from './durations';

describe('durations', () => {
  it.each<[number, Unit, Unit[], Unit]>([
    [240, 'minutes', ['minutes', 'hours'], 'hours'],
    [90, 'minutes', ['minutes', 'hours'], 'minutes'],
    [86_400, 'seconds', ['hours', 'days'], 'days'],
    [3_600, 'seconds', ['hours', 'days'], 'hours'],
    [0, 'seconds', ['hours', 'days'], 'hours'],
  ])('%d %s as one of %j: %s', (value, unit, units, expected) =>
    expect(fitting(value, unit, units)).toBe(expected),
  );

  it.each([
    [0, '0 s'],
    [0.4, '0 s'],
    [36, '36 s'],
    [90, '1 min 30 s'],
    [2_592, '43 min 12 s'],
    [3_600, '1 h'],
    [7_205, '2 h'],
    [9_000, '2 h 30 min'],
    [97_200, '1 day 3 h'],
    [176_400, '2 days 1 h'],
    [777_600, '9 days'],
  ])('%d s: %s', (seconds, expected) => expect(durationInWords(seconds)).toBe(expected));

  it.each([
    ['30s', '30 seconds', 30],
    ['1m', '1 minute', 60],
    ['24h', '24 hours', 86_400],
    ['7d', '7 days', 604_800],
    ['0m', '0 minutes', 0],
    ['this_month', 'this_month', undefined],
    ['5w', '5w', undefined],
  ])('%s is %s', (text, words, seconds) => {
    expect(spanInWords(text)).toBe(words);
    expect(secondsOf(text)).toBe(seconds);
  });
});
