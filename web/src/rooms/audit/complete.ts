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
  /** Where it ends: what is behind the caret and belongs to it is replaced as well. */
  end: number;
  /** The field before the colon, if there is one. */
  field?: string;
  /** The part before the caret. */
  typed: string;
}

/** The word at the caret; none inside quotes, or where an operator stands. */
function wordAt(text: string, caret: number): Word | undefined {
  const head = text.slice(0, caret);
  const rest = text.slice(caret);
  if ((head.match(/(?<!\\)"/g) ?? []).length % 2 === 1 || rest.startsWith('"')) return undefined;
  const word = /(?:^|[\s(])-?([^\s()"]*)$/.exec(head)?.[1];
  if (!word) return undefined;
  const colon = word.indexOf(':');
  const length = (part: RegExp) => part.exec(rest)?.[0].length ?? 0;
  if (colon < 0) {
    return { start: caret - word.length, end: caret + length(/^[^\s()":]*/), typed: word };
  }
  const typed = word.slice(colon + 1);
  if (/^[<>=/[{]/.test(typed)) return undefined;
  return {
    start: caret - typed.length,
    end: caret + length(/^[^\s()"]*/),
    field: word.slice(0, colon),
    typed,
  };
}

/** The field whose values could stand at the caret and the table does not have. */
export function askedField(text: string, caret: number, fields: QueryField[]): string | undefined {
  const word = wordAt(text, caret);
  const name = word?.field?.toLowerCase();
  if (name === undefined || word?.typed.startsWith('@')) return undefined;
  const field = fields.find((one) => one.name === name);
  if (field) return field.kind === 'text' || field.kind === 'address' ? name : undefined;
  return /^(metadata|changes\.(before|after)|resource\.tags|tags)\.[\w.-]+$/.test(name)
    ? name
    : undefined;
}

/** Whole queries that the typed one may become, with what completes it at the caret. */
export function completions(
  text: string,
  caret: number,
  fields: QueryField[],
  values: string[],
  lists: string[],
): string[] {
  const word = wordAt(text, caret);
  if (!word) return [];
  const typed = word.typed.toLowerCase();
  const fits = (candidate: string) =>
    candidate.toLowerCase().startsWith(typed) && candidate.toLowerCase() !== typed;
  const [before, after] = [text.slice(0, word.start), text.slice(word.end)];
  const whole = (parts: string[]) =>
    parts.map((part) => before + part + after).filter((query) => query !== text);
  if (word.field === undefined) {
    // A colon that is there already is not written twice.
    const mark = (open: boolean) => (after.startsWith(':') ? '' : open ? '.' : ':');
    return whole(
      fields
        .filter(({ name }) => fits(name))
        .map(({ name, kind }) => name + mark(kind === 'open' && name !== 'changes')),
    );
  }
  if (typed.startsWith('@')) return whole(lists.map((name) => `@${name}`).filter(fits));
  const closed = fields.find(({ name }) => name === word.field?.toLowerCase())?.values ?? [];
  return whole([...closed, ...values].filter(fits).map((value) => term('', value).slice(1)));
}

/** Where the caret stands in a completed query: behind what was completed. */
export function caretAfter(text: string, caret: number, whole: string): number {
  const end = wordAt(text, caret)?.end ?? text.length;
  return whole.length - (text.length - end);
}

/** The part of a completed query that was added or changed, for a list of choices. */
export function completed(text: string, caret: number, whole: string): string {
  return whole.slice(wordAt(text, caret)?.start ?? 0, caretAfter(text, caret, whole));
}
