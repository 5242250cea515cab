// What stands behind the `?` of an address. Unknown or malformed parts are dropped, never an error.

type Given = Record<string, unknown>;

function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function pick<Name extends string>(
  given: Given,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const picked: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = text(given[name]);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

export function signInSearch(given: Given) {
  return pick(given, ['next']);
}

export function recommendationFilters(given: Given) {
  return pick(given, [
    'status',
    'priority',
    'type',
    'min_confidence',
    'account',
    'resource',
    'applicability',
  ]);
}

export function anomalyFilters(given: Given) {
  return pick(given, ['type', 'status', 'resource']);
}

/** The approval, attack chain, firing or run that a notification leads to. */
export function approvalSearch(given: Given) {
  return pick(given, ['approval']);
}

export function chainSearch(given: Given) {
  return pick(given, ['chain']);
}

const COSTS = [
  'service',
  'service_category',
  'provider',
  'account',
  'region',
  'resource',
  'charge_category',
  'pricing_category',
  'tag',
  'by',
  'days',
  'first_day',
  'last_day',
  'currency',
] as const;

/** The charges that the page of costs shows. An empty filter is kept: charges for which the bill names no value. */
export function costsSearch(given: Given) {
  const kept: Partial<Record<(typeof COSTS)[number], string>> = {};
  for (const name of COSTS) {
    const value = given[name];
    if (['string', 'number', 'boolean'].includes(typeof value)) kept[name] = String(value);
  }
  return kept;
}

export function mapSearch(given: Given) {
  return pick(given, ['resource']);
}

export function firingSearch(given: Given) {
  return pick(given, ['firing']);
}

export function runSearch(given: Given) {
  return pick(given, ['run']);
}

export function rolloutFilters(given: Given) {
  return pick(given, ['status']);
}

export const SEARCH_FIELDS = [
  'query',
  'keyword',
  'user',
  'resource',
  'resource_id',
  'resource_type',
  'event_type',
  'status',
  'severity',
  'ip_address',
  'start',
  'end',
  'reads',
  'sort',
  'columns',
] as const;

export type SearchFilters = Partial<Record<(typeof SEARCH_FIELDS)[number], string>>;

export function searchFilters(given: Given): SearchFilters {
  return pick(given, SEARCH_FIELDS);
}

export function liveFilters(given: Given) {
  return pick(given, ['query', 'reads']);
}

export function resourceFilters(given: Given) {
  return pick(given, ['text', 'provider', 'type', 'connection', 'account', 'service', 'query']);
}
