import { describe, expect, it } from 'vitest';
import { concerns, daysInWords, freezeState, lengthInWords, opening } from './calendar';

const at = (text: string) => Date.parse(text);
const nights = {
  days: ['saturday', 'sunday'],
  start: '22:00',
  duration_minutes: 240,
  time_zone: 'Europe/Berlin',
};

describe('maintenance windows', () => {
  it.each([
    [
      'on a Wednesday, the next Saturday',
      nights,
      '2026-11-18T12:00:00Z',
      '2026-11-21T21:00:00.000Z',
      '2026-11-22T01:00:00.000Z',
    ],
    [
      'after midnight, the one of the evening before',
      nights,
      '2026-11-22T00:30:00Z',
      '2026-11-21T21:00:00.000Z',
      '2026-11-22T01:00:00.000Z',
    ],
    [
      'once it closed, the next',
      nights,
      '2026-11-22T01:00:00Z',
      '2026-11-22T21:00:00.000Z',
      '2026-11-23T01:00:00.000Z',
    ],
    [
      'local time is kept over daylight saving',
      nights,
      '2026-07-01T12:00:00Z',
      '2026-07-04T20:00:00.000Z',
      '2026-07-05T00:00:00.000Z',
    ],
    [
      'no days are all days, no zone is UTC',
      { start: '03:30', duration_minutes: 30 },
      '2026-11-18T03:45:00Z',
      '2026-11-18T03:30:00.000Z',
      '2026-11-18T04:00:00.000Z',
    ],
    [
      'a start that is skipped comes after the gap',
      { days: [], start: '02:30', duration_minutes: 60, time_zone: 'Europe/Berlin' },
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-29T02:30:00.000Z',
    ],
  ])('%s', (_, window, now, from, until) => {
    const found = opening(window, at(now));
    expect([found?.from.toISOString(), found?.until.toISOString()]).toEqual([from, until]);
  });

  it('says nothing of a zone that the browser does not know', () => {
    expect(opening({ ...nights, time_zone: 'Nowhere/Atall' })).toBeUndefined();
  });

  it.each([
    [[], 'Every day'],
    [['monday', 'tuesday', 'wednesday'], 'Mon to Wed'],
    [['sunday', 'saturday'], 'Sat, Sun'],
    [['monday', 'friday', 'sunday'], 'Mon, Fri, Sun'],
  ])('%j', (days, words) => {
    expect(daysInWords(days)).toBe(words);
  });

  it.each([
    [240, '4 h'],
    [90, '1 h 30 min'],
    [45, '45 min'],
  ])('%d minutes', (minutes, words) => {
    expect(lengthInWords(minutes)).toBe(words);
  });
});

describe('freezes', () => {
  const freeze = { from: '2026-12-20T00:00:00Z', until: '2027-01-04T00:00:00Z' };
  it.each([
    ['2026-12-19T23:59:59Z', 'comes'],
    ['2026-12-20T00:00:00Z', 'holds'],
    ['2027-01-03T23:59:59Z', 'holds'],
    ['2027-01-04T00:00:00Z', 'ended'],
  ])('%s', (now, state) => {
    expect(freezeState(freeze, at(now))).toBe(state);
  });

  it('concern an agent whose scope they meet; an empty scope is everything', () => {
    const agent = { scope: { accounts: ['prod'], services: ['ec2', 'rds'] } };
    expect(concerns({}, agent)).toBe(true);
    expect(concerns({ accounts: ['prod'], services: ['rds'] }, agent)).toBe(true);
    expect(concerns({ accounts: ['dev'] }, agent)).toBe(false);
    expect(concerns({ accounts: ['dev'] }, { scope: {} })).toBe(true);
  });
});
