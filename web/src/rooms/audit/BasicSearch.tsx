import { Anchor, Button, Group, SimpleGrid, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SearchFilters } from '../../addresses';
import { EventTypeInput } from './EventTypeInput';

interface FieldProps {
  draft: SearchFilters;
  set: (change: SearchFilters) => void;
}

/** The fields of the basic search: keyword, user, resource, event type. */
export function BasicFields({ draft, set }: FieldProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      <TextInput
        label="Keyword"
        placeholder="In any field"
        value={draft.keyword ?? ''}
        onChange={(event) => set({ keyword: event.currentTarget.value })}
      />
      <TextInput
        label="User"
        placeholder="E-mail address or id"
        value={draft.user ?? ''}
        onChange={(event) => set({ user: event.currentTarget.value })}
      />
      <TextInput
        label="Resource"
        placeholder="Id or name"
        value={draft.resource ?? ''}
        onChange={(event) => set({ resource: event.currentTarget.value })}
      />
      <EventTypeInput
        value={draft.event_type ?? ''}
        onChange={(event_type) => set({ event_type })}
      />
    </SimpleGrid>
  );
}

/** The basic search of the dashboard; it opens the page of the search. */
export function BasicSearch() {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<SearchFilters>({});
  const given = Object.fromEntries(
    Object.entries(draft).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])),
  );
  return (
    <form
      role="search"
      aria-label="Search the log"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate({ to: '/audit/search', search: given });
      }}
    >
      <BasicFields draft={draft} set={(change) => setDraft({ ...draft, ...change })} />
      <Group mt="sm" gap="md">
        <Button type="submit" leftSection={<IconSearch size={16} />}>
          Search
        </Button>
        <Anchor
          size="sm"
          renderRoot={(props) => <Link to="/audit/search" search={given} {...props} />}
        >
          Advanced search
        </Anchor>
      </Group>
    </form>
  );
}
