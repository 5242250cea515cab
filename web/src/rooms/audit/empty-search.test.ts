import { describe, expect, it } from 'vitest';
import { applying, causesOf, visibility } from './empty-search';

describe('causesOf', () => {
  it('names every part of a search, each with the address without it', () => {
    const causes = causesOf({ start: '24h', event_type: 'a.b', user: 'ann' });
    expect(causes.map(({ key, value }) => [key, value])).toEqual([
      ['period', 'Last 24 hours'],
      ['event_type', 'a.b'],
      ['user', 'ann'],
      ['reads', 'left out'],
      ['all', 'no entry meets all of them'],
    ]);
    expect(causes.map(({ without }) => without)).toEqual([
      { event_type: 'a.b', user: 'ann' },
      { start: '24h', user: 'ann' },
      { start: '24h', event_type: 'a.b' },
      { start: '24h', event_type: 'a.b', user: 'ann', reads: 'yes' },
      { reads: 'yes' },
    ]);
  });

  it('names nothing where nothing narrows', () => {
    expect(causesOf({ reads: 'yes' })).toEqual([]);
    expect(causesOf({ event_type: 'audit.*' }).map(({ key }) => key)).toEqual(['event_type']);
  });

  it('names both ends of a time range', () => {
    const [period] = causesOf({
      start: '2026-11-01T00:00:00Z',
      end: '2026-11-02T00:00:00Z',
      reads: 'yes',
    });
    expect(period?.value).toMatch(/^from .* to /);
    expect(period?.without).toEqual({ reads: 'yes' });
  });
});

describe('applying', () => {
  const causes = causesOf({ start: '1h', user: 'ann', reads: 'yes' });
  it('keeps the parts without which something is found', () => {
    expect(applying(causes, [0, 3, 9]).map(({ cause, found }) => [cause.key, found])).toEqual([
      ['user', 3],
    ]);
  });
  it('blames all together only where no single part is to blame', () => {
    expect(applying(causes, [0, 0, 9]).map(({ cause }) => cause.key)).toEqual(['all']);
    expect(applying(causes, [0, 0, 0])).toEqual([]);
    expect(applying(causes, [undefined, undefined, undefined])).toEqual([]);
  });
});

describe('visibility', () => {
  it.each([
    [['audit.view.all', 'audit.view.own'], undefined],
    [['audit.view.team'], 'You see only the entries of your teams.'],
    [['audit.view.own'], 'You see only your own entries.'],
  ])('%j', (permissions, expected) => {
    expect(visibility((name) => permissions.includes(name))).toBe(expected);
  });
});
