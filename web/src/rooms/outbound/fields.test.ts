import { describe, expect, it } from 'vitest';
import { channelFields, filterOf, filterParts, settingsOf } from './fields';

describe('filters of webhooks', () => {
  it('are taken apart and put together', () => {
    expect(filterParts('priority=high, type=security')).toEqual({
      priority: 'high',
      type: 'security',
    });
    expect(filterParts('')).toEqual({});
    expect(filterOf({ type: 'security', priority: 'high' }, 'recommendation_ready')).toBe(
      'priority=high,type=security',
    );
  });

  it('keep only what the event knows', () => {
    expect(filterOf({ impact: 'low', type: 'cost' }, 'anomaly_detected')).toBe('type=cost');
    expect(filterOf({ impact: 'low' }, 'action_completed')).toBe('impact=low');
  });
});

describe('settings of channels', () => {
  const given = channelFields(undefined);
  const filled = {
    ...given,
    settings: {
      ...given.settings,
      host: ' smtp.acme.example ',
      from: 'r@acme.example',
      to: ['ops@acme.example'],
      url: 'https://events.eu.pagerduty.com/v2/enqueue',
    },
  };

  it.each([
    [
      'email',
      {
        host: 'smtp.acme.example',
        port: undefined,
        encryption: 'starttls',
        username: undefined,
        from: 'r@acme.example',
        to: ['ops@acme.example'],
      },
    ],
    ['slack', {}],
    ['teams', {}],
    ['pagerduty', { url: 'https://events.eu.pagerduty.com/v2/enqueue' }],
  ])('%s has only its own', (type, settings) => {
    expect(settingsOf({ ...filled, type })).toEqual(settings);
  });
});
