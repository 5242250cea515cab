import { Stack, Text, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { words } from '../../../display/wording';
import { DependencyMap } from './DependencyMap';
import { namedQuery } from './queries';
import { ResourceOnMap, Starts } from './Starts';

const route = getRouteApi('/app/intelligence/dependencies');

/** Dependencies around a resource that is chosen by name. */
export function DependenciesPage() {
  const { resource } = route.useSearch();
  return (
    <Stack gap="lg">
      <Choice />
      {resource ? <DependencyMap key={resource} id={resource} /> : <Starts />}
    </Stack>
  );
}

function Choice() {
  const [text, setText] = useState('');
  const q = text.trim();
  const { data, error } = useQuery({ ...namedQuery(q), enabled: q.length > 1 });
  return (
    <Panel title="Resource" note="The map shows what depends on it and what it needs.">
      <TextInput
        label="Name or identifier"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      {error && <ProblemAlert error={error} />}
      {q.length > 1 && data && (
        <ul aria-label="Resources that match" style={{ margin: '10px 0 0', paddingLeft: 20 }}>
          {data.items.map(({ id, name, type, region }) => (
            <li key={id} style={{ overflowWrap: 'anywhere' }}>
              <ResourceOnMap
                id={id}
                name={name || id}
                detail={`${words(type)} · ${region}`}
                onChosen={() => setText('')}
              />
            </li>
          ))}
          {data.items.length === 0 && (
            <Text component="li" size="sm" className="muted">
              No resource matches.
            </Text>
          )}
        </ul>
      )}
    </Panel>
  );
}
