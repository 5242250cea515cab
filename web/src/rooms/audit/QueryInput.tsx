import { useQuery } from '@tanstack/react-query';
import { useLayoutEffect, useMemo, useRef, useState, type ComponentProps } from 'react';
import { Autocomplete } from '../../display/Autocomplete';
import { askedField, caretAfter, completed, completions } from './complete';
import { listsQuery } from './lists/queries';
import { fieldsQuery, valuesQuery } from './queries';

type Props = Omit<
  ComponentProps<typeof Autocomplete>,
  'data' | 'filter' | 'renderOption' | 'onSelect'
>;

/** A query, completed at the caret while it is typed: fields of the language, values that occurred in the last seven days, names of lists. */
export function QueryInput({ value, onChange, ...props }: Props) {
  const fields = useQuery(fieldsQuery).data?.items;
  const input = useRef<HTMLInputElement>(undefined);
  const [place, setPlace] = useState<number>();
  const chosen = useRef<number>(undefined);
  // A query that was set from outside has its caret at the end.
  const caret = Math.min(place ?? value.length, value.length);
  const asked = askedField(value, caret, fields ?? []);
  const counts = useQuery({ ...valuesQuery(asked ?? ''), enabled: asked !== undefined }).data;
  const lists = useQuery({ ...listsQuery, enabled: value.includes('@'), retry: false }).data?.items;
  const choices = useMemo(() => {
    const values =
      asked === undefined
        ? []
        : (counts?.aggregations?.[asked]?.buckets ?? []).map((bucket) => bucket.value);
    return [
      ...new Set(
        completions(
          value,
          caret,
          fields ?? [],
          values,
          (lists ?? []).map(({ name }) => name),
        ),
      ),
    ];
  }, [value, caret, fields, asked, counts, lists]);
  const change = (text: string) => {
    if (choices.includes(text)) {
      chosen.current = caretAfter(value, caret, text);
      setPlace(chosen.current);
    } else {
      setPlace(input.current?.selectionStart ?? text.length);
    }
    onChange(text);
  };
  // A value that is set moves the caret to its end.
  useLayoutEffect(() => {
    if (chosen.current === undefined) return;
    input.current?.setSelectionRange(chosen.current, chosen.current);
    chosen.current = undefined;
  }, [value]);
  return (
    <Autocomplete
      {...props}
      value={value}
      onChange={change}
      onSelect={(event) => {
        input.current = event.currentTarget;
        setPlace(event.currentTarget.selectionStart ?? undefined);
      }}
      data={choices}
      limit={12}
      maxDropdownHeight={280}
      filter={({ options }) => options}
      renderOption={({ option }) => completed(value, caret, option.value)}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
