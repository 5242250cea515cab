import { describe, expect, it } from 'vitest';
import { asTraffic, trafficFields } from './traffic-fields';

const read = {
  learn_patterns: true,
  seasonal_adjustments: false,
  event_awareness: 'calendar_integration',
  pre_scale: '15m',
  warm_cache: 'disabled',
  prepare_failover: 'maintenance_windows',
  prepare_failover_lead: '1h',
  rules: {},
  version: 3,
};

describe('traffic intelligence', () => {
  it('shows lead times, and nothing where a preparation is off', () => {
    expect(trafficFields(read)).toMatchObject({
      event_awareness: true,
      pre_scale: '15m',
      warm_cache: '',
      prepare_failover: '1h',
    });
  });

  it('sends the spelling of requirements A-208 to A-213', () => {
    expect(asTraffic({ ...trafficFields(read), prepare_failover: ' ' }, 3)).toEqual({
      learn_patterns: true,
      seasonal_adjustments: false,
      event_awareness: 'calendar_integration',
      pre_scale: '15m',
      warm_cache: 'disabled',
      prepare_failover: 'disabled',
      version: 3,
    });
  });
});
