import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { SearchFilters } from '../../addresses';
import type { Count } from '../../api/bodies';
import { Shares } from '../../charts/Shares';
import { count } from '../../display/amounts';
import { useAgentNames } from './Names';
import { tail } from './naming';

const SHOWN = 8;

/** The most frequent values with their counts; each leads to its entries. */
export function Ranked({
  label,
  of: counts,
  search,
}: {
  label: string;
  of: Count[] | undefined;
  search: (value: string) => SearchFilters;
}) {
  const names = useAgentNames();
  const shares = counts?.slice(0, SHOWN).map(({ value, count: many }) => ({
    key: value,
    name: (
      <Anchor
        size="sm"
        c="inherit"
        title={value}
        renderRoot={(props) => <Link to="/audit/search" search={search(value)} {...props} />}
      >
        {names.get(value) ?? tail(value)}
      </Anchor>
    ),
    size: many,
    shown: count(many),
  }));
  return <Shares label={label} shares={shares} none="Nothing in this period." />;
}
