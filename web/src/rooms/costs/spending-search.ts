// The address of the page of costs: what is grouped, narrowed and over which days.
import type { costsSearch } from '../../addresses';
import type { operations } from '../../api/schema';

export type SpendingParams = NonNullable<operations['get_costs_spending']['parameters']['query']>;

/** Properties of charges that the page groups by and narrows to, as the service names them. */
export const PROPERTIES = {
  service: 'Service',
  service_category: 'Service category',
  provider: 'Provider',
  account: 'Account',
  region: 'Region',
  resource: 'Resource',
  charge_category: 'Charge category',
  pricing_category: 'Pricing category',
} as const;

export type Property = keyof typeof PROPERTIES;

const NAMES = Object.keys(PROPERTIES) as Property[];

/** Where a row of each grouping leads: what is in the value, by the next property. */
const NEXT: Record<Property, Property> = {
  service: 'resource',
  service_category: 'service',
  provider: 'account',
  account: 'service',
  region: 'service',
  resource: 'charge_category',
  charge_category: 'service',
  pricing_category: 'service',
};

/** The address: filters, `by`, and the period as `days` up to the last billed one or as two days. */
export type SpendingSearch = ReturnType<typeof costsSearch>;

/** The question to the service; `billedUntil` is the last billed day, once it is known. */
export function paramsOf(search: SpendingSearch, billedUntil?: string): SpendingParams {
  const { days, ...rest } = search;
  if (rest.first_day || rest.last_day || !days || !billedUntil) return rest;
  return { ...rest, first_day: daysBefore(billedUntil, Number(days) - 1), last_day: billedUntil };
}

export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
}

/** The days of a period, from the first. */
export function daysFrom(first: string, days: number): string[] {
  return Array.from({ length: days }, (_, place) => daysBefore(first, -place));
}

export interface Filter {
  name: Property | 'tag';
  /** "Service: Amazon EC2". */
  label: string;
}

/** The filters in words. */
export function filtersOf(search: SpendingSearch): Filter[] {
  const filters: Filter[] = NAMES.filter((name) => search[name] !== undefined).map((name) => ({
    name,
    label: `${PROPERTIES[name]}: ${search[name] || 'not named in the bill'}`,
  }));
  if (search.tag !== undefined) {
    const [key = '', value] = splitTag(search.tag);
    filters.push({ name: 'tag', label: value ? `Tag: ${key}=${value}` : `Without tag: ${key}` });
  }
  return filters;
}

function splitTag(tag: string): [string, string] {
  const at = tag.indexOf('=');
  return at < 0 ? [tag, ''] : [tag.slice(0, at), tag.slice(at + 1)];
}

/** The address of what is in one group. */
export function drilled(search: SpendingSearch, value: string): SpendingSearch {
  const by = search.by ?? 'service';
  if (by.startsWith('tag:')) return { ...search, tag: `${by.slice(4)}=${value}`, by: 'service' };
  const property = by as Property;
  let next = NEXT[property];
  // A property that is narrowed already has one group.
  while (search[next] !== undefined && NEXT[next] !== next && next !== 'charge_category')
    next = NEXT[next];
  return { ...search, [property]: value, by: next };
}

/** How a group is named in the table and the chart. */
export function nameOf(group: { value: string; name?: string | null }, by: string): string {
  if (group.value === '')
    return by.startsWith('tag:') ? 'Without the tag' : 'Not named in the bill';
  return group.name || group.value;
}

/** Change against the period before, as a share; nothing where there was nothing before. */
export function changeOf(group: {
  total: number;
  previous_total?: number | null;
}): number | undefined {
  return group.previous_total && group.previous_total > 0
    ? group.total / group.previous_total - 1
    : undefined;
}
