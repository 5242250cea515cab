// What the search page's fields ask of the service.
import type { Search } from '../../api/bodies';
import type { SearchFilters } from '../../addresses';
import { FACETS, spanOf } from './facets';

/** All but Reeve's own records of people reading the log. Alerts, exports and reports are activity like any other. */
export const WITHOUT_READS = 'NOT event_type:(audit.search OR audit.view OR audit.live)';

export const PERIODS: { value: string; label: string; hours: number }[] = [
  { value: '1h', label: 'Last hour', hours: 1 },
  { value: '24h', label: 'Last 24 hours', hours: 24 },
  { value: '7d', label: 'Last 7 days', hours: 168 },
  { value: '30d', label: 'Last 30 days', hours: 720 },
];

/** A period's name or a time, as a time. */
export function startOf(text: string | undefined, now: Date): string | undefined {
  if (!text) return undefined;
  const period = PERIODS.find(({ value }) => value === text);
  if (period) return new Date(now.getTime() - period.hours * 3_600_000).toISOString();
  if (text.startsWith('now')) return text;
  const given = new Date(text);
  return Number.isNaN(given.getTime()) ? undefined : given.toISOString();
}

/** A keyword as the query language has it: a phrase, or the beginning of a word where it ends with a star. */
export function phrase(keyword: string): string {
  if (/^[\p{L}\p{N}]+\*$/u.test(keyword)) return keyword;
  return `"${keyword.replace(/[\\"]/g, '\\$&')}"`;
}

/** Returns true if the question itself is about reading the log. */
export function asksForReads({ query = '', event_type = '' }: SearchFilters): boolean {
  return (
    /\bcategory:"?audit\b|\bevent_type:"?audit\b|\baudit\./i.test(query) ||
    event_type.startsWith('audit')
  );
}

export interface Composed {
  body: Search;
  /** How long the bars of the histogram are. */
  span: ReturnType<typeof spanOf>;
  /** How many characters stand before what was typed; positions in problems count from there. */
  shift: number;
}

export function compose(filters: SearchFilters, now: Date): Composed {
  const before: string[] = [];
  if (!filters.reads && !asksForReads(filters)) before.push(WITHOUT_READS);
  if (filters.keyword) before.push(phrase(filters.keyword));
  const typed = filters.query?.trim() ?? '';
  const prefix = before.join(' AND ');
  const wrapped = prefix && typed;
  const start_time = startOf(filters.start, now);
  const end_time = filters.end ? startOf(filters.end, now) : undefined;
  const span = spanOf(start_time, end_time, now);
  return {
    span,
    shift: wrapped ? prefix.length + ' AND ('.length : 0,
    body: {
      query: (wrapped ? `${prefix} AND (${typed})` : prefix + typed) || undefined,
      start_time,
      end_time,
      filters: {
        user: filters.user,
        resource: filters.resource,
        resource_id: filters.resource_id,
        resource_type: filters.resource_type,
        event_type: filters.event_type,
        status: filters.status,
        severity: filters.severity,
        ip_address: filters.ip_address,
      },
      aggregations: [...FACETS.map(({ field }) => field), `timestamp:${span}`],
      aggregation_limit: 8,
      limit: 50,
      sort: filters.sort,
    },
  };
}
