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
  if (act === 'stop') return { title: 'Stop this rollout?', explain: 'Nothing more begins until somebody resumes it. What runs ends or goes back by itself; requests for approval are taken back.', submit: 'Stop', done: 'The rollout is stopped.' };
  if (act === 'abort') return { title: 'Give this rollout up?', explain: 'It ends here for good. What was changed stays changed; each action can be rolled back by itself.', submit: 'Give up', done: 'The rollout is given up.' };
  return {
    title: held ? 'Go on in spite of the gate?' : 'Resume this rollout?', submit: held ? 'Go on' : 'Resume', done: 'The rollout goes on.',
    explain: held ? 'What held it is accepted and holds no later gate. The log keeps that you went on, why, and in spite of which numbers.' : 'It goes on where it was stopped.',
  };
}

/** Stop, resume, give up: what can be done with it as it stands. */
export function Steering({ of: rollout }: { of: Rollout }) {
  const [act, setAct] = useState<Act | null>(null);
  if (hasEnded(rollout)) return null;
  const waits = rollout.status === 'held' || rollout.status === 'stopped';
  return (
    <>
      <Button variant="default" leftSection={<IconX size={16} />} onClick={() => setAct('abort')}>Give up</Button>
      {rollout.status !== 'stopped' && <Button variant="default" leftSection={<IconPlayerPause size={16} />} onClick={() => setAct('stop')}>Stop</Button>}
      {waits && <Button leftSection={<IconPlayerPlay size={16} />} onClick={() => setAct('resume')}>{rollout.status === 'held' ? 'Go on' : 'Resume'}</Button>}
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
      title={title} explain={explain} submit={submit} error={wrong ? undefined : change.error} pending={change.isPending} disabled={reason.trim() === ''} onClose={onClose}
      onSubmit={() => change.mutate({ id: rollout.id, reason: reason.trim() }, { onSuccess: () => { announce(done); onClose(); } })}
    >
      <Textarea label="Reason" required autosize minRows={2} data-autofocus error={wrong} value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
    </FormDialog>
  );
}
