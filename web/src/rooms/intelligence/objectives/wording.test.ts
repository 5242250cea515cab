import { describe, expect, it } from 'vitest';
import { burnWords, sentTarget, serviceWords, shareWords, typedTarget } from './wording';

describe('objectives in words', () => {
  it('states the share and the service', () => {
    expect(shareWords({ share_percent: 99.9, window_days: 28 })).toBe('99.9\u00a0% of 28 days');
    expect(
      serviceWords({ service: { resource_id: null, tag: { name: 'team', value: 'shop' } } }),
    ).toBe('team=shop');
    expect(serviceWords({ service: { resource_id: 'lb', tag: null } })).toBe('lb');
  });

  it.each([
    [0.04, '0.0 times'],
    [2.46, '2.5 times'],
    [14.4, '14 times'],
  ])('%d is %s', (burn, words) => expect(burnWords(burn)).toBe(words));

  it('takes milliseconds for seconds and other units as they are', () => {
    expect(typedTarget('response_time', 0.2)).toBe(200);
    expect(sentTarget('response_time', 200)).toBe(0.2);
    expect(sentTarget('error_rate', 1)).toBe(1);
  });
});
