import { Text, ThemeIcon, Timeline } from '@mantine/core';
import { IconCheck, IconQuestionMark, IconX } from '@tabler/icons-react';
import type { Recommendation } from '../../api/bodies';
import { Panel } from '../../display/Panel';
import { words } from '../../display/wording';

type Check = Recommendation['explanation']['decision_path'][number];

const SIGNS: Record<string, { colour: string; text: string; icon: typeof IconCheck }> = {
  yes: { colour: 'green', text: 'var(--good)', icon: IconCheck },
  no: { colour: 'gray', text: 'var(--muted)', icon: IconX },
  unknown: { colour: 'yellow', text: 'var(--warn)', icon: IconQuestionMark },
};

/** The numbered checks that led to the recommendation. */
export function DecisionPath({ checks }: { checks: Check[] }) {
  if (checks.length === 0) return null;
  return (
    <Panel title="Decision path" note="Each check with its answer and the numbers behind it">
      <Timeline
        bulletSize={24}
        lineWidth={2}
        component="ol"
        styles={{ root: { margin: 0, padding: '0 0 0 12px', listStyle: 'none' } }}
      >
        {checks.map(({ check, answer, detail }, index) => {
          const sign = SIGNS[answer] ?? {
            colour: 'gray',
            text: 'var(--muted)',
            icon: IconQuestionMark,
          };
          return (
            <Timeline.Item
              key={check}
              component="li"
              mt={index > 0 ? 12 : 0}
              bullet={
                <ThemeIcon size={24} radius="xl" color={sign.colour} variant="light">
                  <sign.icon size={14} aria-hidden />
                </ThemeIcon>
              }
              title={
                <Text size="sm" fw={500}>
                  {index + 1}. {check}{' '}
                  <Text span size="sm" fw={650} c={sign.text}>
                    {words(answer)}
                  </Text>
                </Text>
              }
            >
              {detail && (
                <Text size="sm" className="muted">
                  {detail}
                </Text>
              )}
            </Timeline.Item>
          );
        })}
      </Timeline>
    </Panel>
  );
}
