import { describe, expect, it } from 'vitest';
import { scopeWords, tagsOf, thresholdWords, thresholdsOf } from './wording';

describe('budgets in words', () => {
  it('reads thresholds as they are written', () => {
    expect(thresholdsOf('50, 80 %, 100 forecast')).toEqual([
      { percent: 50, basis: 'actual' },
      { percent: 80, basis: 'actual' },
      { percent: 100, basis: 'forecast' },
    ]);
    expect(thresholdsOf('half')).toBeUndefined();
    expect(
      thresholdWords([
        { percent: 50, basis: 'actual' },
        { percent: 100, basis: 'forecast' },
      ]),
    ).toBe('50, 100 forecast');
  });

  it('reads tags, also with an equals sign in the value', () => {
    expect(tagsOf('env=prod, rule=a=b')).toEqual([
      { name: 'env', value: 'prod' },
      { name: 'rule', value: 'a=b' },
    ]);
    expect(tagsOf('env')).toBeUndefined();
    expect(tagsOf('')).toEqual([]);
  });

  it('says what counts', () => {
    expect(scopeWords({ providers: [], accounts: [], services: [], tags: [] })).toBe('All charges');
    expect(
      scopeWords({
        providers: [],
        accounts: [],
        services: ['Amazon EC2'],
        tags: [{ name: 'env', value: 'prod' }],
      }),
    ).toBe('Amazon EC2, env=prod');
  });
});
