import { Text, Tooltip, type TextProps } from '@mantine/core';
import { ago, fullTime, shortTime, utc } from './instants';

interface Props extends TextProps {
  at: string | null | undefined;
  /** `short` for tables, `full` for details, `ago` for what just happened. */
  form?: 'short' | 'full' | 'ago';
}

/** A time in the reader's zone; hovering tells it in UTC. */
export function When({ at, form = 'short', ...text }: Props) {
  if (!at) return <Text span inherit className="muted" {...text}>never</Text>;
  const shown = form === 'ago' ? ago(at) : form === 'full' ? fullTime(at) : shortTime(at);
  return (
    <Tooltip label={form === 'ago' ? `${fullTime(at)} · ${utc(at)}` : utc(at)}>
      <Text span inherit className="numeral" style={{ whiteSpace: 'nowrap' }} {...text}>
        <time dateTime={at}>{shown}</time>
      </Text>
    </Tooltip>
  );
}
