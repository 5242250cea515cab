import { describe, expect, it } from 'vitest';
import { driftsInWords, readTags, scopeInWords } from './forms';
import type { Baseline } from './queries';

const baseline = (scope: Partial<Baseline['scope']>) =>
  ({ scope: { connections: [], kinds: [], tags: {}, ...scope } }) as unknown as Baseline;

describe('wording of drifts', () => {
  it('says what a baseline covers', () => {
    expect(scopeInWords(baseline({}))).toBe('All kinds · all connections');
    const names = new Map([['c-1', 'acme']]);
    expect(
      scopeInWords(
        baseline({ kinds: ['security_group'], connections: ['c-1'], tags: { env: 'prod' } }),
        names,
      ),
    ).toBe('Security group · acme · env=prod');
  });

  it('counts what waits and what is accepted', () => {
    expect(driftsInWords({ open: 0, accepted: 0, resolved: 4 })).toBe('None');
    expect(driftsInWords({ open: 2, accepted: 1, resolved: 0 })).toBe('2 open, 1 accepted');
  });

  it('reads tags', () => {
    expect(readTags('env=prod, team = shop,')).toEqual({ env: 'prod', team: 'shop' });
    expect(readTags('url=a=b')).toEqual({ url: 'a=b' });
    expect(readTags(' ')).toEqual({});
  });
});
