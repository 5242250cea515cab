import { ActionIcon, Skeleton, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconMinus } from '@tabler/icons-react';
import { Hint } from '../../display/Hint';
import type { Counts } from '../../api/bodies';
import { shortCount } from '../../display/amounts';
import { useAgentNames } from './Names';
import { FACETS, holds, term, toggle } from './facets';
import classes from './Facets.module.css';

export interface FacetProps {
  counts: Record<string, Counts> | undefined;
  query: string;
  onQuery: (query: string) => void;
}

/** The most frequent values of a few fields; a click asks for one, or for the others. */
export function Facets({ counts, query, onQuery }: FacetProps) {
  return (
    <nav className={classes.all} aria-label="Narrow the search">
      {FACETS.map(({ field, label }) => (
        <section key={field} aria-label={label}>
          <Text size="xs" fw={600} className="muted" mb={4}>
            {label}
          </Text>
          {counts ? (
            <Values field={field} of={counts[field]} query={query} onQuery={onQuery} />
          ) : (
            <Bones />
          )}
        </section>
      ))}
    </nav>
  );
}

function Values({
  field,
  of: counts,
  query,
  onQuery,
}: {
  field: string;
  of: Counts | undefined;
  query: string;
  onQuery: (query: string) => void;
}) {
  const names = useAgentNames(field === 'user');
  if (!counts || counts.buckets.length === 0)
    return (
      <Text size="sm" className="muted">
        None
      </Text>
    );
  const largest = Math.max(...counts.buckets.map(({ count }) => count));
  return (
    <ul className={classes.list}>
      {counts.buckets.map(({ value, count }) => {
        const wanted = term(field, value);
        const on = holds(query, wanted);
        return (
          <li key={value} className={classes.row} data-on={on || undefined}>
            <UnstyledButton
              className={classes.value}
              aria-pressed={on}
              title={value}
              onClick={() => onQuery(toggle(query, wanted))}
            >
              <span
                className={classes.bar}
                style={{ width: `${Math.max(2, (count / largest) * 100)}%` }}
                aria-hidden
              />
              <span className={classes.name}>{names.get(value) ?? value}</span>
              <span className={`${classes.count} numeral`}>{shortCount(count)}</span>
            </UnstyledButton>
            <Hint label="All but this">
              <ActionIcon
                size="sm"
                className={classes.without}
                aria-label={`Without ${value}`}
                onClick={() => onQuery(toggle(query, `NOT ${wanted}`))}
              >
                <IconMinus size={13} />
              </ActionIcon>
            </Hint>
          </li>
        );
      })}
      {counts.other > 0 && (
        <li>
          <Text size="xs" className="muted" pl={8}>
            {shortCount(counts.other)} with other values
          </Text>
        </li>
      )}
    </ul>
  );
}

/** As high as a list of the usual length, so that the lists below it stay where they are. */
function Bones() {
  return (
    <Stack gap={8} h={226} pt={6}>
      {[90, 78, 70, 62, 54, 50, 46, 42].map((width) => (
        <Skeleton key={width} h={14} w={`${width}%`} />
      ))}
    </Stack>
  );
}
