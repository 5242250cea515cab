import { Text, ThemeIcon, Timeline } from '@mantine/core';
import { IconBell, IconBulb, IconPlayerPlay, IconSchool, IconSearch } from '@tabler/icons-react';
import type { Anomaly } from '../../../api/bodies';
import { Panel } from '../../../display/Panel';
import { When } from '../../../display/When';
import { sentence, words } from '../../../display/wording';
import { courseOf } from './course';

const SIGNS: Record<string, { icon: typeof IconBell; missing: string }> = {
  alert: { icon: IconBell, missing: 'No notification sent.' },
  investigate: { icon: IconSearch, missing: 'Not investigated yet.' },
  recommend: { icon: IconBulb, missing: 'No recommendation yet.' },
  execute: { icon: IconPlayerPlay, missing: 'No action taken.' },
  learn: { icon: IconSchool, missing: 'Waiting for a verdict.' },
};

/** Alert, investigate, recommend, execute, learn: what was recorded, and what is still open. */
export function Course({ of: one }: { of: Anomaly }) {
  return (
    <Panel title="Response" note="Each step is an entry in the audit log">
      <Timeline
        bulletSize={26}
        lineWidth={2}
        component="ol"
        styles={{ root: { margin: 0, padding: '0 0 0 13px', listStyle: 'none' } }}
      >
        {courseOf(one).map(({ stage, at, detail }, index) => {
          const sign = SIGNS[stage];
          const Icon = sign?.icon ?? IconBell;
          return (
            <Timeline.Item
              key={`${stage} ${at ?? index}`}
              component="li"
              bullet={
                <ThemeIcon size={26} radius="xl" variant="light" color={at ? 'petrol' : 'gray'}>
                  <Icon size={14} aria-hidden />
                </ThemeIcon>
              }
              title={
                <Text size="sm" fw={at ? 600 : 500} className={at ? undefined : 'muted'}>
                  {words(stage)}{' '}
                  {at && (
                    <Text span size="xs" fw={400} className="muted">
                      <When at={at} />
                    </Text>
                  )}
                </Text>
              }
            >
              <Text
                size="sm"
                className={at ? undefined : 'muted'}
                style={{ overflowWrap: 'anywhere' }}
              >
                {detail === undefined ? sign?.missing : sentence(detail)}
              </Text>
            </Timeline.Item>
          );
        })}
      </Timeline>
    </Panel>
  );
}
