import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

interface Props extends Pick<TextInputProps, 'label' | 'placeholder' | 'leftSection' | 'w'> {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** A number from 0 to 100, in percent. */
  percent?: boolean;
}

const PAUSE_MS = 350;

/** The number from 0 to 100 that a text begins with; nothing else can be typed. */
function asPercent(text: string): string {
  const number = /^\d*(?:[.,]\d*)?/.exec(text.trim())?.[0].replace(',', '.') ?? '';
  return Number(number) > 100 ? '100' : number;
}

/** A filter that is typed: it takes effect when typing pauses. */
export function TypedFilter({ value, onChange, percent, placeholder = 'Any', ...input }: Props) {
  const [given, setGiven] = useState({ from: value, text: value ?? '' });
  if (given.from !== value) setGiven({ from: value, text: value ?? '' });
  const pass = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), PAUSE_MS);
  const change = (text: string) => {
    setGiven({ from: value, text });
    pass(text);
  };
  const shown = { ...input, placeholder, value: given.text };
  if (percent)
    return (
      <TextInput
        {...shown}
        inputMode="decimal"
        rightSection="%"
        onChange={(event) => change(asPercent(event.currentTarget.value))}
      />
    );
  return <TextInput {...shown} onChange={(event) => change(event.currentTarget.value)} />;
}
