// What the page reads off an iCalendar text before it is sent; the service reads it whole.

/** The service's own limit. */
export const MOST_BYTES = 1024 * 1024;

export interface Glance {
  events: number;
  name?: string;
}

/** How many events a text has, and the name it gives itself; folded lines (RFC 5545, 3.1) are joined first. */
export function glance(text: string): Glance {
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  const named = lines.find((line) => /^X-WR-CALNAME[;:]/i.test(line));
  return {
    events: lines.filter((line) => /^BEGIN:VEVENT\s*$/i.test(line)).length,
    name:
      named
        ?.slice(named.indexOf(':') + 1)
        .trim()
        .slice(0, 100) || undefined,
  };
}

/** What is wrong at first sight; nothing where the service is to judge. */
export function objection(text: string): string | undefined {
  if (text.trim() === '') return 'Choose a file, or paste its text';
  if (!/^\s*BEGIN:VCALENDAR/i.test(text))
    return 'This is no iCalendar text: it does not begin with BEGIN:VCALENDAR';
  return new TextEncoder().encode(text).length > MOST_BYTES ? 'It is larger than 1 MiB' : undefined;
}
