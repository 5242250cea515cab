import { Button, Group, List, Loader, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SearchFilters } from '../../addresses';
import { useMay } from '../../api/session';
import { plural } from '../../display/amounts';
import { EmptyState } from '../../display/EmptyState';
import { nowTime } from '../../display/instants';
import { applying, causesOf, visibility } from './empty-search';
import { entriesQuery } from './queries';

interface Props {
  filters: SearchFilters;
  /** Time of the answer, milliseconds since the epoch. */
  at: number;
  /** How the page gets newer entries, in a sentence. */
  freshness: string;
  onWiden: (filters: SearchFilters) => void;
  onRefresh: () => void;
}

/** Why no entry is shown: the parts of the search that keep entries out, the reader's permission, the age of the answer. */
export function NothingFound({ filters, at, freshness, onWiden, onRefresh }: Props) {
  const causes = causesOf(filters);
  const counts = useQueries({ queries: causes.map(({ without }) => entriesQuery(without, 1)) });
  const limited = visibility(useMay());
  const found = applying(
    causes,
    counts.map(({ data, isPlaceholderData }) =>
      isPlaceholderData ? undefined : (data?.total ?? undefined),
    ),
  );
  const asking = counts.some(({ isFetching }) => isFetching);
  return (
    <EmptyState
      title="No entry matches"
      action={
        <Stack
          gap="xs"
          mt="xs"
          w="100%"
          maw={620}
          ta="left"
          role="group"
          aria-label="Why nothing is shown"
        >
          {asking && (
            <Group gap="xs">
              <Loader size="xs" />
              <Text size="sm" className="muted">
                Looking for the cause …
              </Text>
            </Group>
          )}
          <List size="sm" spacing="sm" listStyleType="none">
            {found.map(({ cause, found: many }) => (
              <Row
                key={cause.key}
                label={cause.label}
                action={cause.action}
                onClick={() => onWiden(cause.without)}
              >
                {cause.value}. {plural(many, 'entry matches', 'entries match')} without it.
              </Row>
            ))}
            {!asking && found.length === 0 && (
              <Row label="Filters">
                No filter is the cause. No entry that you can access matches this search.
              </Row>
            )}
            {limited && (
              <Row label="Permission">
                {limited} For more, ask an administrator for a role with <code>audit.view.all</code>
                .
              </Row>
            )}
            <Row label="Refresh" action="Refresh now" onClick={onRefresh}>
              Read at {nowTime(at)}. {freshness}
            </Row>
          </List>
        </Stack>
      }
    />
  );
}

function Row({
  label,
  children,
  action,
  onClick,
}: {
  label: string;
  children: ReactNode;
  action?: string;
  onClick?: () => void;
}) {
  return (
    <List.Item styles={{ itemWrapper: { display: 'block' } }}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '1 1 260px', overflowWrap: 'anywhere' }}>
          <b>{label}:</b> {children}
        </Text>
        {action && (
          <Button size="compact-sm" variant="light" onClick={onClick}>
            {action}
          </Button>
        )}
      </Group>
    </List.Item>
  );
}
