// What the counts beside a search ask for, and how a click on a value changes the query.
import type { Count } from '../../api/bodies';

/** Fields whose values are counted beside a search, by the names of the query language. */
export const FACETS = [
  { field: 'event_type', label: 'Event type' },
  { field: 'user', label: 'User' },
  { field: 'severity', label: 'Severity' },
  { field: 'status', label: 'Status' },
] as const;

/** `field:value`, quoted where the language needs it. */
export function term(field: string, value: string): string {
  const plain = /^[\p{L}\p{N}_][\p{L}\p{N}_.@-]*$/u.test(value) && !/^(and|or|not)$/i.test(value);
  return `${field}:${plain ? value : `"${value.replace(/[\\"]/g, '\\$&')}"`}`;
}

/** The terms that stand side by side at the top of a query, as written, when nothing but AND joins them. */
function parts(query: string): string[] | undefined {
  const found: string[] = [];
  let rest = query.trim();
  while (rest !== '') {
    const one = /^((?:NOT\s+|-)?[\w.]+:(?:"(?:[^"\\]|\\.)*"|[^\s()"]+))(?:\s+AND)?(?:\s+|$)/.exec(
      rest,
    );
    if (!one?.[1]) return undefined;
    found.push(one[1]);
    rest = rest.slice(one[0].length);
  }
  return found;
}

/** Whether the query asks for exactly this beside its other terms. */
export function holds(query: string, wanted: string): boolean {
  return parts(query)?.includes(wanted) ?? false;
}

/** The query with the term, or without it when it had it. */
export function toggle(query: string, wanted: string): string {
  const terms = parts(query);
  const typed = query.trim();
  if (!terms) return `${/\bOR\b/.test(typed) ? `(${typed})` : typed} AND ${wanted}`;
  const kept = terms.filter((one) => one !== wanted);
  return (kept.length === terms.length ? [...terms, wanted] : kept).join(' AND ');
}

const HOUR = 3_600_000;

/** How long the bars are that show a period well. */
export function spanOf(
  start: string | undefined,
  end: string | undefined,
  now: Date,
): 'minute' | 'hour' | 'day' | 'week' | 'month' {
  if (!start) return 'day';
  const hours =
    ((end ? new Date(end).getTime() : now.getTime()) - new Date(start).getTime()) / HOUR;
  if (hours <= 3) return 'minute';
  if (hours <= 96) return 'hour';
  if (hours <= 24 * 120) return 'day';
  return hours <= 24 * 730 ? 'week' : 'month';
}

/** Counts with the empty spans between the first and the last, so that a quiet time looks quiet. */
export function filled(counts: Count[], span: ReturnType<typeof spanOf>): Count[] {
  const step = { minute: HOUR / 60, hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 0 }[
    span
  ];
  const first = counts[0];
  const last = counts.at(-1);
  if (!step || !first || !last) return counts;
  const from = new Date(first.value).getTime();
  const length = (new Date(last.value).getTime() - from) / step + 1;
  if (length > 2000) return counts;
  const known = new Map(counts.map(({ value, count }) => [new Date(value).getTime(), count]));
  return Array.from({ length }, (_, at) => ({
    value: new Date(from + at * step).toISOString(),
    count: known.get(from + at * step) ?? 0,
  }));
}
