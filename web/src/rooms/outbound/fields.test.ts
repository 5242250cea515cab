import { describe, expect, it } from 'vitest';
import type { ChannelField, ChannelType } from '../../api/channel-types';
import {
  channelFields,
  defaultOf,
  filterOf,
  filterParts,
  missingFields,
  settingsOf,
} from './fields';

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

function field(name: string, rest: Partial<ChannelField> = {}): ChannelField {
  const text = { label: name, description: '', placeholder: '', form: 'text' as const };
  return { name, ...text, required: false, choices: [], defaults: [], ...rest };
}

const PORT = field('port', {
  form: 'port',
  defaults: [{ value: '465', when: 'encryption', when_value: 'tls' }, { value: '587' }],
});
const SECRET = field('secret', { required: true });
const TYPES: ChannelType[] = [
  {
    type: 'email',
    label: 'E-mail',
    name_placeholder: 'Operations',
    settings: [
      field('host', { form: 'host', required: true }),
      PORT,
      field('encryption', { form: 'choice', defaults: [{ value: 'starttls' }] }),
      field('to', { form: 'mailboxes', required: true }),
    ],
    credential: field('secret'),
  },
  { type: 'slack', label: 'Slack', name_placeholder: '', settings: [], credential: SECRET },
  {
    type: 'pagerduty',
    label: 'PagerDuty',
    name_placeholder: '',
    settings: [field('url', { form: 'address' })],
    credential: SECRET,
  },
];

describe('settings of channels', () => {
  const given = channelFields(TYPES);
  const filled = {
    ...given,
    settings: {
      ...given.settings,
      host: ' smtp.acme.example ',
      port: '25',
      url: 'https://x.example',
    },
  };

  it.each([
    ['email', { host: 'smtp.acme.example', port: 25, encryption: 'starttls', to: [] }],
    ['slack', {}],
    ['pagerduty', { url: 'https://x.example' }],
  ])('%s has only its own', (type, settings) => {
    expect(
      settingsOf(
        TYPES.find((one) => one.type === type),
        filled,
      ),
    ).toEqual(settings);
  });

  it('follow the table in what must be given and what stands for an empty one', () => {
    expect(missingFields(TYPES[0], given, true)).toEqual({
      'settings.host': 'Enter a value',
      'settings.to': 'Enter a value',
    });
    expect(missingFields(TYPES[1], given, true)).toEqual({ secret: 'Enter a value' });
    expect(missingFields(TYPES[1], given, false)).toEqual({});

    expect(defaultOf(PORT, given)).toBe('587');
    const tls = { ...given, settings: { ...given.settings, encryption: 'tls' } };
    expect(defaultOf(PORT, tls)).toBe('465');
  });
});
