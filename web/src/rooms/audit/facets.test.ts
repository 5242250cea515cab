import { describe, expect, it } from 'vitest';
import { filled, holds, spanOf, term, toggle } from './facets';

describe('facets', () => {
  it.each([
    ['event_type', 'authentication.login', 'event_type:authentication.login'],
    ['user', 'sarah@acme.example', 'user:sarah@acme.example'],
    ['user', 'arn:aws:iam::1:user/x', 'user:"arn:aws:iam::1:user/x"'],
    ['user', 'say "hi" \\', 'user:"say \\"hi\\" \\\\"'],
    ['status', 'or', 'status:"or"'],
    ['user', 'a*', 'user:"a*"'],
  ])('%s is %s', (field, value, expected) => {
    expect(term(field, value)).toBe(expected);
  });

  it.each([
    ['', 'status:failed', 'status:failed'],
    ['status:failed', 'status:failed', ''],
    ['a:1 AND status:failed AND b:"x y"', 'status:failed', 'a:1 AND b:"x y"'],
    ['a:1 b:2', 'c:3', 'a:1 AND b:2 AND c:3'],
    ['NOT a:1', 'a:1', 'NOT a:1 AND a:1'],
    ['a:1 OR b:2', 'c:3', '(a:1 OR b:2) AND c:3'],
    ['backup', 'c:3', 'backup AND c:3'],
    ['user:"c:3 AND x"', 'c:3', 'user:"c:3 AND x" AND c:3'],
  ])('%j with %s toggled is %j', (query, wanted, expected) => {
    expect(toggle(query, wanted)).toBe(expected);
    if (query === '' || /^[a-z]+:/.test(query))
      expect(holds(expected, wanted)).toBe(!holds(query, wanted) && !query.includes(' OR '));
  });

  it('chooses bars that show the period', () => {
    const now = new Date('2026-11-20T12:00:00Z');
    expect(spanOf('2026-11-20T11:00:00Z', undefined, now)).toBe('minute');
    expect(spanOf('2026-11-18T12:00:00Z', undefined, now)).toBe('hour');
    expect(spanOf('2026-10-21T12:00:00Z', undefined, now)).toBe('day');
    expect(spanOf('2025-12-01T00:00:00Z', undefined, now)).toBe('week');
    expect(spanOf('2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z', now)).toBe('month');
    expect(spanOf(undefined, undefined, now)).toBe('day');
  });

  it('shows quiet times', () => {
    const counts = [
      { value: '2026-11-20T10:00:00.000Z', count: 3 },
      { value: '2026-11-20T12:00:00.000Z', count: 1 },
    ];
    expect(filled(counts, 'hour').map(({ count }) => count)).toEqual([3, 0, 1]);
    expect(filled(counts, 'month')).toBe(counts);
    expect(filled([], 'hour')).toEqual([]);
  });
});
