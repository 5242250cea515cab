import { Button, Group, Menu } from '@mantine/core';
import { IconCalendarTime, IconChevronDown, IconCircleOff, IconClockPause, IconFlask, IconMessage, IconPlayerPlay, IconRotate2, IconShieldOff, IconX } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { Hint } from '../../display/Hint';
import type { Recommendation } from '../../api/bodies';
import { ANSWERABLE } from './bulk';
import { applicabilityInWords } from './Applicable';
import { reopen, useChange } from './queries';
import { ProblemAlert } from '../../display/ProblemAlert';

const AnswerDialog = lazy(() => import('./AnswerDialog').then((module) => ({ default: module.AnswerDialog })));

export type Dialog = 'exclude' | 'apply' | 'except' | 'schedule' | 'dismiss' | 'snooze' | 'test' | 'feedback';

/** What a person can answer to a recommendation. */
export function Answers({ of: one }: { of: Recommendation }) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const again = useChange(reopen);
  const answerable = ANSWERABLE.includes(one.status);
  const reopenable = ['snoozed', 'scheduled', 'pending_approval'].includes(one.status);
  return (
    <>
      <Group gap="xs">
        {reopenable && (
          <Button variant="default" leftSection={<IconRotate2 size={16} />} loading={again.isPending} onClick={() => again.mutate(one.id)}>Reopen</Button>
        )}
        <Button variant="default" leftSection={<IconMessage size={16} />} onClick={() => setDialog('feedback')}>Feedback</Button>
        {answerable && <Button variant="default" leftSection={<IconX size={16} />} onClick={() => setDialog('dismiss')}>Dismiss</Button>}
        {answerable && (
          <Menu position="bottom-end">
            <Menu.Target><Button variant="default" rightSection={<IconChevronDown size={14} />}>Later</Button></Menu.Target>
            <Menu.Dropdown>
              {one.plan && <Menu.Item leftSection={<IconCalendarTime size={16} />} onClick={() => setDialog('schedule')}>Schedule</Menu.Item>}
              <Menu.Item leftSection={<IconClockPause size={16} />} onClick={() => setDialog('snooze')}>Snooze</Menu.Item>
              {one.plan && <Menu.Item leftSection={<IconFlask size={16} />} onClick={() => setDialog('test')}>Test First</Menu.Item>}
              <Menu.Divider />
              <Menu.Item leftSection={<IconCircleOff size={16} />} onClick={() => setDialog('exclude')}>Exclude</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
        {answerable && one.plan && one.applicability?.can_be_excepted && (
          <Button variant="light" leftSection={<IconShieldOff size={16} />} onClick={() => setDialog('except')}>Request exception</Button>
        )}
        {answerable && one.plan && <ApplyButton of={one} onClick={() => setDialog('apply')} />}
      </Group>
      {again.error && <ProblemAlert error={again.error} />}
      <Suspense>{dialog && <AnswerDialog of={one} dialog={dialog} onClose={() => setDialog(null)} />}</Suspense>
    </>
  );
}

/** The button says beforehand what an execution would say: it is disabled with the reason while something blocks it. */
function ApplyButton({ of: one, onClick }: { of: Recommendation; onClick: () => void }) {
  const blocked = one.applicability?.state === 'blocked';
  const button = (
    <Button leftSection={<IconPlayerPlay size={16} />} data-disabled={blocked || undefined} aria-disabled={blocked} onClick={blocked ? (event) => event.preventDefault() : onClick}>
      Apply Now
    </Button>
  );
  if (!blocked || !one.applicability) return button;
  return <Hint label={applicabilityInWords(one.applicability)}>{button}</Hint>;
}
