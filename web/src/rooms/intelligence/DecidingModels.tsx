import { Stack, Text } from '@mantine/core';
import type { Recommendation } from '../../api/bodies';
import { Panel } from '../../display/Panel';
import { When } from '../../display/When';
import { sentence, words } from '../../display/wording';

type Use = Recommendation['explanation']['models'][number];

/** The learned models that took part in the decision, each with what it said. */
export function DecidingModels({ models }: { models: Use[] }) {
  if (models.length === 0) return null;
  return (
    <Panel
      title="Learned models"
      note="Models trained on this estate that took part in the decision"
    >
      <Stack component="ul" gap={12} m={0} pl={18}>
        {models.map(({ id, name, type, version, trained_at, statement }) => (
          <li key={id}>
            <Text size="sm" fw={550}>
              {words(name)}{' '}
              <Text span size="sm" className="muted">
                ({words(type).toLowerCase()})
              </Text>
            </Text>
            <Text size="sm">{sentence(statement)}</Text>
            <Text size="xs" className="muted">
              Version {version}, trained <When at={trained_at} />
            </Text>
          </li>
        ))}
      </Stack>
    </Panel>
  );
}
