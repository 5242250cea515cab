// Sentences of the service in pieces: plain text, identifiers that have a name, and times.

export type Piece =
  { kind: 'text' | 'time'; text: string } | { kind: 'name'; text: string; name: string };

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** Splits a sentence. An identifier counts only as a whole: not as a part of a longer one. */
export function pieces(text: string, resource?: { id: string; name: string }): Piece[] {
  const named = resource && resource.name && resource.name !== resource.id ? resource : undefined;
  const whole = named ? `(?<![\\w-])${escaped(named.id)}(?![\\w-])|` : '';
  const found = new RegExp(`${whole}${TIME.source}`, 'g');
  const all: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(found)) {
    if (match.index > at) all.push({ kind: 'text', text: text.slice(at, match.index) });
    const [part] = match;
    all.push(
      named && part === named.id
        ? { kind: 'name', text: part, name: named.name }
        : { kind: 'time', text: part },
    );
    at = match.index + part.length;
  }
  if (at < text.length) all.push({ kind: 'text', text: text.slice(at) });
  return all;
}
