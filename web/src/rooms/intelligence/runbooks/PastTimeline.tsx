import { Group, Stack, Text } from '@mantine/core';
import { plural } from '../../../display/amounts';
import { durationInWords } from '../../../display/durations';
import { day, minuteTime } from '../../../display/instants';
import type { Trial } from './queries';

/** Resources that are drawn. */
const DRAWN = 12;

/** When a condition held in the past: a line for each resource that had the issue. */
export function PastTimeline({ of }: { of: Trial }) {
  const begin = Date.parse(of.from);
  const length = Math.max(1, Date.parse(of.to) - begin);
  const place = (text: string) => ((Date.parse(text) - begin) / length) * 100;
  const undecided =
    of.undecided > 0 ? ` ${plural(of.undecided, 'resource')} lack the data to decide now.` : '';
  const leftOut = of.left_out > 0 ? ` ${plural(of.left_out, 'resource')} were left out.` : '';
  const drawn = of.items.slice(0, DRAWN);
  const rest = of.found_total - drawn.length;

  return (
    <Stack gap="xs" role="group" aria-label="Trial on the past">
      <Text size="sm">
        {`${of.found_total} of ${plural(of.examined, 'resource')} had the issue. ${of.remedy}: proposed ${plural(of.changes, 'time')}.${undecided}${leftOut}`}
      </Text>
      {of.without_past.length > 0 && (
        <Text size="xs" className="muted">
          {`Taken as they are now, because their past is not stored: ${of.without_past.join('; ')}.`}
        </Text>
      )}
      {drawn.map((row) => (
        <div key={`${row.connection_id} ${row.resource_id}`}>
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Text size="xs" truncate>
              {row.name}
            </Text>
            <Text size="xs" className="muted" style={{ flexShrink: 0 }}>
              {row.spans.length > 0
                ? `${plural(row.spans.length, 'time')}, ${durationInWords(row.seconds)}`
                : 'now'}
              {row.holds_now && row.spans.length > 0 ? ', still there' : ''}
            </Text>
          </Group>
          <svg
            width="100%"
            height="12"
            role="img"
            aria-label={`${row.name}: ${row.spans.map((span) => `${minuteTime(span.from)} to ${minuteTime(span.to)}`).join(', ') || 'now'}`}
            style={{ display: 'block' }}
          >
            <rect width="100%" height="12" rx="3" fill="var(--mantine-color-default-border)" />
            {row.spans.map((span) => (
              <rect
                key={span.from}
                x={`${place(span.from)}%`}
                width={`${Math.max(0.5, place(span.to) - place(span.from))}%`}
                height="12"
                rx="2"
                fill="var(--mantine-color-orange-6)"
              >
                <title>{`${minuteTime(span.from)} to ${minuteTime(span.to)}`}</title>
              </rect>
            ))}
          </svg>
        </div>
      ))}
      {drawn.length > 0 && (
        <Group justify="space-between">
          <Text size="xs" className="muted">
            {day(of.from)}
          </Text>
          <Text size="xs" className="muted">
            {day(of.to)}
          </Text>
        </Group>
      )}
      {rest > 0 && (
        <Text size="xs" className="muted">{`${plural(rest, 'further resource')} had it.`}</Text>
      )}
    </Stack>
  );
}
