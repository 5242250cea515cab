import { describe, expect, it } from 'vitest';
import { durationInWords, fitting, type Unit } from './durations';

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
    [36, '36 s'],
    [90, '2 min'],
    [3_600, '1 h'],
    [9_000, '2 h 30 min'],
    [176_400, '2 days 1 h'],
    [777_600, '9 days'],
  ])('%d s: %s', (seconds, expected) => expect(durationInWords(seconds)).toBe(expected));
});
