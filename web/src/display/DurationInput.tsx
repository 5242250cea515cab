import { Group, NativeSelect, NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';
import { fitting, LENGTHS, type Unit } from './durations';

interface Props extends Pick<
  NumberInputProps,
  'label' | 'description' | 'error' | 'disabled' | 'readOnly'
> {
  /** The unit in which the value is kept. */
  unit: Unit;
  /** Units that the reader may choose, shortest first. */
  units: Unit[];
  /** The longest duration, in the unit of the value. */
  max: number;
  value?: number | string;
  onChange?: (value: number) => void;
}

/** A duration in the unit that suits it: a week reads as 7 days, not as 604,800 seconds. */
export function DurationInput({
  unit,
  units,
  max,
  value: given = 0,
  onChange,
  label,
  ...input
}: Props) {
  const value = Number(given);
  const [shown, setShown] = useState(() => fitting(value, unit, units));
  const factor = LENGTHS[shown] / LENGTHS[unit];
  const choose = (next: Unit) => {
    setShown(next);
    onChange?.(Math.min(max, Math.round((value / factor) * (LENGTHS[next] / LENGTHS[unit]))));
  };
  return (
    <Group gap={6} align="flex-end" wrap="nowrap">
      <NumberInput
        label={label}
        min={0}
        max={max / factor}
        decimalScale={2}
        value={value / factor}
        onChange={(next) => onChange?.(Math.round(Number(next) * factor))}
        style={{ flex: 1 }}
        {...input}
      />
      <NativeSelect
        aria-label="Unit of time"
        disabled={input.disabled || input.readOnly}
        data={units}
        value={shown}
        onChange={(event) => choose(event.currentTarget.value as Unit)}
      />
    </Group>
  );
}
