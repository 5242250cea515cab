import { Badge, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Agent } from '../../../api/bodies';
import { Modal } from '../../../display/Modal';
import { ProblemAlert } from '../../../display/ProblemAlert';
import { words } from '../../../display/wording';
import { Autonomy } from '../agents/Autonomy';
import { Causes } from './Causes';
import { agentDiagnosisQuery } from './queries';
import { useReturnFocus } from '../../../display/useReturnFocus';

const PRESENT = {
  yes: { color: 'orange', label: 'The case' },
  no: { color: 'green', label: 'Not the case' },
  unknown: { color: 'gray', label: 'Not enough data yet' },
};

/** Why an agent is never sure, or why what it recommends does not fit. */
export function AgentDiagnosis({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  useReturnFocus();
  const { data, error, refetch } = useQuery(agentDiagnosisQuery(agent.id));
  return (
    <Modal opened onClose={onClose} size="lg" title={`Why ${agent.name} does not act`}>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h={240} />}
      <Stack gap="xl">
        <Autonomy agent={agent} />
        {data?.items.map(({ condition, present, causes }) => {
          const sign = PRESENT[present === true ? 'yes' : present === false ? 'no' : 'unknown'];
          return (
            <section key={condition} aria-label={words(condition)}>
              <Group justify="space-between" mb="sm">
                <Text fw={600}>{words(condition)}</Text>
                <Badge color={sign.color}>{sign.label}</Badge>
              </Group>
              <Causes of={causes} folded={present === false} />
            </section>
          );
        })}
      </Stack>
    </Modal>
  );
}
