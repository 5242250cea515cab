import { Code, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Select } from '../../display/Select';
import { When } from '../../display/When';
import { plural } from '../../display/amounts';
import { shortTime } from '../../display/instants';
import { Difference } from '../audit/Difference';
import { configurationQuery, differenceQuery, versionsQuery } from './queries';

/** The provider's description of a resource at the time of a version, and how the next version differs from it. */
export function Configuration({ id }: { id: string }) {
  const versions = useQuery(versionsQuery(id));
  const [chosen, setChosen] = useState<string | null>(null);
  const known = versions.data?.items ?? [];
  const at = chosen ?? known[0]?.seen_at;
  const version = known.find(({ seen_at }) => seen_at === at);
  const { data, error } = useQuery({
    ...configurationQuery(id, at),
    enabled: Boolean(version?.hash),
  });
  if (versions.error)
    return (
      <Panel title="Configuration">
        <ProblemAlert error={versions.error} />
      </Panel>
    );
  if (!versions.data)
    return (
      <Panel title="Configuration">
        <Skeleton h={160} />
      </Panel>
    );
  return (
    <Panel
      title="Configuration"
      note={known.length > 0 ? plural(versions.data.total, 'version', 'versions') : undefined}
      actions={
        known.length > 1 && (
          <Select
            size="xs"
            w={230}
            aria-label="Version"
            allowDeselect={false}
            value={at}
            onChange={setChosen}
            data={known.map(({ seen_at, hash }, index) => ({
              value: seen_at,
              label: `${index === 0 ? 'Current, since' : 'From'} ${shortTime(seen_at)}${hash ? '' : ' (gone)'}`,
            }))}
          />
        )
      }
    >
      {known.length === 0 && (
        <Text size="sm" className="muted">
          The connection has not read this resource's configuration. Its page under Connections says
          which permissions are missing.
        </Text>
      )}
      {version && !version.hash && (
        <Text size="sm">
          The resource was gone from <When at={version.seen_at} form="full" />.
        </Text>
      )}
      {error && <ProblemAlert error={error} />}
      {data && (
        <Stack gap="xs">
          <Text size="xs" className="muted">
            As seen since <When at={data.seen_at} form="full" />
            {data.until && (
              <>
                {' '}
                until <When at={data.until} form="full" />
              </>
            )}
            . Secrets are removed.
          </Text>
          <Code
            block
            tabIndex={0}
            role="region"
            aria-label="Configuration, scrollable"
            style={{
              maxHeight: 420,
              overflow: 'auto',
              whiteSpace: 'pre-wrap',
              overflowWrap: 'anywhere',
            }}
          >
            {JSON.stringify(data.configuration, null, 2)}
          </Code>
        </Stack>
      )}
    </Panel>
  );
}

/** Differences of the newest version from the one before. */
export function LastChange({ id }: { id: string }) {
  const { data: versions } = useQuery(versionsQuery(id));
  const [now, before] = versions?.items ?? [];
  const { data } = useQuery({
    ...differenceQuery(id, before?.seen_at, now?.seen_at),
    enabled: Boolean(now && before),
  });
  return data ? <Difference before={data.before} after={data.after} /> : null;
}
