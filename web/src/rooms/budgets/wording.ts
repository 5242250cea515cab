// Budgets in words.
import type { components } from '../../api/schema';

type Scope = components['schemas']['BudgetScopeBody'];

export function scopeWords({
  providers = [],
  accounts = [],
  services = [],
  tags = [],
}: Scope): string {
  const parts = [
    ...providers,
    ...accounts,
    ...services,
    ...tags.map(({ name, value }) => `${name}=${value}`),
  ];
  return parts.length ? parts.join(', ') : 'All charges';
}

export function basisWords(basis: string): string {
  return basis === 'forecast' ? 'of the forecast' : 'of actual charges';
}

/** Values that people separate by commas. */
export function listed(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Tags as `name=value`, separated by commas; `undefined` when one is not of that form. */
export function tagsOf(text: string): { name: string; value: string }[] | undefined {
  const tags = listed(text).map((part) => ({
    name: part.slice(0, Math.max(0, part.indexOf('='))).trim(),
    value: part.slice(part.indexOf('=') + 1).trim(),
  }));
  return tags.every(({ name }) => name !== '') ? tags : undefined;
}

/** Thresholds as `80`, or `100 forecast`, separated by commas; `undefined` when one is not of that form. */
export function thresholdsOf(text: string): { percent: number; basis: string }[] | undefined {
  const thresholds = listed(text).map((part) => {
    const read = /^(\d{1,4})\s*%?\s*(forecast|actual)?$/i.exec(part);
    return read
      ? { percent: Number(read[1]), basis: (read[2] ?? 'actual').toLowerCase() }
      : undefined;
  });
  return thresholds.every((threshold) => threshold !== undefined) ? thresholds : undefined;
}

export function thresholdWords(thresholds: { percent: number; basis: string }[]): string {
  return thresholds
    .map(({ percent, basis }) => (basis === 'forecast' ? `${percent} forecast` : `${percent}`))
    .join(', ');
}
