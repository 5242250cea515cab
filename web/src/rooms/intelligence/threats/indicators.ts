// What the page reads off a list before it is sent, and the lines that the service refuses; the service reads it whole.
import { Problem } from '../../../api/problem';
import { plural } from '../../../display/amounts';

/** The service's own limit. */
export const MOST_BYTES = 8 * 1024 * 1024;
/** Errors that the service tells of one list at most. */
export const MOST_ERRORS = 20;

/** What a list seems to hold: `2 addresses, 1 network, 1 program`; empty where no line holds anything. */
export function glance(text: string): string {
  let [addresses, networks, programs] = [0, 0, 0];
  for (const line of text.split('\n')) {
    const value = line.split('#', 1)[0]?.split(',', 1)[0]?.trim() ?? '';
    if (value.startsWith('user_agent:')) programs += 1;
    else if (value.includes('/')) networks += 1;
    else if (value !== '') addresses += 1;
  }
  return [
    addresses > 0 && plural(addresses, 'address', 'addresses'),
    networks > 0 && plural(networks, 'network'),
    programs > 0 && plural(programs, 'program'),
  ]
    .filter(Boolean)
    .join(', ');
}

/** What is wrong at first sight; nothing where the service is to judge. */
export function objection(text: string): string | undefined {
  if (text.trim() === '') return 'Choose a file, or paste indicators';
  if (new TextEncoder().encode(text).length > MOST_BYTES) return 'It is larger than 8 MiB';
  return glance(text) === '' ? 'No indicator found' : undefined;
}

export interface WrongLine {
  line: number;
  message: string;
}

/** Lines that were refused, counted from 1. */
export function wrongLines(error: unknown): WrongLine[] {
  if (!(error instanceof Problem)) return [];
  return error.errors.flatMap(({ field, message }) => {
    const line = /^indicators\[(\d+)\]$/.exec(field)?.[1];
    return line ? [{ line: Number(line), message }] : [];
  });
}

/** Where a line stands in the text, for selecting it. */
export function spanOf(text: string, line: number): [start: number, end: number] {
  let start = 0;
  for (let at = 1; at < line; at += 1) {
    const next = text.indexOf('\n', start);
    if (next < 0) return [start, text.length];
    start = next + 1;
  }
  const end = text.indexOf('\n', start);
  return [start, end < 0 ? text.length : end];
}

/** A file's name as the name of a list. */
export function nameOfFile(file: string): string {
  return file.replace(/\.(txt|csv|list)$/i, '').slice(0, 128);
}
