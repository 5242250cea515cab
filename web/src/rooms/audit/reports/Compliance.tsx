import { Button, Card, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../../api/session';
import { lazyComponent } from '../../../display/lazy';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { When } from '../../../display/When';
import { Runs } from './Runs';
import {
  isOf,
  reportsQuery,
  runnable,
  runReport,
  templatesQuery,
  useChange,
  type Report,
  type Template,
} from './queries';

const RunForm = lazyComponent(() => import('./RunForm'), 'RunForm');

const route = getRouteApi('/app/audit/compliance');

/** Compliance reports: a framework, a period, filters, and the runs. */
export function Compliance() {
  const { data, error, refetch } = useQuery(templatesQuery);
  const [chosen, setChosen] = useState<Template>();
  const [opened, setOpened] = useState(route.useSearch().run);
  const reports = useQuery(reportsQuery).data?.items;
  // A user with a scope runs what others have saved, narrowed to the scope.
  const isScoped = Boolean(useMe()?.scope);
  const run = useChange(runReport);
  return (
    <Stack gap="lg">
      <Panel title="Frameworks" note="Evidence, exceptions and gaps for each control.">
        <ProblemAlert error={run.error} />
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {!data && !error && [1, 2, 3].map((key) => <Skeleton key={key} h={120} />)}
          {data?.items.map((template) => (
            <Card key={template.id} withBorder component="section" aria-label={template.name}>
              <Text fw={600}>{template.name}</Text>
              <Text size="xs" className="muted" mb={6}>
                {template.edition}
              </Text>
              <Text size="sm" mb="sm">
                {template.scope}
              </Text>
              <Group justify="space-between" mt="auto">
                <Text size="xs" className="muted">
                  {template.controls.length} controls
                  <NextRun report={reports?.find((report) => isOf(report, template))} />
                </Text>
                {isScoped ? (
                  <RunSaved
                    report={reports && runnable(reports, template)}
                    onRun={({ id }) =>
                      run.mutate(id, { onSuccess: (started) => setOpened(started.id) })
                    }
                  />
                ) : (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Create a report for ${template.name}`}
                    onClick={() => setChosen(template)}
                  >
                    Create report
                  </Button>
                )}
              </Group>
            </Card>
          ))}
        </SimpleGrid>
      </Panel>
      <Runs kind="compliance" opened={opened} onOpen={setOpened} />
      {chosen && (
        <RunForm
          template={chosen}
          onClose={() => setChosen(undefined)}
          onRun={(id) => {
            setChosen(undefined);
            setOpened(id);
          }}
        />
      )}
    </Stack>
  );
}

function RunSaved({ report, onRun }: { report?: Report; onRun: (report: Report) => void }) {
  return report ? (
    <Button
      size="xs"
      variant="default"
      aria-label={`Run ${report.name}`}
      onClick={() => onRun(report)}
    >
      Run report
    </Button>
  ) : (
    <Text size="xs" className="muted">
      No report saved within your scope
    </Text>
  );
}

function NextRun({ report }: { report?: Report }) {
  return report?.next_run_at ? (
    <>
      , next run <When at={report.next_run_at} />
    </>
  ) : null;
}
