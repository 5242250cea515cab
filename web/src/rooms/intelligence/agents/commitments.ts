// Sentences about simulated commitments.

import type { CommitmentLevel, Portfolio } from '../../../api/bodies';
import { money, percent } from '../../../display/amounts';

/** The advice in one sentence: the safe level, or that none pays off. */
export function safeLevel({ safe }: Pick<Portfolio, 'safe'>): string {
  if (safe.hourly <= 0 || safe.savings_monthly <= 0)
    return 'no commitment would have saved anything in every week';
  return `commit ${money(safe.hourly)} an hour to save ${money(safe.savings_monthly)} a month`;
}

/** Risk that a level costs more than it saves. */
export function risk(
  level: Pick<CommitmentLevel, 'losing_weeks_percent' | 'room_percent' | 'hourly'>,
): string {
  if (level.hourly <= 0) return 'Nothing is committed, so nothing is at risk.';
  const weeks =
    level.losing_weeks_percent > 0
      ? `It would have lost money in ${percent(level.losing_weeks_percent)} of the weeks`
      : 'It would have lost money in no week';
  const room =
    level.room_percent > 0
      ? `use may fall by ${percent(level.room_percent)} before it does`
      : 'use is below break-even already';
  return `${weeks}; ${room}.`;
}
