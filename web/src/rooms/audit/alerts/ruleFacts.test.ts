import { describe, expect, it } from 'vitest';
import { thresholdInWords } from './ruleFacts';

describe('a threshold in words', () => {
  const words = (count: number, distinct?: string) =>
    thresholdInWords({ threshold: { count, window: '10m', distinct } });

  it('counts entries, or values of a field', () => {
    expect(words(20)).toMatch(/^20 in /);
    expect(words(5, 'user')).toMatch(/^5 values of user in /);
    expect(words(1)).toBe('Every match');
  });
});
