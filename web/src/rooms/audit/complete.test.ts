import { describe, expect, it } from 'vitest';
import { askedField, caretAfter, completed, completions, type QueryField } from './complete';

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
      completions(
        text,
        text.length,
        FIELDS,
        ['alice@example.com', 'ann lee', 'bob'],
        ['known', 'vips'],
      ),
    ).toEqual(expected);
  });

  // The bar is the caret.
  it.each([
    ['act| AND severity:high', 'action.status:| AND severity:high'],
    ['severity:high actor.e|:ann', 'severity:high actor.email|:ann'],
    ['actor.e|mial:ann status:failed', 'actor.email|:ann status:failed'],
    ['(action.status:f|) OR user:x', '(action.status:failed|) OR user:x'],
    ['action.status:f|oo OR user:x', 'action.status:failed| OR user:x'],
    ['chan| "a b"', 'changes.after.| "a b"'],
    ['actor.email:an| "x y"', 'actor.email:"ann lee"| "x y"'],
  ])('completes at the caret: %s', (typed, expected) => {
    const caret = typed.indexOf('|');
    const text = typed.replace('|', '');
    const [whole = ''] = completions(text, caret, FIELDS, ['ann lee'], []);
    const at = caretAfter(text, caret, whole);
    expect(`${whole.slice(0, at)}|${whole.slice(at)}`).toBe(expected);
  });

  it.each(['"act| b"', 'actor.email:|"ann"', 'a |b', 'action.status:fai|led'])(
    'completes nothing at %s',
    (typed) => {
      const text = typed.replace('|', '');
      expect(completions(text, typed.indexOf('|'), FIELDS, [], [])).toEqual([]);
    },
  );

  it('asks for the values of a field that has no list of names', () => {
    expect(askedField('x actor.email:a', 15, FIELDS)).toBe('actor.email');
    expect(askedField('metadata.team:', 14, FIELDS)).toBe('metadata.team');
    expect(askedField('actor.email:a AND x', 13, FIELDS)).toBe('actor.email');
    expect(askedField('actor.email:a AND x', 19, FIELDS)).toBeUndefined();
    for (const text of [
      'action.status:f',
      'timestamp:2',
      'actor.email:@k',
      'nofield:x',
      'actor.em',
      'actor.email:>1',
    ])
      expect(askedField(text, text.length, FIELDS)).toBeUndefined();
  });

  it('shows what is completed', () => {
    expect(completed('a actor.e', 9, 'a actor.email:')).toBe('actor.email:');
    expect(completed('action.status:f', 15, 'action.status:failed')).toBe('failed');
    expect(completed('action.status:f b', 15, 'action.status:failed b')).toBe('failed');
  });
});
