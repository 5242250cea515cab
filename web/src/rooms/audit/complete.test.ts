import { describe, expect, it } from 'vitest';
import { askedField, completed, completions, type QueryField } from './complete';

const FIELDS: QueryField[] = [
  { name: 'action.status', kind: 'name', values: ['success', 'failed', 'denied', 'pending'] },
  { name: 'actor.email', kind: 'text', values: [] },
  { name: 'actor.ip_address', kind: 'address', values: [] },
  { name: 'changes.after', kind: 'open', values: [] },
  { name: 'timestamp', kind: 'time', values: [] },
];

describe('completing a query', () => {
  it.each([
    ['act', ['action.status:', 'actor.email:', 'actor.ip_address:']],
    ['severity:high -(actor.e', ['severity:high -(actor.email:']],
    ['chan', ['changes.after.']],
    ['action.status:f', ['action.status:failed']],
    ['actor.email:a', ['actor.email:alice@example.com', 'actor.email:"ann lee"']],
    ['actor.ip_address:@k', ['actor.ip_address:@known']],
    ['action.status:failed', []],
    ['', []],
    ['alice ', []],
    ['actor.email:"a', []],
    ['timestamp:>no', []],
    ['actor.email:/a', []],
  ])('%s', (text, expected) => {
    expect(
      completions(text, FIELDS, ['alice@example.com', 'ann lee', 'bob'], ['known', 'vips']),
    ).toEqual(expected);
  });

  it('asks for the values of a field that has no list of names', () => {
    expect(askedField('x actor.email:a', FIELDS)).toBe('actor.email');
    expect(askedField('metadata.team:', FIELDS)).toBe('metadata.team');
    for (const text of [
      'action.status:f',
      'timestamp:2',
      'actor.email:@k',
      'nofield:x',
      'actor.em',
      'actor.email:>1',
    ])
      expect(askedField(text, FIELDS)).toBeUndefined();
  });

  it('shows what is completed', () => {
    expect(completed('a actor.e', 'a actor.email:')).toBe('actor.email:');
    expect(completed('action.status:f', 'action.status:failed')).toBe('failed');
  });
});
