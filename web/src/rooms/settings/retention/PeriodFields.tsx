import { TextInput } from '@mantine/core';

/** First and last timestamp of the entries that a hold or an erasure includes; either may stay empty. */
export function PeriodFields({
  inputProps,
}: {
  inputProps: (name: 'start_time' | 'end_time') => object;
}) {
  return (
    <>
      <TextInput label="From" placeholder="2026-01-01T00:00:00Z" {...inputProps('start_time')} />
      <TextInput label="Until" placeholder="2026-07-01T00:00:00Z" {...inputProps('end_time')} />
    </>
  );
}
