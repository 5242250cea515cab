import { useQuery } from '@tanstack/react-query';
import { useMemo, type ComponentProps } from 'react';
import { Autocomplete } from '../../display/Autocomplete';
import { askedField, completed, completions } from './complete';
import { listsQuery } from './lists/queries';
import { fieldsQuery, valuesQuery } from './queries';

type Props = Omit<ComponentProps<typeof Autocomplete>, 'data' | 'filter' | 'renderOption'>;

/** A query, completed while it is typed: fields of the language, values that occurred in the last seven days, names of lists. */
export function QueryInput({ value, onChange, ...props }: Props) {
  const fields = useQuery(fieldsQuery).data?.items;
  const asked = askedField(value, fields ?? []);
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
          fields ?? [],
          values,
          (lists ?? []).map(({ name }) => name),
        ),
      ),
    ];
  }, [value, fields, asked, counts, lists]);
  return (
    <Autocomplete
      {...props}
      value={value}
      onChange={onChange}
      data={choices}
      limit={12}
      maxDropdownHeight={280}
      filter={({ options }) => options}
      renderOption={({ option }) => completed(value, option.value)}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
