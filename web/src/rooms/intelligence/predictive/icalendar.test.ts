import { describe, expect, it } from 'vitest';
import { glance, MOST_BYTES, objection } from './icalendar';

const TEXT =
  'BEGIN:VCALENDAR\r\nX-WR-CALNAME;VALUE=TEXT:Autumn\r\n  sales\r\nBEGIN:VEVENT\r\nSUMMARY:BEGIN:VEVENT\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n';

describe('an iCalendar text', () => {
  it('is glanced at', () => {
    expect(glance(TEXT)).toEqual({ events: 2, name: 'Autumn sales' });
    expect(glance('hello')).toEqual({ events: 0, name: undefined });
  });

  it.each([
    ['', /Choose a file/],
    ['hello', /no iCalendar/],
    [`BEGIN:VCALENDAR${'x'.repeat(MOST_BYTES)}`, /1 MiB/],
  ])('%.12s', (text, expected) => expect(objection(text)).toMatch(expected));
  it('is sent when it looks like one', () => expect(objection(TEXT)).toBeUndefined());
});
