import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { SEARCH_FIELDS, type SearchFilters } from '../../addresses';
import { asProblem } from '../../api/problem';
import { count, plural } from '../../display/amounts';
import { DataTable } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { ProblemAlert } from '../../display/ProblemAlert';
import { SEARCH_COLUMNS } from './columns';
import { compose } from './compose';
import { searchQuery } from './queries';
import { SearchForm } from './SearchForm';

const route = getRouteApi('/app/audit/search');

export function SearchPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const composed = useMemo(() => compose(filters, new Date()), [filters]);
  const found = useInfiniteQuery(searchQuery(composed.body));
  const problem = found.error ? asProblem(found.error) : undefined;
  const rows = useMemo(() => found.data?.pages.flatMap((page) => page.items), [found.data]);
  const total = found.data?.pages[0]?.total;

  const search = (next: SearchFilters) => {
    const kept = Object.fromEntries(SEARCH_FIELDS.flatMap((name) => (next[name]?.trim() ? [[name, next[name].trim()]] : [])));
    if (JSON.stringify(kept) === JSON.stringify(filters)) void found.refetch();
    else void navigate({ to: '/audit/search', search: kept });
  };

  return (
    <Stack gap="md">
      <SearchForm filters={filters} composed={composed} problem={problem} busy={found.isFetching && !found.isFetchingNextPage} onSearch={search} />
      {problem && problem.code !== 'invalid_query' && <ProblemAlert error={problem} onRetry={() => void found.refetch()} />}
      {!problem && (
        <>
          <Text size="sm" className="muted numeral" role="status">{total === undefined ? 'Searching …' : `${plural(total, 'entry', 'entries')} found, newest first`}</Text>
          <DataTable
            label="Entries" columns={SEARCH_COLUMNS} rows={rows} rowId={(row) => row.event_id}
            onOpen={(row) => void navigate({ to: '/audit/$eventId', params: { eventId: row.event_id } })}
            empty={<EmptyState title="No entry matches">Loosen a filter, widen the period, or use a trailing * to match beginnings. You see only entries that your role may see.</EmptyState>}
          />
          {rows && rows.length > 0 && (
            <Group justify="center">
              {found.hasNextPage
                ? <Button variant="default" loading={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>Load more ({count(rows.length)} of {count(total ?? 0)})</Button>
                : <Text size="sm" className="muted">That is all.</Text>}
            </Group>
          )}
        </>
      )}
    </Stack>
  );
}
