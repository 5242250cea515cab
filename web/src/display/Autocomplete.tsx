import { TextInput, type AutocompleteProps } from '@mantine/core';
import { useLayoutEffect, useRef, useState, type ComponentType } from 'react';
import { once } from './lazy';

type Props = Omit<AutocompleteProps, 'ref' | 'value' | 'onChange' | 'data'> & {
  data: string[];
  value: string;
  onChange: (value: string) => void;
};

const choices = once(() => import('./library-choices'));

/** The component library's field with suggestions, which load when the field is first entered. Without them it takes text as well. */
export function Autocomplete(props: Props) {
  const [Loaded, setLoaded] = useState<ComponentType<AutocompleteProps>>();
  const [caret, setCaret] = useState<number>();
  const still = useRef<HTMLInputElement>(null);
  if (Loaded) return <Entered of={Loaded} at={caret} {...props} />;
  const enter = () => {
    // Left again before the suggestions came: nothing takes the focus back.
    choices().then(
      ({ Autocomplete: loaded }) => {
        const left = still.current;
        if (!left || document.activeElement !== left) return;
        // A click places the caret; whoever comes by the keyboard goes on at the end.
        const { selectionStart, selectionEnd } = left;
        setCaret(selectionStart && selectionStart === selectionEnd ? selectionStart : undefined);
        setLoaded(() => loaded);
      },
      () => undefined,
    );
  };
  const {
    label,
    description,
    placeholder,
    value,
    onChange,
    error,
    size,
    className,
    withAsterisk,
    leftSection,
    rightSection,
    spellCheck,
    autoComplete,
  } = props;
  const shown = {
    label,
    description,
    placeholder,
    value,
    error,
    size,
    className,
    withAsterisk,
    leftSection,
    rightSection,
    spellCheck,
    autoComplete,
  };
  return (
    <TextInput
      ref={still}
      {...shown}
      aria-describedby={props['aria-describedby']}
      onChange={(event) => onChange(event.currentTarget.value)}
      onFocus={enter}
    />
  );
}

/** Takes the place of the field that was entered, with the caret where it was, else behind its text. */
function Entered({
  of: Loaded,
  at,
  ...props
}: Props & { of: ComponentType<AutocompleteProps>; at: number | undefined }) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    input.current?.focus({ preventScroll: true });
    const place = at ?? input.current?.value.length ?? 0;
    input.current?.setSelectionRange(place, place);
    // Once, when it takes the place.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return <Loaded {...props} ref={input} />;
}
