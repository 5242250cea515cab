// Sentences about simulated commitments.

import type { CommitmentLevel, Portfolio } from '../../../api/bodies';
import { money, percent, plural } from '../../../display/amounts';

/** Portfolios are simulated on the hours of whole weeks. */
const HOURS_OF_WEEK = 168;

/** The advice in one sentence: the safe level, or that none pays off. */
export function safeLevel({ safe }: Pick<Portfolio, 'safe'>): string {
  if (safe.hourly <= 0 || safe.savings_monthly <= 0)
    return 'no commitment would have saved anything in every week';
  return `commit ${money(safe.hourly)} an hour to save ${money(safe.savings_monthly)} a month`;
}

/** Risk that a level costs more than it saves, by so many hours on which it was simulated. */
export function risk(
  level: Pick<CommitmentLevel, 'losing_weeks_percent' | 'room_percent' | 'hourly'>,
  hours: number,
): string {
  if (level.hourly <= 0) return 'Nothing is committed, so nothing is at risk.';
  const weeks = Math.round(hours / HOURS_OF_WEEK);
  const losing = Math.round((weeks * level.losing_weeks_percent) / 100);
  const room =
    level.room_percent > 0
      ? `It still saves until use falls by ${percent(level.room_percent)}`
      : 'Use is below break-even already';
  return `In ${losing || 'none'} of ${plural(weeks, 'week')} it would have cost more than on demand. ${room}.`;
}
