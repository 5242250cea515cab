// The course of an anomaly: how it was answered, and which span of time shows it.
import type { Anomaly } from '../../../api/bodies';

/** The order in which the service answers. */
export const STAGES = ['alert', 'investigate', 'recommend', 'execute', 'learn'];

export interface Stage {
  stage: string;
  at?: string;
  detail?: string;
}

/** What was recorded, as it was recorded; after it what has not happened (yet), in the service's order. */
export function courseOf({ responses }: Pick<Anomaly, 'responses'>): Stage[] {
  const missing = STAGES.filter((stage) => !responses.some((one) => one.stage === stage));
  return [...responses, ...missing.map((stage) => ({ stage }))];
}

const HOUR_MS = 3_600_000;

/** From a day before it began, or three times as long as it lasted, to some hours after it ended; never into the future. */
export function shownSpan(
  { started_at, last_at }: Pick<Anomaly, 'started_at' | 'last_at'>,
  now = Date.now(),
): { from: string; to: string } {
  const [begun, last] = [new Date(started_at).getTime(), new Date(last_at).getTime()];
  const lasted = Math.max(0, last - begun);
  const from = begun - Math.max(24 * HOUR_MS, 3 * lasted);
  // Rounded, so that a page that is drawn again asks for the same.
  const nowRounded = Math.floor(now / (5 * 60_000)) * 5 * 60_000;
  const to = Math.max(last + 60_000, Math.min(nowRounded, last + Math.max(6 * HOUR_MS, lasted)));
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** How far from what was expected, in words that fit a table. */
export function deviation(percent: number | null | undefined): string {
  if (percent == null) return '';
  const whole = Math.round(Math.abs(percent));
  if (whole >= 1000) return `${Math.round(whole / 100) + 1} times as much`;
  return `${whole} % ${percent >= 0 ? 'above' : 'below'}`;
}

/** A threshold as a sentence: as configured, raised or lowered. */
export function factorText(factor: number): string {
  const times = Number(factor.toFixed(2));
  if (times === 1) return 'Edge of the expected range (default)';
  return times > 1
    ? `Raised to ${times} × the expected range`
    : `Lowered to ${times} × the expected range`;
}
