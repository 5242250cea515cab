import { describe, expect, it } from 'vitest';
import { lasting, levelOf, scaleOf, uptimeOf } from './budget';

describe('error budgets', () => {
  it.each([
    [0, '0 s'],
    [62, '1 min 2 s'],
    [2592, '43 min 12 s'],
    [7200, '2 h'],
    [7205, '2 h'],
    [97_200, '1 day 3 h'],
    [0.4, '0 s'],
  ])('%s seconds are %s', (given, expected) => expect(lasting(given)).toBe(expected));

  it('keeps the digits of an uptime', () => {
    expect(uptimeOf(99.9976)).toBe('99.9976 %');
    expect(uptimeOf(99.9)).toBe('99.9 %');
  });

  it('draws the limit and what is overdrawn inside the bar', () => {
    expect(scaleOf([{ used: 2.4 }])).toBe(106);
    expect(scaleOf([{ used: 250 }, { used: 3 }])).toBeGreaterThan(250);
  });

  it.each([
    [0, 'fine'],
    [79.9, 'fine'],
    [80, 'short'],
    [100, 'gone'],
    [240, 'gone'],
  ])('%s %% is %s', (given, expected) => expect(levelOf(given)).toBe(expected));
});
