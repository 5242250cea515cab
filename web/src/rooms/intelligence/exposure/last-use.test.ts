import { expect, test } from 'vitest';
import { lastUseOf } from './last-use';

const used = {
  window_days: 120,
  coverage: 'full' as const,
  state: 'used' as const,
  last_used: null,
  used_services: ['s3'],
  unused_actions: ['dynamodb:*', 'ses:SendEmail'],
  not_judged: ['iam:PassRole'],
};

test('unused permissions are named with the window and what is not recorded', () => {
  expect(lastUseOf(used)).toEqual({
    label: 'dynamodb:*, ses:SendEmail',
    note: 'In 120 days; not recorded: iam:PassRole',
  });
  expect(lastUseOf({ ...used, unused_actions: [], not_judged: [] }).label).toBe('Nothing');
});

test('a use that was not read is not known, and no absence of use', () => {
  expect(lastUseOf({ ...used, coverage: 'none', state: 'unknown' }).label).toBe('Not known');
  expect(lastUseOf({ ...used, coverage: 'principal' }).label).toBe('Not known');
});

test('an unused principal says when it was used last', () => {
  const unused = { ...used, state: 'unused' as const };
  expect(lastUseOf(unused).note).toBe('No use in 400 days');
  expect(lastUseOf({ ...unused, last_used: '2025-03-04' }).note).toBe('Last used on 2025-03-04');
});
