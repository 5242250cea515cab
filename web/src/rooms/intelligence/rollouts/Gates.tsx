import { Group, Progress, Stack, Text, ThemeIcon } from '@mantine/core';
import { IconCheck, IconClock, IconX } from '@tabler/icons-react';
import type { Gate, Rollout } from '../../../api/bodies';
import { Panel } from '../../../display/Panel';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import { waveName } from './course';
import { RolloutStatus } from './RolloutStatus';
import classes from './Gates.module.css';

/** What each gate asked for and what it was shown, the one it stands before first. */
export function Gates({ of: rollout }: { of: Rollout }) {
  return (
    <Panel title="Gates" note="Each stage ends with a gate. Newest first">
      <Stack gap={0}>
        {[...rollout.gates].reverse().map((gate, index) => (
          <div
            key={`${gate.stage} ${gate.wave} ${gate.verdict} ${gate.at} ${index}`}
            className={classes.gate}
          >
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={600}>
                {words(gate.stage)}
                {gate.stage === 'gradual' && (
                  <Text span inherit fw={450} className="muted">
                    {' '}
                    · {waveName(gate.wave, rollout).toLowerCase()}
                  </Text>
                )}
              </Text>
              <Group gap={8}>
                <Text size="xs" className="muted">
                  <When at={gate.at} />
                </Text>
                <RolloutStatus kind="verdict" of={gate.verdict} />
              </Group>
            </Group>
            <Stack component="ul" gap={8} m={0} mt={8} p={0} style={{ listStyle: 'none' }}>
              {gate.checks.map((check) => (
                <Check key={check.check} of={check} waits={gate.verdict === 'waiting'} />
              ))}
            </Stack>
            {gate.verdict === 'overridden' && (
              <Text size="sm" mt={8} style={{ overflowWrap: 'anywhere' }}>
                {gate.by} continued: {gate.explanation}
              </Text>
            )}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

/** One number: what is asked, what was found, and whether that is enough. */
function Check({
  of: { check, found, needed, relation, holds },
  waits,
}: {
  of: Gate['checks'][number];
  waits: boolean;
}) {
  const least = relation === 'at_least';
  const pending = !holds && least && waits;
  const colour = holds ? 'green' : pending ? 'blue' : 'red';
  const Icon = holds ? IconCheck : pending ? IconClock : IconX;
  return (
    <li className={classes.check}>
      <ThemeIcon
        size={18}
        radius="xl"
        variant="light"
        color={colour}
        role="img"
        aria-label={holds ? 'Holds' : pending ? 'Not yet' : 'Does not hold'}
      >
        <Icon size={12} />
      </ThemeIcon>
      <Text size="sm" className={classes.name}>
        {sentence(check)}
      </Text>
      <Text size="sm" className={`numeral ${classes.number}`}>
        <b>{shown(found)}</b>{' '}
        <span className="muted">
          {least ? `of ${shown(needed)} asked` : `at most ${shown(needed)}`}
        </span>
      </Text>
      {least && needed > 0 && (
        <Progress
          className={classes.bar}
          value={Math.min(100, (found / needed) * 100)}
          size={4}
          color={colour}
          aria-hidden
        />
      )}
    </li>
  );
}

function shown(value: number): string {
  return String(Math.round(value * 10) / 10);
}
