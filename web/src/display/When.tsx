import { Text, type TextProps } from '@mantine/core';
import { Hint } from './Hint';
import { ago, fullTime, minuteTime, shortTime, utc } from './instants';

const FORMS = {
  ago: (at: string) => ago(at),
  full: fullTime,
  minute: minuteTime,
  short: shortTime,
};

interface Props extends TextProps {
  at: string | null | undefined;
  /** `short` for tables, `full` for details, `ago` for what just happened, `minute` for what is planned. */
  form?: 'short' | 'full' | 'ago' | 'minute';
}

/** A time in the reader's zone; hovering tells it in UTC. */
export function When({ at, form = 'short', ...text }: Props) {
  if (!at)
    return (
      <Text span inherit className="muted" {...text}>
        never
      </Text>
    );
  const shown = FORMS[form](at);
  return (
    <Hint label={form === 'ago' ? `${fullTime(at)} · ${utc(at)}` : utc(at)}>
      <Text span inherit className="numeral" style={{ whiteSpace: 'nowrap' }} {...text}>
        <time dateTime={at}>{shown}</time>
      </Text>
    </Hint>
  );
}
