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
import { Hint } from '../../display/Hint';
import type { Recommendation } from '../../api/bodies';
import { ANSWERABLE } from './bulk';
import { applicabilityInWords } from './Applicable';
import { reopen, useChange } from './queries';
import { lazyComponent, lazyOpened } from '../../display/lazy';
import { ProblemAlert } from '../../display/ProblemAlert';

const SnoozeMenu = lazyOpened(() => import('./SnoozeMenu'), 'SnoozeMenu', 'menu');
const AnswerDialog = lazyComponent(() => import('./AnswerDialog'), 'AnswerDialog');

export type Dialog =
  'exclude' | 'apply' | 'except' | 'schedule' | 'dismiss' | 'snooze' | 'test' | 'feedback';

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
          <Button
            variant="default"
            leftSection={<IconRotate2 size={16} />}
            loading={again.isPending}
            onClick={() => again.mutate(one.id)}
          >
            Reopen
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
