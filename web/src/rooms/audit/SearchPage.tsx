import { Box, Button, Collapse, Grid, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconColumns3, IconFilter } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { SEARCH_FIELDS, searchFilters, type SearchFilters } from '../../addresses';
import { asProblem } from '../../api/problem';
import { count, plural } from '../../display/amounts';
import { TimeBars } from '../../charts/TimeBars';
import { DataTable } from '../../display/DataTable';
import { lazyOpened } from '../../display/lazy';
import { ProblemAlert } from '../../display/ProblemAlert';
import { usePhone } from '../../display/usePhone';
import { chosenColumns, keepColumns } from './column-choice';
import { columnsOf } from './columns';
import { compose } from './compose';
import { Facets, type FacetProps } from './Facets';
import { LeftOut } from './LeftOut';
import { NothingFound } from './NothingFound';
import { filled } from './facets';
import { fieldsQuery, searchQuery } from './queries';
import { SavedSearches } from './SavedSearches';
import { SearchForm } from './SearchForm';

const ColumnPicker = lazyOpened(() => import('./ColumnPicker'), 'ColumnPicker', 'dialog');
const COLUMNS = (
  <Button variant="default" size="xs" leftSection={<IconColumns3 size={14} />}>
    Columns
  </Button>
);

const route = getRouteApi('/app/audit/search');

export function SearchPage() {
  const filters = route.useSearch({ select: searchFilters, structuralSharing: true });
  const navigate = useNavigate();
  const phone = usePhone();
  const composed = useMemo(() => compose(filters, new Date()), [filters]);
  const found = useInfiniteQuery(
    searchQuery({ ...composed.body, limit: phone ? 25 : composed.body.limit }),
  );
  const problem = found.error ? asProblem(found.error) : undefined;
  const rows = useMemo(() => found.data?.pages.flatMap((page) => page.items), [found.data]);
  const first = found.data?.pages[0];
  const total = first?.total ?? undefined;
  const overTime = useMemo(
    () => filled(first?.aggregations?.[`timestamp:${composed.span}`]?.buckets ?? [], composed.span),
    [first, composed.span],
  );

  const fields = useQuery(fieldsQuery).data?.items;
  const sortable = useMemo(
    () => new Set((fields ?? []).filter((field) => field.sortable).map(({ name }) => name)),
    [fields],
  );
  const columns = useMemo(() => chosenColumns(filters.columns), [filters.columns]);
  const table = useMemo(() => columnsOf(columns, sortable), [columns, sortable]);

  const search = (next: SearchFilters) => {
    const kept = Object.fromEntries(
      SEARCH_FIELDS.flatMap((name) => (next[name]?.trim() ? [[name, next[name].trim()]] : [])),
    );
    if (JSON.stringify(kept) === JSON.stringify(filters)) void found.refetch();
    else void navigate({ to: '/audit/search', search: kept });
  };

  return (
    <Stack gap="md">
      <SearchForm
        filters={filters}
        composed={composed}
        problem={problem}
        busy={found.isFetching && !found.isFetchingNextPage}
        onSearch={search}
        saved={<SavedSearches filters={filters} onOpen={search} />}
      />
      {problem && problem.code !== 'invalid_query' && (
        <ProblemAlert error={problem} onRetry={() => void found.refetch()} />
      )}
      {!problem && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 3, xl: 2.5 }}>
            <Narrow
              counts={first?.aggregations}
              query={filters.query ?? ''}
              onQuery={(query) => search({ ...filters, query })}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 9, xl: 9.5 }}>
            <Stack gap="sm">
              {first?.left_out && <LeftOut of={first.left_out} />}
              <Group justify="space-between">
                <Text size="sm" className="muted numeral" role="status">
                  {total === undefined
                    ? 'Searching …'
                    : `${plural(total, 'entry', 'entries')} found, ${orderInWords(filters.sort)}`}
                </Text>
                <Group gap="sm">
                  <Text size="xs" className="muted">
                    By {composed.span}
                  </Text>
                  <ColumnPicker
                    target={COLUMNS}
                    columns={columns}
                    onChange={(chosen) => {
                      keepColumns(chosen);
                      search({ ...filters, columns: chosen.join() });
                    }}
                  />
                </Group>
              </Group>
              {!first && <Skeleton h={110} />}
              {overTime.length > 0 && (
                <TimeBars
                  label={`Entries found by ${composed.span}`}
                  counts={overTime}
                  height={110}
                />
              )}
              <DataTable
                label="Entries"
                compact
                columns={table}
                rows={rows}
                order={filters.sort}
                onOrder={(sort) => search({ ...filters, sort })}
                rowId={(row) => row.event_id}
                onOpen={(row) =>
                  void navigate({ to: '/audit/$eventId', params: { eventId: row.event_id } })
                }
                empty={
                  <NothingFound
                    filters={filters}
                    at={found.dataUpdatedAt}
                    freshness="Entries recorded since then are not shown yet."
                    onWiden={search}
                    onRefresh={() => void found.refetch()}
                  />
                }
              />
              {rows && rows.length > 0 && (
                <Group justify="center">
                  {found.hasNextPage ? (
                    <Button
                      variant="default"
                      loading={found.isFetchingNextPage}
                      onClick={() => void found.fetchNextPage()}
                    >
                      Load more ({count(rows.length)} of {count(total ?? 0)})
                    </Button>
                  ) : (
                    <Text size="sm" className="muted">
                      That is all.
                    </Text>
                  )}
                </Group>
              )}
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Stack>
  );
}

/** The order of the entries, for people. */
function orderInWords(sort: string | undefined): string {
  if (!sort) return 'newest first';
  return sort.startsWith('-') ? `sorted by ${sort.slice(1)}, greatest first` : `sorted by ${sort}`;
}

/** The facets: beside the entries, or folded away where there is no room beside them. */
function Narrow(props: FacetProps) {
  const beside = useMediaQuery('(min-width: 62em)', true);
  const [open, setOpen] = useState(false);
  if (beside) return <Facets {...props} />;
  return (
    <Box>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconFilter size={14} />}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        Narrow by value
      </Button>
      <Collapse expanded={open}>
        <Box pt="sm">
          <Facets {...props} />
        </Box>
      </Collapse>
    </Box>
  );
}
