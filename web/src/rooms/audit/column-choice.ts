// Columns that somebody chose for the entries of a search: in the address, in a saved search, and as this browser's own.

/** Columns of the search page, by the names of the query language. */
export const USUAL_COLUMNS = ['timestamp', 'event_type', 'status', 'user', 'resource.id'];
/** Columns at most: more do not fit on a page. */
export const MOST_COLUMNS = 12;
const KEY = 'reeve.audit.columns';

/** The columns of an address, else those that this browser keeps, else the usual ones. */
export function chosenColumns(given: string | undefined): string[] {
  const names = (given ?? kept() ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length > 0 ? [...new Set(names)].slice(0, MOST_COLUMNS) : USUAL_COLUMNS;
}

/** Keeps columns for the next visit; without any the usual ones are shown again. */
export function keepColumns(names: string[]) {
  try {
    if (names.length === 0 || names.join() === USUAL_COLUMNS.join()) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, names.join());
  } catch {
    // Without storage the choice lasts as long as the address.
  }
}

function kept(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The value of a field in an entry, by its dotted name; the same fields that the query language has. */
export function valueAt(entry: unknown, name: string): string | undefined {
  const text = (value: unknown): string | undefined => {
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return value.map((one) => text(one) ?? '').join(', ') || undefined;
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const walk = (value: unknown, rest: string): unknown => {
    if (rest === '') return value;
    if (typeof value !== 'object' || value === null) return undefined;
    const members = value as Record<string, unknown>;
    // The name of a member may have dots itself.
    if (rest in members) return members[rest];
    for (let at = rest.indexOf('.'); at > 0; at = rest.indexOf('.', at + 1)) {
      const found =
        rest.slice(0, at) in members
          ? walk(members[rest.slice(0, at)], rest.slice(at + 1))
          : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return text(walk(entry, name.replaceAll('"', '')));
}
