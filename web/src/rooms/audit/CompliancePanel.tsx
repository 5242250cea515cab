import { Anchor, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { count, plural } from '../../display/amounts';
import { Panel } from '../../display/Panel';
import { ProblemAlert } from '../../display/ProblemAlert';
import { When } from '../../display/When';
import { complianceQuery, type Framework, type Metrics } from './compliance';
import { STATUSES } from './reports/statuses';

/** Compliance metrics: per framework, what its latest report found. */
export function CompliancePanel({ at }: { at: number }) {
  const { data, error } = useQuery(complianceQuery(at));
  return (
    <Panel
      title="Compliance"
      note="Latest report of each framework"
      actions={
        <Anchor size="sm" renderRoot={(props) => <Link to="/audit/compliance" {...props} />}>
          Compliance reports
        </Anchor>
      }
    >
      <ProblemAlert error={error} />
      {!data && !error && <Skeleton h={120} />}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="xl" verticalSpacing="lg">
        {data?.map((framework) => (
          <Card key={framework.id} of={framework} />
        ))}
      </SimpleGrid>
    </Panel>
  );
}

function Card({ of: { name, controls, metrics } }: { of: Framework }) {
  return (
    <section aria-label={name}>
      <Title order={3} size="h5">
        {name}
      </Title>
      {metrics ? (
        <Findings of={metrics} />
      ) : (
        <Text size="sm" className="muted" mt={4}>
          No report yet. Its template has {plural(controls, 'control', 'controls')}.
        </Text>
      )}
    </section>
  );
}

function Findings({ of: { run, controls, statuses, exceptions } }: { of: Metrics }) {
  const row = (label: string, value: ReactNode) => (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <Text size="sm" className="muted">
        {label}
      </Text>
      <Text size="sm" className="numeral">
        {value}
      </Text>
    </Group>
  );
  return (
    <Stack gap={4} mt={4}>
      {row('Controls', count(controls))}
      {STATUSES.filter(({ key }) => statuses[key] > 0).map(({ key, label }) => (
        <Fragment key={key}>{row(label, count(statuses[key]))}</Fragment>
      ))}
      {exceptions.map(({ label, found, search }) => (
        <Group key={label} justify="space-between" gap="sm" wrap="nowrap">
          <Anchor
            size="xs"
            truncate
            title={label}
            renderRoot={(props) => <Link to="/audit/search" search={search} {...props} />}
          >
            {label}
          </Anchor>
          <Text size="xs" className="numeral">
            {count(found)}
          </Text>
        </Group>
      ))}
      <Text size="xs" className="muted">
        <When at={run.start_time} form="minute" inherit /> to{' '}
        <When at={run.end_time} form="minute" inherit />
      </Text>
    </Stack>
  );
}
