import { Badge, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { liveFilters } from '../../addresses';
import { plural } from '../../display/amounts';
import { DataTable } from '../../display/DataTable';
import { EmptyState } from '../../display/EmptyState';
import { ProblemAlert } from '../../display/ProblemAlert';
import { SEARCH_COLUMNS } from './columns';
import { compose } from './compose';
import { MOST, useLive, type Connection } from './live';
import { WrongQuery } from './QueryBox';

const route = getRouteApi('/app/audit/live');

/** Entries as they arrive. */
export function LivePage() {
  const filters = route.useSearch({ select: liveFilters, structuralSharing: true });
  const navigate = useNavigate();
  const [draft, setDraft] = useState(filters.query ?? '');
  const [seen, setSeen] = useState(filters.query);
  const field = useRef<HTMLInputElement>(null);
  if (seen !== filters.query) {
    setSeen(filters.query);
    setDraft(filters.query ?? '');
  }
  const composed = compose({ query: filters.query, reads: filters.reads }, new Date());
  const live = useLive(composed.body.query ?? undefined);
  const follow = (query: string, reads: boolean) =>
    void navigate({
      to: '/audit/live',
      search: { query: query.trim() || undefined, reads: reads ? 'yes' : undefined },
    });
  useHotkeys([
    ['/', () => field.current?.focus()],
    ['P', () => live.pause(!live.paused)],
  ]);
  const wrong = live.problem?.code === 'invalid_query' ? live.problem : undefined;
  return (
    <Stack gap="md">
      <form
        role="search"
        aria-label="Follow the log"
        onSubmit={(event) => {
          event.preventDefault();
          follow(draft, Boolean(filters.reads));
        }}
      >
        <Stack gap="xs">
          <Group gap="sm" align="flex-end">
            <TextInput
              ref={field}
              aria-label="Query"
              placeholder="All entries, or a query: severity:(high OR critical)"
              leftSection={<IconSearch size={16} />}
              style={{ flex: '1 1 320px' }}
              styles={{
                input: {
                  fontFamily: 'var(--mantine-font-family-monospace)',
                  fontSize: '0.8125rem',
                },
              }}
              spellCheck={false}
              autoComplete="off"
              value={draft}
              onChange={(event) => setDraft(event.currentTarget.value)}
              error={wrong !== undefined}
              aria-describedby={wrong ? 'query-problem' : undefined}
            />
            <Button type="submit" variant="default">
              Follow
            </Button>
            <Button
              w={112}
              variant={live.paused ? 'filled' : 'default'}
              aria-pressed={live.paused}
              onClick={() => live.pause(!live.paused)}
              leftSection={
                live.paused ? <IconPlayerPlay size={16} /> : <IconPlayerPause size={16} />
              }
            >
              {live.paused ? 'Resume' : 'Pause'}
            </Button>
          </Group>
          {wrong && (
            <WrongQuery
              problem={wrong}
              asked={filters.query?.trim() ?? ''}
              shift={composed.shift}
            />
          )}
        </Stack>
      </form>
      <Group justify="space-between" mih={30}>
        <Group gap="sm">
          <State of={live.connection} paused={live.paused} />
          <Text size="sm" className="muted numeral" role="status">
            {live.paused && live.missed > 0
              ? `${plural(live.missed, 'new entry', 'new entries')} waiting`
              : `${plural(live.shown.length, 'entry', 'entries')} shown, newest first`}
          </Text>
          {live.paused && live.missed > 0 && (
            <Button size="compact-xs" variant="light" onClick={() => live.pause(false)}>
              Show {plural(live.missed, 'new entry', 'new entries')}
            </Button>
          )}
        </Group>
        <Switch
          label="Include reads of the log"
          checked={Boolean(filters.reads)}
          onChange={(event) => follow(draft, event.currentTarget.checked)}
        />
      </Group>
      {live.problem && !wrong && <ProblemAlert error={live.problem} />}
      {!wrong && (
        <DataTable
          label="Live entries"
          compact
          columns={SEARCH_COLUMNS}
          rows={
            live.connection === 'connecting' && live.shown.length === 0 ? undefined : live.shown
          }
          rowId={(row) => row.event_id}
          onOpen={(row) =>
            void navigate({ to: '/audit/$eventId', params: { eventId: row.event_id } })
          }
          empty={
            <EmptyState title="No entries yet">
              Entries that match appear here as they are recorded. You see only those that your role
              may see.
            </EmptyState>
          }
        />
      )}
      {live.shown.length >= MOST && (
        <Text size="sm" className="muted" ta="center">
          Only the newest {MOST} stay here; the search has the rest.
        </Text>
      )}
    </Stack>
  );
}

const STATES: Record<Connection, [string, string]> = {
  connecting: ['Connecting', 'gray'],
  live: ['Live', 'green'],
  broken: ['Connecting again', 'yellow'],
  refused: ['Not connected', 'red'],
};

function State({ of: connection, paused }: { of: Connection; paused: boolean }) {
  const [label, color] =
    paused && connection === 'live' ? ['Paused', 'indigo'] : STATES[connection];
  return (
    <Badge variant="dot" color={color}>
      {label}
    </Badge>
  );
}
