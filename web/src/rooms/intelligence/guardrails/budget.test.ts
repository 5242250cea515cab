import { describe, expect, it } from 'vitest';
import { levelOf, scaleOf, uptimeOf } from './budget';

describe('error budgets', () => {
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
