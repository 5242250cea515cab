// Periods of retention policies in words and as shares of a bar.
import { count, plural } from '../../../display/amounts';
import type { Policy } from './queries';

/** Days of a year, as the service counts them for a drawing; deletions follow the calendar. */
const YEAR_DAYS = 365;

export type Tier = 'hot' | 'warm' | 'cold';

/** Days in each tier. */
export function days(policy: Policy): Record<Tier, number> {
  return {
    hot: policy.hot_days,
    warm: policy.warm_days,
    cold: policy.cold_years * YEAR_DAYS,
  };
}

/** Whole time that entries stay, in words: "8 years and 90 days". */
export function kept(policy: Policy): string {
  const rest = policy.hot_days + policy.warm_days;
  const years = policy.cold_years + Math.floor(rest / YEAR_DAYS);
  const left = rest % YEAR_DAYS;
  return [years > 0 && plural(years, 'year'), left > 0 && plural(left, 'day')]
    .filter(Boolean)
    .join(' and ');
}

/** Length of a tier in words. */
export function length(policy: Policy, tier: Tier): string {
  if (tier === 'cold') return policy.cold_years ? plural(policy.cold_years, 'year') : 'none';
  const value = tier === 'hot' ? policy.hot_days : policy.warm_days;
  return value ? `${count(value)} ${value === 1 ? 'day' : 'days'}` : 'none';
}
