// The form of the detection settings: numbers under the names of the wire's fields.
import type { AnomalySettings } from '../../../api/bodies';
import { asHours, asPercent } from '../../../api/quantities';
import type { components } from '../../../api/schema';

type Amount = number | string;

export interface SettingsFields {
  cost: { threshold: Amount; window: Amount; baseline: Amount; action: string };
  performance: AnomalySettings['performance'];
  security: {
    behavioral_analysis: boolean;
    threat_intelligence: boolean;
    sensitivity: string;
    action: string;
  };
}

export function initial({ cost, performance, security }: AnomalySettings): SettingsFields {
  return {
    cost: {
      threshold: cost.threshold_percent,
      window: cost.window_hours,
      baseline: cost.baseline_days,
      action: cost.action,
    },
    performance: {
      ...performance,
      sensitivity: performance.sensitivity as components['schemas']['Sensitivity'],
    },
    security: { ...security, threat_intelligence: security.threat_intelligence === 'integrated' },
  };
}

export function wire(
  { cost, performance, security }: SettingsFields,
  version: number,
): components['schemas']['AnomalySettingsPut'] {
  return {
    version,
    cost: {
      threshold: asPercent(cost.threshold),
      window: asHours(cost.window),
      baseline: `${cost.baseline}d_average`,
      action: cost.action,
    },
    performance,
    security: {
      ...security,
      sensitivity: security.sensitivity as components['schemas']['Sensitivity'],
      threat_intelligence: security.threat_intelligence ? 'integrated' : 'disabled',
    },
  };
}
