import { Alert, Anchor, Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MetricSource, SeriesMatch } from '../../api/bodies';
import { count, plural } from '../../display/amounts';
import { Modal } from '../../display/Modal';
import { ProblemAlert } from '../../display/ProblemAlert';
import { Table } from '../../display/Table';
import { words } from '../../display/wording';
import { previewMetricSource } from './metric-sources';

/** Preview of the series of a source: the resources they belong to, and why the others belong to none. */
export function MetricPreview({ source, onClose }: { source: MetricSource; onClose: () => void }) {
  const preview = useQuery({
    queryKey: ['estate', 'metric-preview', source.id, source.version],
    queryFn: () => previewMetricSource({ id: source.id }),
    gcTime: 0,
  });
  const { data } = preview;
  return (
    <Modal opened onClose={onClose} size="xl" title={`Matching series of ${source.name}`}>
      <Stack gap="lg">
        <Text size="sm" className="muted">
          {source.kind === 'query'
            ? 'Series that the server has now.'
            : 'Series that were pushed in the last 15 minutes.'}
        </Text>
        <ProblemAlert error={preview.error} onRetry={() => void preview.refetch()} />
        {preview.isPending && <Skeleton h={160} radius="md" />}
        {data && source.rules.length === 0 && (
          <Alert variant="light">This source has no rules yet. Add some under Change.</Alert>
        )}
        {data?.rules.map((rule, place) => (
          <Stack gap="xs" key={place}>
            <Group gap="xs">
              <Text fw={600}>{words(source.rules[place]?.metric ?? '')}</Text>
              <Badge
                variant="light"
                color={rule.series > 0 && rule.mapped === rule.series ? 'green' : 'yellow'}
              >
                {count(rule.mapped)} of {plural(rule.series, 'series', 'series')} matched,{' '}
                {plural(rule.resources, 'resource', 'resources')}
              </Badge>
            </Group>
            <Text size="xs" className="muted" style={{ overflowWrap: 'anywhere' }}>
              {source.rules[place]?.series}
            </Text>
            {rule.matches.length > 0 && <Matches of={rule.matches} />}
          </Stack>
        ))}
        {data && data.unselected.length > 0 && (
          <Text size="sm">
            Received and not used by any rule:{' '}
            {data.unselected
              .slice(0, 40)
              .map(({ name }) => name)
              .join(', ')}
            {data.unselected.length > 40 && ` and ${count(data.unselected.length - 40)} more`}
          </Text>
        )}
        {data && !data.complete && (
          <Alert color="yellow" variant="light">
            More series arrived than are kept for this view; some are not shown.
          </Alert>
        )}
      </Stack>
    </Modal>
  );
}

function Matches({ of: matches }: { of: SeriesMatch[] }) {
  return (
    <Table.ScrollContainer label="Series" minWidth={560} mah={320}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Labels</Table.Th>
            <Table.Th>Resource</Table.Th>
            <Table.Th ta="right">Value</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {matches.map((match, place) => (
            <Table.Tr key={place}>
              <Table.Td data-lead style={{ overflowWrap: 'anywhere' }}>
                <Text size="xs">
                  {Object.entries(match.labels)
                    .filter(([name]) => name !== '__name__')
                    .map(([name, value]) => `${name}="${value}"`)
                    .join(', ')}
                </Text>
              </Table.Td>
              <Table.Td data-label="Resource">
                {match.resource_id ? (
                  <Anchor
                    size="sm"
                    renderRoot={(props) => (
                      <Link
                        to="/estate/resources/$id"
                        params={{ id: match.resource_id ?? '' }}
                        {...props}
                      />
                    )}
                  >
                    {match.resource_name}
                  </Anchor>
                ) : (
                  <Text size="sm" c="orange">
                    {match.reason}
                  </Text>
                )}
              </Table.Td>
              <Table.Td ta="right" data-label="Value">
                {match.value == null ? '' : match.value.toFixed(1)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
