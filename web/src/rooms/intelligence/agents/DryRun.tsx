import {
  Alert,
  Anchor,
  Badge,
  Group,
  Select,
  SimpleGrid,
  Skeleton,
  Stack,
  Switch,
  Text,
} from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Agent } from '../../../api/bodies';
import { body, client } from '../../../api/client';
import { count, plural } from '../../../display/amounts';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { options, words } from '../../../display/wording';
import { guardrailPlace } from '../change/policy';
import { grouped, reasonInWords } from './dry-run';
import { useReturnFocus } from '../../../display/useReturnFocus';

interface Considered {
  mode: string;
  auto_apply: boolean;
  max_impact: string;
}

function previewQuery(agent_id: string, query: Considered) {
  return {
    queryKey: ['intelligence', 'agent', agent_id, 'preview', query],
    queryFn: () =>
      body(
        client.GET('/api/v1/intelligence/agents/{agent_id}/preview', {
          params: { path: { agent_id }, query },
        }),
      ),
    placeholderData: keepPreviousData,
  };
}

/** Decisions of an agent on its open recommendations now, under its configuration or another one. */
export function DryRun({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  useReturnFocus();
  const [considered, setConsidered] = useState<Considered>({
    mode: agent.mode,
    auto_apply: agent.auto_apply.enabled ?? false,
    max_impact: agent.auto_apply.max_impact ?? 'low',
  });
  const { data, error, refetch } = useQuery(previewQuery(agent.id, considered));
  const own =
    considered.mode === agent.mode &&
    considered.auto_apply === agent.auto_apply.enabled &&
    considered.max_impact === agent.auto_apply.max_impact;
  const set = (change: Partial<Considered>) =>
    setConsidered((before) => ({ ...before, ...change }));
  const groups = grouped(data?.items ?? []);
  return (
    <Modal opened onClose={onClose} size="xl" title={`Dry run of ${agent.name}`}>
      <Stack gap="md">
        <Text size="sm" className="muted">
          What its next run would do with the recommendations that are open now. Nothing is changed,
          requested or saved.
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <Select
            label="Mode"
            data={options(['learning', 'safe_mode', 'active'])}
            allowDeselect={false}
            value={considered.mode}
            onChange={(mode) => set({ mode: mode ?? agent.mode })}
          />
          <Select
            label="Maximum impact"
            data={options(['low', 'medium', 'high'])}
            allowDeselect={false}
            value={considered.max_impact}
            onChange={(max_impact) => set({ max_impact: max_impact ?? 'low' })}
          />
          <Switch
            label="Apply changes automatically"
            mt={{ sm: 30 }}
            checked={considered.auto_apply}
            onChange={(event) => set({ auto_apply: event.currentTarget.checked })}
          />
        </SimpleGrid>
        {!own && (
          <Alert color="yellow" variant="light">
            With other settings than the agent has. Change them under Configure.
          </Alert>
        )}
        {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton h={200} />}
        {data?.items.length === 0 && (
          <Text size="sm">It has no open recommendations. Run it to look for some.</Text>
        )}
        {groups.map(({ outcome, title, colour, items }) => (
          <section key={outcome} aria-label={title}>
            <Group gap="xs" mb={6}>
              <Badge color={colour} variant="light">
                {count(items.length)}
              </Badge>
              <Text fw={600} size="sm">
                {title}
              </Text>
            </Group>
            <Stack component="ul" gap={6} m={0} pl={18}>
              {items.slice(0, 20).map((item) => (
                <Text component="li" size="sm" key={item.recommendation_id}>
                  <Anchor
                    size="sm"
                    renderRoot={(props) => (
                      <Link
                        to="/intelligence/recommendations/$id"
                        params={{ id: item.recommendation_id }}
                        {...props}
                      />
                    )}
                  >
                    {item.title}
                  </Anchor>
                  <Text span size="xs" className="muted" display="block">
                    {[
                      `${words(item.impact_level)} impact`,
                      item.outcome === 'blocked'
                        ? `${guardrailPlace(item.reason ?? '').name}: ${item.detail}`
                        : reasonInWords(item),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </Text>
                </Text>
              ))}
              {items.length > 20 && (
                <Text component="li" size="sm" className="muted">
                  and {plural(items.length - 20, 'other')}
                </Text>
              )}
            </Stack>
          </section>
        ))}
        <Text size="xs" className="muted">
          Each recommendation is checked on its own: limits on the number of changes apply as the
          changes are made.
        </Text>
      </Stack>
    </Modal>
  );
}
