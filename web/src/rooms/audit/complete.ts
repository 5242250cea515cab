// What may follow in a query that is being typed: names of fields, and values of the field that was named.
import { term } from './facets';

/** A field as the service describes it. */
export interface QueryField {
  name: string;
  kind: string;
  values: string[];
}

interface Word {
  /** Where the part to complete begins. */
  start: number;
  /** The field before the colon, if there is one. */
  field?: string;
  typed: string;
}

/** The word at the end of a query; none inside quotes, or where an operator stands. */
function wordAt(text: string): Word | undefined {
  if ((text.match(/(?<!\\)"/g) ?? []).length % 2 === 1) return undefined;
  const word = /(?:^|[\s(])-?([^\s()"]*)$/.exec(text)?.[1];
  if (!word) return undefined;
  const colon = word.indexOf(':');
  if (colon < 0) return { start: text.length - word.length, typed: word };
  const typed = word.slice(colon + 1);
  if (/^[<>=/[{]/.test(typed)) return undefined;
  return { start: text.length - typed.length, field: word.slice(0, colon), typed };
}

/** The field whose values the query could be completed with and the table does not have. */
export function askedField(text: string, fields: QueryField[]): string | undefined {
  const name = wordAt(text)?.field?.toLowerCase();
  if (name === undefined || wordAt(text)?.typed.startsWith('@')) return undefined;
  const field = fields.find((one) => one.name === name);
  if (field) return field.kind === 'text' || field.kind === 'address' ? name : undefined;
  return /^(metadata|changes\.(before|after)|resource\.tags|tags)\.[\w.-]+$/.test(name)
    ? name
    : undefined;
}

/** Whole queries that the typed one may become, with what completes it at their end. */
export function completions(
  text: string,
  fields: QueryField[],
  values: string[],
  lists: string[],
): string[] {
  const word = wordAt(text);
  if (!word) return [];
  const typed = word.typed.toLowerCase();
  const fits = (candidate: string) =>
    candidate.toLowerCase().startsWith(typed) && candidate.toLowerCase() !== typed;
  const before = text.slice(0, word.start);
  if (word.field === undefined) {
    return fields
      .filter(({ name }) => fits(name))
      .map(
        ({ name, kind }) => `${before}${name}${kind === 'open' && name !== 'changes' ? '.' : ':'}`,
      );
  }
  if (typed.startsWith('@'))
    return lists
      .map((name) => `@${name}`)
      .filter(fits)
      .map((name) => before + name);
  const closed = fields.find(({ name }) => name === word.field?.toLowerCase())?.values ?? [];
  return [...closed, ...values].filter(fits).map((value) => before + term('', value).slice(1));
}

/** The part of a completed query that was added or changed, for a list of choices. */
export function completed(text: string, whole: string): string {
  return whole.slice(wordAt(text)?.start ?? 0);
}
