import { describe, expect, it } from 'vitest';
import { limitFits } from './ForecastChart';

describe('the line that decides', () => {
  it.each([
    [80, [20, 40], true],
    [0, [5], true],
    [450, [60, 52], true],
    [450, [4, 5], false],
    [null, [1], false],
    [5, [], false],
  ])('at %s over %j', (limit, values, expected) => expect(limitFits(limit, values)).toBe(expected));
});
