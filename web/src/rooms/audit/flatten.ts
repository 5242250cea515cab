// Nested values as dotted paths.

/** Every leaf of an object with its dotted path; lists count as leaves unless they hold objects. */
export function flat(
  value: unknown,
  path = '',
  into = new Map<string, unknown>(),
): Map<string, unknown> {
  const nested = typeof value === 'object' && value !== null;
  const list = Array.isArray(value);
  const open = nested && (!list || value.some((item) => typeof item === 'object' && item !== null));
  const members = open ? Object.entries(value) : [];
  if (members.length === 0) {
    if (path) into.set(path, value);
    return into;
  }
  for (const [name, member] of members) flat(member, path ? `${path}.${name}` : name, into);
  return into;
}

export function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return JSON.stringify(value) ?? '';
}

export interface Line {
  path: string;
  before: unknown;
  after: unknown;
  kind: 'added' | 'removed' | 'changed' | 'same';
}

/** What differs between two states, by path. */
export function lines(before: unknown, after: unknown): Line[] {
  const old = flat(before ?? {});
  const now = flat(after ?? {});
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.map((path) => {
    const [was, is] = [old.get(path), now.get(path)];
    const kind = !old.has(path)
      ? 'added'
      : !now.has(path)
        ? 'removed'
        : JSON.stringify(was) === JSON.stringify(is)
          ? 'same'
          : 'changed';
    return { path, before: was, after: is, kind };
  });
}
