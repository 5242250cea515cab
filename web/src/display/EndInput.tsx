import { Chip, Group, TextInput } from '@mantine/core';
import { useState, type ChangeEvent } from 'react';
import { toInput } from './instants';

/** Periods from now by their names; no number of days is no end. */
export type Periods = [label: string, days: number | undefined][];

export const UP_TO_A_YEAR: Periods = [
  ['1 week', 7],
  ['1 month', 30],
  ['3 months', 91],
  ['1 year', 365],
];

/** The time in so many days, as an input has it. A minute less, so that a year is within its bound when it arrives. */
export const inDays = (days: number) => toInput(new Date(Date.now() + days * 86_400_000 - 60_000));

interface Props {
  description: string;
  required?: boolean;
  periods: Periods;
  /** The period that the form begins with. */
  first: string;
  /** What the form gives to the input of a time. */
  input: { onChange: (event: ChangeEvent<HTMLInputElement>) => void };
  onPick: (time: string) => void;
}

/** The end of something: a time, or a period from now. */
export function EndInput({ description, required, periods, first, input, onPick }: Props) {
  const [period, setPeriod] = useState(first);
  return (
    <div>
      <TextInput
        label="Ends"
        type="datetime-local"
        withAsterisk={required}
        description={description}
        {...input}
        onChange={(event) => {
          setPeriod('');
          input.onChange(event);
        }}
      />
      <Group gap="xs" mt={8}>
        {periods.map(([label, days]) => (
          <Chip
            key={label}
            size="xs"
            checked={period === label}
            onChange={() => {
              setPeriod(label);
              onPick(days ? inDays(days) : '');
            }}
          >
            {label}
          </Chip>
        ))}
      </Group>
    </div>
  );
}
