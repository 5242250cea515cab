import { Button, Group } from '@mantine/core';
import {
  IconChevronDown,
  IconMessage,
  IconPlayerPlay,
  IconRotate2,
  IconShieldOff,
  IconX,
} from '@tabler/icons-react';
import { useState } from 'react';
import { announce } from '../../display/announce';
import { Hint } from '../../display/Hint';
import type { Recommendation } from '../../api/bodies';
import { ANSWERABLE } from './bulk';
import { applicabilityInWords } from './Applicable';
import { useDismissals } from './dismissals';
import { reopen, useChange } from './queries';
import { lazyComponent, lazyOpened } from '../../display/lazy';
import { ProblemAlert } from '../../display/ProblemAlert';

const SnoozeMenu = lazyOpened(() => import('./SnoozeMenu'), 'SnoozeMenu', 'menu');
const AnswerDialog = lazyComponent(() => import('./AnswerDialog'), 'AnswerDialog');

export type Dialog =
  'exclude' | 'apply' | 'except' | 'schedule' | 'dismiss' | 'snooze' | 'test' | 'feedback';

/** Buttons that make a recommendation open again, by the state that it is in. */
const BACK: Partial<Record<string, { label: string; done: string }>> = {
  snoozed: { label: 'Reopen', done: 'Reopened.' },
  dismissed: { label: 'Reopen', done: 'Reopened.' },
  scheduled: { label: 'Cancel schedule', done: 'The schedule is cancelled.' },
  pending_approval: { label: 'Withdraw request', done: 'The request is withdrawn.' },
};

/** What a person can answer to a recommendation. */
export function Answers({ of: one }: { of: Recommendation }) {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const again = useChange(reopen);
  const answerable = ANSWERABLE.includes(one.status);
  const undo = useDismissals().undoOf(one.id);
  const back = undo ? undefined : BACK[one.status];
  return (
    <>
      <Group gap="xs">
        {back && (
          <Button
            variant="default"
            leftSection={<IconRotate2 size={16} />}
            loading={again.isPending}
            onClick={() => again.mutate(one.id, { onSuccess: () => announce(back.done) })}
          >
            {back.label}
          </Button>
        )}
        {undo && (
          <Button variant="default" leftSection={<IconRotate2 size={16} />} onClick={undo}>
            Undo dismissal
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconMessage size={16} />}
          onClick={() => setDialog('feedback')}
        >
          Feedback
        </Button>
        {answerable && (
          <Button
            variant="default"
            leftSection={<IconX size={16} />}
            onClick={() => setDialog('dismiss')}
          >
            Dismiss
          </Button>
        )}
        {answerable && (
          <SnoozeMenu
            target={
              <Button variant="default" rightSection={<IconChevronDown size={14} />}>
                Later
              </Button>
            }
            planned={Boolean(one.plan)}
            onChoose={setDialog}
          />
        )}
        {answerable && one.plan && one.applicability?.can_be_excepted && (
          <Button
            variant="light"
            leftSection={<IconShieldOff size={16} />}
            onClick={() => setDialog('except')}
          >
            Request exception
          </Button>
        )}
        {answerable && one.plan && <ApplyButton of={one} onClick={() => setDialog('apply')} />}
      </Group>
      {again.error && <ProblemAlert error={again.error} />}
      {dialog && <AnswerDialog of={one} dialog={dialog} onClose={() => setDialog(null)} />}
    </>
  );
}

/** The button says beforehand what an execution would say: it is disabled with the reason while something blocks it. */
function ApplyButton({ of: one, onClick }: { of: Recommendation; onClick: () => void }) {
  const blocked = one.applicability?.state === 'blocked';
  const button = (
    <Button
      leftSection={<IconPlayerPlay size={16} />}
      data-disabled={blocked || undefined}
      aria-disabled={blocked}
      onClick={blocked ? (event) => event.preventDefault() : onClick}
    >
      Apply Now
    </Button>
  );
  if (!blocked || !one.applicability) return button;
  return <Hint label={applicabilityInWords(one.applicability)}>{button}</Hint>;
}
