// From what the dashboard counts to the search that shows the same entries.
import type { SearchFilters } from '../../addresses';
import { term } from './facets';

export const FAILED_QUERY = 'status:(failed OR denied)';

/** The period that ends at a time, so many hours long. Both ends are fixed: the search finds what was counted. */
export function periodAt(at: number, hours: number): SearchFilters {
  return { start: new Date(at - hours * 3_600_000).toISOString(), end: new Date(at).toISOString() };
}

const quoted = (field: string, value: string) => `${field}:"${value.replace(/[\\"]/g, '\\$&')}"`;

/** Entries counted under a user: by e-mail address, else by identifier. An identifier alone must not find those that have an address too. */
export function searchOfUser(value: string): SearchFilters {
  return value.includes('@') && !value.includes('*')
    ? { user: value }
    : { query: `${quoted('actor.id', value)} AND NOT actor.email:*` };
}

/** Entries counted under a resource. */
export function searchOfResource(value: string): SearchFilters {
  return value.includes('*') ? { query: term('resource.id', value) } : { resource_id: value };
}
