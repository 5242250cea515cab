import { List, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { EntryLink } from '../../../display/EntryLink';
import { Modal } from '../../../display/Modal';
import { When } from '../../../display/When';
import { words } from '../../../display/wording';
import { likelihood } from './chains';
import type { AttackChain } from './queries';

interface Props {
  chain: AttackChain;
  onClose: () => void;
}

/** Steps of an attack chain, what could be reached next, and what would stop it. */
export function ChainDetail({ chain, onClose }: Props) {
  return (
    <Modal opened size="lg" title={chain.title} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          {`The steps are an attack that continues with a probability of ${likelihood(chain.probability)}.`}
        </Text>
        <Part title="Steps">
          {chain.steps.map((step) => (
            <List.Item key={step.event_id}>
              <EntryLink id={step.event_id} inherit>
                {step.operation}
              </EntryLink>
              {[
                step.resource && ` on ${step.resource}`,
                ` by ${step.by}`,
                `: ${words(step.stage)}`,
                step.technique && `, ${step.technique.id} ${step.technique.name}`,
              ]
                .filter(Boolean)
                .join('')}{' '}
              <Text span size="xs" className="muted">
                <When at={step.at} />
              </Text>
            </List.Item>
          ))}
        </Part>
        <Part title="Next step">
          {chain.next
            .filter((next) => next.probability >= 0.005)
            .map((next) => (
              <List.Item key={next.stage}>
                {`${words(next.stage)}: ${likelihood(next.probability)}`}
              </List.Item>
            ))}
        </Part>
        <Part title="In reach">
          {chain.reachable.map((asset) => (
            <List.Item key={`${asset.resource} ${asset.way}`}>
              {`${asset.resource} (${words(asset.stage)}): ${asset.way} `}
              <EntryLink id={asset.event_id} inherit>
                Evidence
              </EntryLink>
            </List.Item>
          ))}
        </Part>
        <Part title="What would stop it">
          {chain.stops.map((stop) => (
            <List.Item key={`${stop.resource} ${stop.action}`}>
              {`${stop.action}. Takes away ${likelihood(stop.averts)} at most.`}
            </List.Item>
          ))}
        </Part>
      </Stack>
    </Modal>
  );
}

function Part({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {title}
      </Title>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </List>
    </div>
  );
}
