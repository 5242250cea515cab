import { describe, expect, it } from 'vitest';
import { settingsOf, textsOf } from './kinds';

describe('settings of a stream', () => {
  it('are those of the type that are given', () => {
    const texts = { host: ' syslog.example.com ', port: '6515', hostname: '', url: 'https://x' };
    expect(settingsOf('syslog', texts)).toEqual({ host: 'syslog.example.com', port: 6515 });
  });

  it('say whether a topic is encrypted', () => {
    const texts = { brokers: 'kafka:9092', topic: 'audit', tls: 'false' };
    expect(settingsOf('kafka', texts)).toEqual({
      brokers: 'kafka:9092',
      topic: 'audit',
      tls: false,
    });
  });

  it('are the texts that they were made of', () => {
    const settings = { namespace: 'acme', hub: 'audit', key_name: 'send' };
    expect(settingsOf('event_hub', textsOf(settings))).toEqual(settings);
  });
});
