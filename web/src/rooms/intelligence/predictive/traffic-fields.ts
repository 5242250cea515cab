// The form of traffic intelligence, and how it goes over the wire.
import type { TrafficIntelligence } from '../../../api/bodies';
import type { components } from '../../../api/schema';

export interface TrafficFields {
  learn_patterns: boolean;
  seasonal_adjustments: boolean;
  event_awareness: boolean;
  pre_scale: string;
  warm_cache: string;
  prepare_failover: string;
}

/** A preparation that is switched off is an empty field. */
const shown = (lead: string | null | undefined) =>
  lead == null || lead === 'disabled' ? '' : lead;

export function trafficFields(of: TrafficIntelligence): TrafficFields {
  return {
    learn_patterns: of.learn_patterns,
    seasonal_adjustments: of.seasonal_adjustments,
    event_awareness: of.event_awareness !== 'disabled',
    pre_scale: shown(of.pre_scale),
    warm_cache: shown(of.warm_cache),
    prepare_failover: shown(of.prepare_failover_lead),
  };
}

export function asTraffic(
  fields: TrafficFields,
  version: number,
): components['schemas']['TrafficIntelligencePut'] {
  const lead = (text: string) => text.trim() || 'disabled';
  return {
    learn_patterns: fields.learn_patterns,
    seasonal_adjustments: fields.seasonal_adjustments,
    event_awareness: fields.event_awareness ? 'calendar_integration' : 'disabled',
    pre_scale: lead(fields.pre_scale),
    warm_cache: lead(fields.warm_cache),
    prepare_failover: lead(fields.prepare_failover),
    version,
  };
}
