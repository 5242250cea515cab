// Lists by a part of a resource's name. The service takes identifiers only, so that the names are looked up in the list without that filter.

interface Row {
  resource: { id: string; name?: string | null };
}

export interface Named {
  /** Identifier that the service filters by. */
  resource?: string;
  /** Identifiers of several resources that match: the page filters by them. */
  ids?: ReadonlySet<string>;
}

/** The filter for what was typed: one resource by its identifier, or several whose name or identifier contains the text. */
export function resourcesNamed(text: string | undefined, rows: Row[] | undefined): Named {
  if (!text) return {};
  const part = text.toLowerCase();
  const ids = new Set(
    rows
      ?.filter(({ resource: { id, name } }) => `${id}\n${name ?? ''}`.toLowerCase().includes(part))
      .map(({ resource: { id } }) => id),
  );
  if (ids.size === 0 || ids.has(text)) return { resource: text };
  return ids.size === 1 ? { resource: [...ids][0] } : { ids };
}
