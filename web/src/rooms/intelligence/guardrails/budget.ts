// How an error budget is told and drawn.
import type { ErrorBudget } from '../../../api/bodies';

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** Uptime needs its digits: 99.9976 % is not 100 %. */
export function uptimeOf(percent: number): string {
  return `${digits.format(percent)} %`;
}

/** The share at the right end of the bars, percent: the limit is always inside, and so is what is overdrawn. */
export function scaleOf(budgets: Pick<ErrorBudget, 'used'>[]): number {
  return Math.max(106, ...budgets.map(({ used }) => used * 1.02));
}

/** From four fifths on a budget runs short; at its end it is used up. */
export function levelOf(used: number): 'fine' | 'short' | 'gone' {
  if (used >= 100) return 'gone';
  return used >= 80 ? 'short' : 'fine';
}
