import { Button, Textarea } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { Rollout } from '../../../api/bodies';
import { announce } from '../../../display/announce';
import { FormDialog } from '../../../display/FormDialog';
import { fieldMessages } from '../../../api/problem';
import { useChange } from '../queries';
import { hasEnded } from './course';
import { abortRollout, resumeRollout, stopRollout } from './queries';

type Act = 'stop' | 'resume' | 'abort';

const CHANGES = { stop: stopRollout, resume: resumeRollout, abort: abortRollout };

function wording(act: Act, held: boolean) {
  if (act === 'stop')
    return {
      title: 'Stop this rollout?',
      explain:
        'No further changes start. Running changes finish or roll back; open approval requests are withdrawn.',
      submit: 'Stop',
      done: 'Rollout stopped.',
    };
  if (act === 'abort')
    return {
      title: 'Abort this rollout?',
      explain: 'Ends the rollout permanently. Completed changes stay; you can roll back each one.',
      submit: 'Abort',
      done: 'Rollout aborted.',
    };
  return {
    title: held ? 'Override the gate?' : 'Resume this rollout?',
    submit: held ? 'Override' : 'Resume',
    done: 'Rollout continued.',
    explain: held
      ? 'Accepts the failed check, here and at later gates. The audit log keeps your reason and the numbers.'
      : 'Continues from where it stopped.',
  };
}

/** Stop, resume, give up: what can be done with it as it stands. */
export function Steering({ of: rollout }: { of: Rollout }) {
  const [act, setAct] = useState<Act | null>(null);
  if (hasEnded(rollout)) return null;
  const waits = rollout.status === 'held' || rollout.status === 'stopped';
  return (
    <>
      <Button variant="default" leftSection={<IconX size={16} />} onClick={() => setAct('abort')}>
        Abort
      </Button>
      {rollout.status !== 'stopped' && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause size={16} />}
          onClick={() => setAct('stop')}
        >
          Stop
        </Button>
      )}
      {waits && (
        <Button leftSection={<IconPlayerPlay size={16} />} onClick={() => setAct('resume')}>
          {rollout.status === 'held' ? 'Override' : 'Resume'}
        </Button>
      )}
      {act && <Reasoned key={act} act={act} of={rollout} onClose={() => setAct(null)} />}
    </>
  );
}

function Reasoned({ act, of: rollout, onClose }: { act: Act; of: Rollout; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const change = useChange(CHANGES[act]);
  const wrong = fieldMessages(change.error).reason;
  const { title, explain, submit, done } = wording(act, rollout.status === 'held');
  return (
    <FormDialog
      title={title}
      explain={explain}
      submit={submit}
      error={wrong ? undefined : change.error}
      pending={change.isPending}
      disabled={reason.trim() === ''}
      onClose={onClose}
      onSubmit={() =>
        change.mutate(
          { id: rollout.id, reason: reason.trim() },
          {
            onSuccess: () => {
              announce(done);
              onClose();
            },
          },
        )
      }
    >
      <Textarea
        label="Reason"
        required
        autosize
        minRows={2}
        data-autofocus
        error={wrong}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
