// How an error budget is told and drawn.
import type { ErrorBudget } from '../../../api/bodies';

const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** Uptime needs its digits: 99.9976 % is not 100 %. */
export function uptimeOf(percent: number): string {
  return `${digits.format(percent)} %`;
}

/** Seconds in the two largest units that it has: `43 min 12 s`, `2 h`, `1 day 3 h`. */
export function lasting(seconds: number): string {
  let rest = Math.round(seconds);
  const parts = UNITS.map(([name, size]) => {
    const whole = Math.floor(rest / size);
    rest -= whole * size;
    return { whole, name: name === 'days' && whole === 1 ? 'day' : name };
  });
  const first = parts.findIndex(({ whole }) => whole > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(({ whole }) => whole > 0)
    .map(({ whole, name }) => `${whole} ${name}`)
    .join(' ');
}

const UNITS: [string, number][] = [
  ['days', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

/** The share at the right end of the bars, percent: the limit is always inside, and so is what is overdrawn. */
export function scaleOf(budgets: Pick<ErrorBudget, 'used'>[]): number {
  return Math.max(106, ...budgets.map(({ used }) => used * 1.02));
}

/** From four fifths on a budget runs short; at its end it is used up. */
export function levelOf(used: number): 'fine' | 'short' | 'gone' {
  if (used >= 100) return 'gone';
  return used >= 80 ? 'short' : 'fine';
}
