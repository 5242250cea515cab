import { Anchor, Button, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../../api/session';
import { percent } from '../../../display/amounts';
import { EmptyState } from '../../../display/EmptyState';
import { Panel } from '../../../display/Panel';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { CheckDialog } from './CheckDialog';
import { OwnChecks, Yours } from './OwnChecks';
import { frameworksQuery, type Framework } from './queries';
import { controlsLine, counted } from './standing';

/** Frameworks with their score; those that an agent checks come first. */
export function Compliance() {
  const [check, setCheck] = useState<string>();
  const { data, error, refetch } = useQuery(frameworksQuery);
  const may = useMay();
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;

  const checked = data?.items.filter((one) => one.is_checked) ?? [];
  const others = data?.items.filter((one) => !one.is_checked) ?? [];
  return (
    <Stack gap="lg">
      {data && checked.length === 0 && (
        <Panel>
          <EmptyState
            title="No agent checks controls yet"
            icon={<IconShieldCheck size={22} />}
            action={
              may('intelligence.configure') ? (
                <Button
                  mt={12}
                  renderRoot={(props) => <Link to="/intelligence/agents" {...props} />}
                >
                  Create an agent
                </Button>
              ) : undefined
            }
          >
            An agent of the type Compliance intelligence compares the configuration of every
            resource with the checks of SOC 2, ISO 27001, HIPAA and PCI DSS, and recommends the
            change that mends a failure.
          </EmptyState>
        </Panel>
      )}
      {checked.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
          {checked.map((one) => (
            <Card key={one.id} of={one} />
          ))}
        </SimpleGrid>
      )}
      {others.length > 0 && (
        <Panel
          title="Other frameworks"
          note="No agent checks these. Name them in the agent’s setting “frameworks”."
        >
          <Stack gap={6}>
            {others.map((one) => (
              <Text key={one.id} size="sm">
                <Name of={one} />{' '}
                <Text span size="sm" className="muted">
                  {one.edition}
                </Text>
              </Text>
            ))}
          </Stack>
        </Panel>
      )}
      <OwnChecks open={setCheck} />
      {check && <CheckDialog id={check} onClose={() => setCheck(undefined)} />}
    </Stack>
  );
}

function Name({ of: one }: { of: Framework }) {
  return (
    <Anchor
      inherit
      fw={600}
      renderRoot={(props) => (
        <Link to="/intelligence/compliance/$framework" params={{ framework: one.id }} {...props} />
      )}
    >
      {one.title}
    </Anchor>
  );
}

function Card({ of: one }: { of: Framework }) {
  return (
    <Panel title={<Name of={one} />} note={one.edition} actions={one.is_own && <Yours />}>
      <Stack gap={8}>
        <Text className="numeral" fz={26} fw={600} lh={1.2}>
          {one.score == null ? 'Not checked yet' : percent(one.score)}
          {one.score != null && (
            <Text span size="sm" fw={400} className="muted">
              {' '}
              of results pass
            </Text>
          )}
        </Text>
        <Progress
          value={one.score ?? 0}
          aria-label={`Share of results of ${one.title} that passed`}
        />
        <Text size="sm">{controlsLine(one.controls)}</Text>
        <Text size="sm" className="muted">
          Results: {counted(one.results)}
        </Text>
      </Stack>
    </Panel>
  );
}
