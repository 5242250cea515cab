import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Autocomplete } from '../../display/Autocomplete';
import { eventTypesQuery } from './queries';

/** An event type, offered from the catalogue; any other may be typed, with a star at its end for a whole category. */
export function EventTypeInput({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  const { data } = useQuery(eventTypesQuery);
  const offered = useMemo(() => {
    const items = data?.items ?? [];
    const categories = [...new Set(items.map(({ category }) => `${category}.*`))];
    return [...categories, ...items.map(({ event_type }) => event_type)].sort();
  }, [data]);
  return (
    <Autocomplete
      label="Event type"
      placeholder="authentication.*"
      value={value}
      onChange={onChange}
      data={offered}
      limit={12}
      maxDropdownHeight={280}
    />
  );
}
