import { describe, expect, it } from 'vitest';
import type { AnomalySettings } from '../../../api/bodies';
import { initial, wire } from './settings-fields';

const settings: AnomalySettings = {
  cost: {
    threshold: '20%',
    threshold_percent: 20,
    window: '24h',
    window_hours: 24,
    baseline: '30d_average',
    baseline_days: 30,
    action: 'alert_and_analyze',
  },
  performance: {
    metrics: ['latency', 'error_rate', 'throughput'],
    sensitivity: 'medium',
    action: 'auto_investigate',
  },
  security: {
    behavioral_analysis: true,
    threat_intelligence: 'integrated',
    sensitivity: 'medium',
    action: 'alert_and_quarantine',
  },
  version: 2,
};

describe('detection settings', () => {
  it('are sent in the spelling in which they are answered', () => {
    expect(wire(initial(settings), 2)).toEqual({
      version: 2,
      cost: {
        threshold: '20%',
        window: '24h',
        baseline: '30d_average',
        action: 'alert_and_analyze',
      },
      performance: settings.performance,
      security: settings.security,
    });
  });
});
