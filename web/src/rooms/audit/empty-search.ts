// Why a search found nothing: which of its parts keep entries out, and the address without each.
import { SEARCH_FIELDS, type SearchFilters } from '../../addresses';
import { asksForReads, PERIODS } from './compose';

export interface Cause {
  key: string;
  /** The part, as a heading. */
  label: string;
  /** What it is set to. */
  value: string;
  /** The words of the button that widens the search. */
  action: string;
  /** The address without the part. */
  without: SearchFilters;
}

const PARTS: [keyof SearchFilters, string, string][] = [
  ['event_type', 'Event type filter', 'Any event type'],
  ['query', 'Query', 'Remove the query'],
  ['keyword', 'Keyword', 'Remove the keyword'],
  ['user', 'User filter', 'Any user'],
  ['resource', 'Resource filter', 'Any resource'],
  ['resource_id', 'Resource id filter', 'Any resource'],
  ['resource_type', 'Resource type filter', 'Any resource type'],
  ['status', 'Status filter', 'Any status'],
  ['severity', 'Severity filter', 'Any severity'],
  ['ip_address', 'IP address filter', 'Any address'],
];

function leaving(filters: SearchFilters, names: (keyof SearchFilters)[]): SearchFilters {
  return Object.fromEntries(
    Object.entries(filters).filter(([name]) => !names.includes(name as keyof SearchFilters)),
  );
}

function periodOf({ start, end }: SearchFilters): string {
  const named = PERIODS.find(({ value }) => value === start)?.label;
  if (named && !end) return named;
  const spell = (text: string) => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : at.toLocaleString();
  };
  return [start && `from ${spell(start)}`, end && `to ${spell(end)}`].filter(Boolean).join(' ');
}

/** The parts of a search that may keep entries out; the time range first, as the most frequent. */
export function causesOf(filters: SearchFilters): Cause[] {
  const causes: Cause[] = [];
  if (filters.start || filters.end) {
    causes.push({
      key: 'period',
      label: 'Time range',
      value: periodOf(filters),
      action: 'Search all time',
      without: leaving(filters, ['start', 'end']),
    });
  }
  for (const [name, label, action] of PARTS) {
    const value = filters[name];
    if (value) causes.push({ key: name, label, value, action, without: leaving(filters, [name]) });
  }
  if (!filters.reads && !asksForReads(filters)) {
    causes.push({
      key: 'reads',
      label: 'Reads of the log',
      value: 'left out',
      action: 'Include reads of the log',
      without: { ...filters, reads: 'yes' },
    });
  }
  if (causes.length > 1) {
    causes.push({
      key: 'all',
      label: 'Several parts together',
      value: 'no entry meets all of them',
      action: 'Remove all filters',
      without: { reads: 'yes' },
    });
  }
  return causes;
}

/** The causes that apply, by how many entries each search without its part finds. All together count only where no single part does. */
export function applying(
  causes: Cause[],
  found: (number | undefined)[],
): { cause: Cause; found: number }[] {
  const with_entries = causes.flatMap((cause, at) =>
    found[at] ? [{ cause, found: found[at] }] : [],
  );
  const single = with_entries.filter(({ cause }) => cause.key !== 'all');
  return single.length > 0 ? single : with_entries;
}

/** What the reader may see of the log, by their permissions; `undefined` where it is all of it. */
export function visibility(may: (permission: string) => boolean): string | undefined {
  if (may('audit.view.all')) return undefined;
  return may('audit.view.team')
    ? 'You see only the entries of your teams.'
    : 'You see only your own entries.';
}

/** True if the address is one of a search without any narrowing. */
export function isWide(filters: SearchFilters): boolean {
  return SEARCH_FIELDS.every((name) => name === 'reads' || !filters[name]);
}
