import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Panel } from '../../../display/Panel';
import { words } from '../../../display/wording';
import { openAnomaliesQuery, startsQuery } from './queries';

type Start = { id: string; name: string; detail: string };

/** Places to begin, as long as no resource is chosen. */
export function Starts() {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Troubled />
      <StartsOfType type="load_balancer" title="Load balancers" />
      <StartsOfType type="scaling_group" title="Scaling groups" />
      <StartsOfType type="database" title="Databases" />
    </SimpleGrid>
  );
}

function Troubled() {
  const { data } = useQuery(openAnomaliesQuery());
  // An anomaly about a principal or an account has no place on the map.
  const items = data?.items.filter(({ resource }) => resource.provider && resource.region) ?? [];
  const byResource = new Map<string, Start>();
  for (const { resource, title } of items) {
    if (!byResource.has(resource.id)) {
      byResource.set(resource.id, { id: resource.id, name: resource.name, detail: title });
    }
  }
  return <Starting title="With open anomalies" starts={[...byResource.values()].slice(0, 6)} />;
}

function StartsOfType({ type, title }: { type: string; title: string }) {
  const { data } = useQuery(startsQuery(type));
  const starts = data?.items.map(({ id, name, region, account }) => ({
    id,
    name: name || id,
    detail: `${words(type)} · ${account} · ${region}`,
  }));
  return <Starting title={title} starts={starts ?? []} />;
}

function Starting({ title, starts }: { title: string; starts: Start[] }) {
  if (starts.length === 0) {
    return null;
  }
  return (
    <Panel title={title}>
      <ul aria-label={title} style={{ margin: 0, paddingLeft: 20 }}>
        {starts.map(({ id, name, detail }) => (
          <li key={id} style={{ overflowWrap: 'anywhere' }}>
            <ResourceOnMap id={id} name={name} detail={detail} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** A resource that becomes the middle of the map when chosen. */
export function ResourceOnMap({ id, name, detail, onChosen }: Start & { onChosen?: () => void }) {
  return (
    <>
      <Anchor
        size="sm"
        renderRoot={(props) => (
          <Link to="/intelligence/dependencies" search={{ resource: id }} {...props} />
        )}
        onClick={onChosen}
      >
        {name}
      </Anchor>{' '}
      <Text span size="xs" className="muted">
        {detail}
      </Text>
    </>
  );
}
