// Objectives in words.
import { measured, plural } from '../../../display/amounts';
import { metricLabel, unitOf } from '../../../display/metric-names';
import type { Objective } from './queries';

export const METRICS = ['response_time', 'error_rate', 'queue_depth', 'user_experience_score'];
export const WINDOWS = ['7', '28', '30'];

/** The target of an objective: `Response time at most 200 ms`. */
export function targetWords({
  metric,
  target,
  is_least,
}: Pick<Objective, 'metric' | 'target' | 'is_least'>): string {
  const side = is_least ? 'at least' : 'at most';
  return `${metricLabel(metric) ?? metric} ${side} ${measured(target, unitOf(metric))}`;
}

/** Share of the time and window: `99.9 % of 28 days`. */
export function shareWords({
  share_percent,
  window_days,
}: Pick<Objective, 'share_percent' | 'window_days'>): string {
  return `${share_percent}\u00a0% of ${plural(window_days, 'day')}`;
}

/** The resource or tag that an objective is about. */
export function serviceWords({ service }: Pick<Objective, 'service'>): string {
  return service.tag ? `${service.tag.name}=${service.tag.value}` : (service.resource_id ?? '');
}

/** Rate at which a budget is used: `2.5 times` what the window allows. */
export function burnWords(burn: number): string {
  const rounded = burn >= 10 ? burn.toFixed(0) : burn.toFixed(1);
  return `${rounded} times`;
}

/** Target as people type it, and as the service takes it: milliseconds of an answer. */
export function typedTarget(metric: string, target: number): number {
  return metric === 'response_time' ? Math.round(target * 1_000_000) / 1000 : target;
}
export function sentTarget(metric: string, typed: number): number {
  return metric === 'response_time' ? typed / 1000 : typed;
}

/** Unit of the target as people type it. */
export function typedUnit(metric: string): string {
  if (metric === 'response_time') return 'Milliseconds';
  return metric === 'queue_depth' ? 'Messages' : 'Percent';
}
