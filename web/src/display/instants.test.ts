import { describe, expect, it } from 'vitest';
import { clockTime, fullTime, shortTime, took } from './instants';

const midnight = new Date(2026, 0, 5, 0, 30, 7).toISOString();

describe('times', () => {
  it('have a midnight of zero hours, and their zone in full', () => {
    expect(fullTime(midnight)).toMatch(/2026.*\b00:30:07 \S+/);
    expect(clockTime(midnight, midnight)).toBe('00:30');
  });

  it('say the year where it is another than now', () => {
    expect(shortTime(midnight, new Date(2026, 6, 1))).not.toContain('2026');
    expect(shortTime(midnight, new Date(2027, 0, 1))).toContain('2026');
  });

  it.each([
    [400, '400 ms'],
    [1500, '1.5 s'],
    [240_000, '4 min'],
    [5 * 3_600_000, '5 h'],
    [72 * 3_600_000, '3 days'],
  ])('%i ms took %s', (ms, expected) => {
    expect(took(midnight, new Date(Date.parse(midnight) + ms).toISOString())).toBe(expected);
  });
});
