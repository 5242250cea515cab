import { expect, it } from 'vitest';
import { costsSearch } from '../../addresses';
import { changeOf, daysFrom, drilled, filtersOf, nameOf, paramsOf } from './spending-search';

it('reads the address, and keeps a filter for what the bill does not name', () => {
  expect(costsSearch({ by: 'region', account: 111122223333, service: '', other: 'x' })).toEqual({
    by: 'region',
    account: '111122223333',
    service: '',
  });
});

it('counts days back from the last billed one, unless a period is given', () => {
  expect(paramsOf({ days: '7' }, '2026-11-28')).toEqual({
    first_day: '2026-11-22',
    last_day: '2026-11-28',
  });
  expect(paramsOf({ days: '7' })).toEqual({});
  const given = { first_day: '2026-03-01', last_day: '2026-03-02', by: 'region' };
  expect(paramsOf({ ...given, days: '7' }, '2026-11-28')).toEqual(given);
  expect(daysFrom('2026-02-27', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
});

it('leads from a group to what is in it', () => {
  expect(drilled({}, 'Amazon EC2')).toEqual({ service: 'Amazon EC2', by: 'resource' });
  expect(drilled({ by: 'tag:team', days: '7' }, '')).toEqual({
    tag: 'team=',
    by: 'service',
    days: '7',
  });
  expect(drilled({ by: 'region', service: 'Amazon EC2' }, 'eu-west-1')).toEqual({
    service: 'Amazon EC2',
    region: 'eu-west-1',
    by: 'resource',
  });
});

it('says filters, names and changes in words', () => {
  expect(filtersOf({ service: 'Amazon EC2', region: '', tag: 'team=' })).toEqual([
    { name: 'service', label: 'Service: Amazon EC2' },
    { name: 'region', label: 'Region: not named in the bill' },
    { name: 'tag', label: 'Without tag: team' },
  ]);
  expect(nameOf({ value: '1111', name: 'shop' }, 'account')).toBe('shop');
  expect(nameOf({ value: '' }, 'tag:team')).toBe('Without the tag');
  expect(changeOf({ total: 3, previous_total: 2 })).toBe(0.5);
  expect(changeOf({ total: 3, previous_total: 0 })).toBeUndefined();
});
