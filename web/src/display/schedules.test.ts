import { describe, expect, it } from 'vitest';
import { cronInWords, cronNote } from './schedules';

describe('cron patterns', () => {
  it.each([
    ['0 3 * * *', 'At 03:00'],
    ['0 6 * * 1', 'At 06:00, only on Monday'],
    ['*/15 * * * *', 'Every 15 minutes'],
    ['0 6 1 * *', 'At 06:00, on day 1 of the month'],
    ['0 3 * *', undefined],
    ['99 99 * * *', undefined],
    ['nightly', undefined],
  ])('%s', (pattern, words) => expect(cronInWords(pattern)).toBe(words));

  it('says what a pattern consists of until it is one', () => {
    expect(cronNote('', 'Empty to run when requested')).toBe('Empty to run when requested');
    expect(cronNote('0 3', '')).toBe('Minute, hour, day, month, weekday');
    expect(cronNote('0 3 * * *', '')).toBe('At 03:00');
  });
});
